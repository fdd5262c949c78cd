import {
  dropBeforeAnswer,
  json,
  plainProblem,
  problem,
  type Behaviour,
} from '../../../test/support/faultBehaviours.ts';
import { connect, search, seeRow, serviceName, tidy } from '../hands.ts';
import { scene, type State } from '../scene.ts';
import type { Stage } from '../stage.ts';

const filesRoute = 'POST /api/v1/files';
const idsRoute = 'POST /api/v1/files/by-id';

/** Refusals of the public server, by database. */
const refusals: Readonly<Record<string, Behaviour>> = {
  'Lab Share': plainProblem(500, 'Search not implemented for lab database'),
  'Genome Portal': problem(400, 'A query must be the ID of a study.'),
  'Observatory Archive': plainProblem(500, `I[#] S[#] doesn't validate with "data-resource#"`),
};

const refuse: Behaviour = async (request, response) => {
  const { database } = JSON.parse(request.body) as { database: string };
  await (refusals[database] ?? json({ resources: [{ id: 'weather.csv', bytes: 1200 }] }))(request, response);
};

/** Full pages of the same files, each in another order, as a database gives that pages by something else. */
const repeat: Behaviour = async (request, response) => {
  const { offset = 0, limit = 100 } = JSON.parse(request.body) as { offset?: number; limit?: number };
  const ids = Array.from({ length: limit }, (_, index) => `run-${String((index + offset / limit) % limit)}.csv`);
  await json({ resources: ids.map((id) => ({ id, bytes: 1200 })) })(request, response);
};

const lookUp: Behaviour = async (request, response) => {
  const { file_ids: ids } = JSON.parse(request.body) as { file_ids: string[] };
  const known = ids.filter((id) => !id.startsWith('OBS:lost'));
  const isBad = ids.includes('OBS:broken');
  await (isBad ? dropBeforeAnswer() : json({ resources: known.map((id) => ({ id, bytes: 1200 })) }))(request, response);
};

async function searchAll(stage: Stage): Promise<void> {
  await stage.window.command('Data Transfer: Search All Databases…');
  await stage.window.input('weather', /2\/3/);
  await stage.window.pick('Search', /3\/3/);
  await seeRow(stage.results, '“weather”', /Vega Datasets · \d/);
}

async function findIds(stage: Stage): Promise<void> {
  await stage.window.command('Data Transfer: Find Files by Id…');
  await stage.window.pick('Observatory Archive', 'Select the database that holds the files');
  await stage.window.pick('Type or paste ids', 'Where are the ids?');
  await stage.window.quickInput.type('OBS:run-0001.fits, OBS:broken, OBS:run-0002.fits, OBS:lost-1', 'Ids of files');
  await stage.window.quickInput.accept();
}

const states: readonly State[] = [
  {
    name: 'searches-refused',
    steps: async (stage) => {
      await connect(stage);
      stage.service.http.on(filesRoute, refuse);
      await searchAll(stage);
      await seeRow(stage.databases, 'Genome Portal', 'special queries');
    },
  },
  {
    name: 'searches-left-out',
    steps: async (stage) => {
      await stage.window.command('Data Transfer: Clear Results');
      await tidy(stage);
      await searchAll(stage);
      await seeRow(stage.results, '2 databases left out');
    },
  },
  {
    name: 'searches-bounded',
    steps: async (stage) => {
      await stage.window.command('Data Transfer: Clear Results');
      await tidy(stage);
      stage.service.http.on(filesRoute, repeat);
      await search(stage, 'Sensor Readings', 'run');
      await (await stage.results.row('“run”')).menu('Load All');
      await stage.results.row('Stopped after three pages without a new file; there may be more.');
    },
  },
  {
    name: 'searches-ids-failed',
    steps: async (stage) => {
      await stage.window.command('Data Transfer: Clear Results');
      await tidy(stage);
      stage.service.http.on(idsRoute, lookUp);
      await findIds(stage);
      await (await stage.results.row('1 ID could not be looked up')).expand();
      await seeRow(stage.results, 'OBS:broken');
    },
  },
  {
    name: 'searches-ids-down',
    steps: async (stage) => {
      await stage.window.command('Data Transfer: Clear Results');
      await tidy(stage);
      stage.service.http.on(idsRoute, problem(503, "Cannot reach database 'obs': unavailable"));
      await findIds(stage);
      await seeRow(stage.results, 'The service failed');
    },
  },
];

/** Shows what is refused, left out, or could not be looked up. */
export const refusalStates = scene('refusals', { connections: [serviceName] }, states);
