import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../test/support/editor/places.ts';

/** A file of the made-up service: a data resource (Frictionless) with an id. */
export interface PictureResource {
  readonly id: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly [field: string]: unknown;
}

interface PictureDatabase {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly parameters?: Readonly<Record<string, { readonly type: string; readonly value?: unknown }>>;
  readonly resources: () => readonly PictureResource[];
}

/** A name that tries all that a name can do to a row, a title or a page. */
const hostileName = `<img src=x onerror=alert(1)> $(zap) [click](command:workbench.action.quit) \u202egnp.exe`;

/** A name without a place to break it. */
const longName = `${'really-'.repeat(40)}long-name.csv`;

/** A destination whose name needs more than the side bar has. */
export const longDestination = 'Long-Term Preservation Store of the Institute of Genomics, Building 7';

/** What the service of the pictures holds: open data of packages, and made-up files. */
export const databases: readonly PictureDatabase[] = [
  { id: 'vega', name: 'Vega Datasets', organization: 'Vega', resources: vegaResources },
  {
    id: 'obs',
    name: 'Observatory Archive',
    organization: 'Alpine Observatory',
    parameters: {
      instrument: { type: 'array(string)', value: ['camera', 'spectrograph', 'photometer'] },
      exposure: { type: 'number' },
      calibrated: { type: 'boolean' },
    },
    resources: () => numbered(60),
  },
  { id: 'many', name: 'Sensor Readings', organization: 'Alpine Observatory', resources: () => numbered(2400) },
  { id: 'real', name: 'Genome Portal', organization: 'Institute of Genomics', resources: realResources },
  { id: 'odd', name: 'Odd Names', organization: 'Institute of Genomics', resources: oddResources },
  { id: 'lab', name: 'Lab Share', organization: 'Our Lab', resources: () => [] },
  ...['Archive', 'Scratch', 'Cluster', 'Backup', 'Partner Site', 'Teaching', longDestination].map((name) => ({
    id: name.toLowerCase().replaceAll(/\W+/g, '-'),
    name,
    organization: 'Our Lab',
    resources: () => [],
  })),
];

/** The files of a database, by its id or its name. */
export function resourcesOf(called: string): readonly PictureResource[] {
  return databases.find(({ id, name }) => id === called || name === called)?.resources() ?? [];
}

/** What a database is called, by its id or its name. */
export function nameOf(called: string): string {
  return databases.find(({ id }) => id === called)?.name ?? called;
}

function readJson(...path: readonly string[]): unknown {
  return JSON.parse(readFileSync(join(repositoryRoot, ...path), 'utf8'));
}

/** The package describes its files by paths below `data`; here they have ids. */
function vegaResources(): readonly PictureResource[] {
  const { resources } = readJson('node_modules', 'vega-datasets', 'datapackage.json') as {
    resources: readonly { readonly path: string }[];
  };
  return resources.map((resource) => ({ ...resource, id: resource.path, name: resource.path }));
}

function numbered(count: number): readonly PictureResource[] {
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

/** Resources as public services send them. */
function realResources(): readonly PictureResource[] {
  const all = readJson('test', 'support', 'realResources.json') as Readonly<Record<string, PictureResource>>;
  return Object.entries(all).map(([key, resource]) => ({ ...resource, id: key }));
}

function oddResources(): readonly PictureResource[] {
  const markup = '<script>alert(1)</script> **bold** [run](command:workbench.action.quit)';
  return [
    {
      id: 'hostile',
      name: hostileName,
      path: hostileName,
      title: markup,
      description: `${markup}\n\n![](https://elsewhere.example/x.png)\n\n<iframe src="https://elsewhere.example"></iframe>`,
      format: markup,
      bytes: 7,
      hash: markup,
      sources: [{ title: markup, path: 'javascript:alert(1)', email: 'x" onclick="alert(1)' }],
      licenses: [{ name: markup, path: 'command:workbench.action.quit' }],
      schema: { fields: [{ name: markup, type: markup, description: markup }] },
      credit: { contributors: [{ name: markup }] },
      [markup]: { [markup]: [markup, null, true, 1e300] },
    },
    {
      id: 'long',
      name: longName,
      path: `${'folder/'.repeat(60)}${longName}`,
      title: longName,
      bytes: 1e15,
      hash: 'f'.repeat(512),
    },
    { id: 'only-an-id', name: '' },
    { id: 'emoji', name: '🦀 Ünïcödé — 数据 — بيانات.csv', bytes: 0, format: 'csv' },
  ];
}
