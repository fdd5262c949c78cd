import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../test/support/editor/places.ts';
import { journeyKey } from '../../test/support/editor/preparedEditor.ts';
import { chooseBehavior, json, problem, text, type Behavior } from '../../test/support/faultBehaviors.ts';
import { publicLike, type PublicState } from '../../test/support/faultPersonality.ts';
import { FaultServer, type RecordedRequest } from '../../test/support/faultServer.ts';
import { hostileResource, realResources } from '../../test/support/pageStates.ts';

type Resource = Readonly<Record<string, unknown>>;

const longDestination = 'Long-Term Preservation Store of the Institute of Genomics, Building 7';
const lab = ['Lab Share', 'Archive', 'Scratch', 'Cluster', 'Backup', 'Partner Site', 'Teaching', longDestination];
const longName = `${'really-'.repeat(40)}long-name.csv`;

const oddResources: readonly Resource[] = [
  hostileResource,
  { id: 'long', name: longName, path: `${'folder/'.repeat(60)}${longName}`, bytes: 1e15, hash: 'f'.repeat(512) },
  { id: 'only-an-id', name: '' },
  { id: 'emoji', name: '🦀 Ünïcödé — 数据 — بيانات.csv', bytes: 0, format: 'csv' },
];

const obsParameters = {
  instrument: { type: 'array(string)', value: ['camera', 'spectrograph', 'photometer'] },
  exposure: { type: 'number' },
  calibrated: { type: 'boolean' },
};

/** The ID, name, organization and files of each database: open data from packages and services, and generated files. */
const catalog: readonly (readonly [string, string, string, readonly Resource[]])[] = [
  ['vega', 'Vega Datasets', 'Vega', readVega()],
  ['obs', 'Observatory Archive', 'Alpine Observatory', makeRuns(60)],
  ['many', 'Sensor Readings', 'Alpine Observatory', makeRuns(2400)],
  ['real', 'Genome Portal', 'Institute of Genomics', readReal()],
  ['odd', 'Odd Names', 'Institute of Genomics', oddResources],
  ...lab.map((name) => [toId(name), name, 'Our Lab', name === 'Archive' ? copyWeather() : []] as const),
];

const fileBytes = new Map(catalog.flatMap(([, , , files]) => files.map(({ id, bytes }) => [id, Number(bytes ?? 0)])));

/** A service whose databases, files and IDs are always the same. */
export interface ScreenshotService {
  readonly http: FaultServer;
  readonly transfers: PublicState['transfers'];
  /** IDs of the transfers that the window doesn't poll, because they were started elsewhere or have ended. */
  readonly ended: Set<string>;
  /** Restores the initial responses of all routes. */
  recover(): void;
}

/** Starts a service that behaves like the public server. The caller stops `http`. */
export async function startScreenshotService(): Promise<ScreenshotService> {
  const http = await FaultServer.start();
  const state = publicLike(http, journeyKey.value);
  const databases = catalog.map(([id, name, organization]) => ({ id, name, organization, url: '' }));
  state.databases.splice(0, Infinity, ...databases);
  state.getFileBytes = (id) => fileBytes.get(id) ?? 0;
  state.makeId = () => `5f0c6a1e-93d4-4b7a-8c21-${String(state.transfers.size).padStart(12, '0')}`;
  const elsewhere = { orcid: '', status: 'active', num_files: 40, num_files_transferred: 12 };
  state.transfers.set('c0de0000-93d4-4b7a-8c21-0000000000ff', elsewhere);
  http
    .on('GET /', json({ name: 'Research Data Service', version: '2.4.0' }))
    .on('GET /api/v1/databases/obs/search-parameters', json(obsParameters))
    .on('GET /api/v1/databases/*', json({}))
    .on('POST /api/v1/files', chooseBehavior(search))
    .on('POST /api/v1/files/by-id', chooseBehavior(lookUp))
    .on('DELETE /api/v1/transfers/*', text(202, ''));
  return { http, transfers: state.transfers, ended: new Set(state.transfers.keys()), recover: http.saveRoutes() };
}

/** Derives an ID from the name of a database or a connection. */
export function toId(name: string): string {
  return name.toLowerCase().replaceAll(/\W+/g, '-');
}

interface FilesRequest {
  readonly database: string;
  readonly query: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly file_ids: readonly unknown[];
}

function search({ body }: RecordedRequest): Behavior {
  const { database, query, offset = 0, limit = 100 } = JSON.parse(body) as FilesRequest;
  const words = query.toLowerCase().split(' ');
  const fits = ({ name, title, description }: Resource): boolean =>
    words.every((word) => JSON.stringify([name, title, description]).toLowerCase().includes(word));
  return listed(database, (all) => all.filter(fits).slice(offset, offset + limit));
}

/** Responds with the requested files; omits files that the service does not have. */
function lookUp({ body }: RecordedRequest): Behavior {
  const { database, file_ids: ids } = JSON.parse(body) as FilesRequest;
  return listed(database, (all) => all.filter(({ id }) => ids.includes(id)));
}

function listed(database: string, choose: (all: readonly Resource[]) => readonly Resource[]): Behavior {
  const resources = catalog.find(([id]) => id === database)?.[3];
  return resources ? json({ resources: choose(resources) }) : problem(404, `The database '${database}' was not found`);
}

/** Returns the resources of the package `vega-datasets`, with their paths as IDs and names. */
function readVega(): readonly Resource[] {
  const file = join(repositoryRoot, 'node_modules', 'vega-datasets', 'datapackage.json');
  const { resources } = JSON.parse(readFileSync(file, 'utf8')) as { resources: readonly { readonly path: string }[] };
  return resources.map((resource) => ({ ...resource, id: resource.path, name: resource.path }));
}

/** Returns two files of the package under other names: the copies in the database "Archive". */
function copyWeather(): readonly Resource[] {
  const copied = readVega().filter(({ name }) => name === 'weather.csv' || name === 'seattle-weather.csv');
  return copied.map((resource) => ({
    ...resource,
    id: `A:${String(resource['id'])}`,
    name: `copy-of-${String(resource['name'])}`,
  }));
}

function readReal(): readonly Resource[] {
  return Object.entries(realResources()).map(([id, resource]) => ({ ...(resource as Resource), id }));
}

function makeRuns(count: number): readonly Resource[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `run-${String(index + 1).padStart(4, '0')}.fits`;
    const bytes = 4_200_000 + ((index * 7919) % 1000) * 2900;
    return {
      id: `OBS:${name}`,
      name,
      path: `2026/observations/${name}`,
      format: 'fits',
      mediatype: 'image/fits',
      bytes,
    };
  });
}
