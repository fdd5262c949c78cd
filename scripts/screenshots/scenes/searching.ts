import { problem, silence } from '../../../test/support/faultBehaviours.ts';
import { askSearch, check, connect, mistype, search, seeRow, serviceName, tidy } from '../hands.ts';
import { scene, type State } from '../scene.ts';

const route = 'POST /api/v1/files';
const options = 'Press Enter to search';

const searchStepsStates: readonly State[] = [
  { name: 'searches-none', steps: connect },
  {
    name: 'search-1-database',
    steps: async ({ window }) => {
      await window.command('Data Transfer: Search Files…');
      await window.quickInput.wait(/1\/3/);
    },
  },
  {
    name: 'search-2-words',
    steps: async ({ window }) => {
      await window.pick('Observatory Archive');
      await window.quickInput.type('night of march', /2\/3/);
    },
  },
  {
    name: 'search-3-options',
    steps: async ({ window }) => {
      await window.quickInput.accept();
      await window.quickInput.wait(/3\/3/);
    },
  },
  {
    name: 'search-3-status',
    steps: async ({ window }) => {
      await window.pick('Status');
      await window.quickInput.wait('Unstaged files may first be fetched');
    },
  },
  {
    name: 'search-3-page-size',
    steps: async (stage) => {
      await stage.window.pick('Staged');
      await stage.window.pick('Files a page', options);
      await mistype(stage, '0', 'How many files');
    },
  },
  {
    name: 'search-3-parameter',
    steps: async ({ window }) => {
      await window.input('50');
      await window.pick('instrument', options);
      await window.quickInput.wait('Value of instrument');
    },
  },
  {
    name: 'search-3-number',
    steps: async (stage) => {
      await stage.window.pick('camera');
      await stage.window.pick('exposure', options);
      await mistype(stage, 'long', 'Value of exposure');
    },
  },
  {
    name: 'search-3-filled',
    steps: async ({ window }) => {
      await window.input('120');
      await window.quickInput.wait(options);
    },
  },
  {
    name: 'search-3-json',
    steps: async (stage) => {
      await tidy(stage);
      await askSearch(stage, 'Vega Datasets', 'weather');
      await stage.window.pick('Parameters as JSON', options);
      await mistype(stage, '{"sort": ', 'Search parameters of this database');
    },
  },
  {
    name: 'search-1-recent',
    steps: async (stage) => {
      await tidy(stage);
      await search(stage, 'Vega Datasets', 'weather');
      await search(stage, 'Vega Datasets', 'flights');
      await stage.window.command('Data Transfer: Search Files…');
      await stage.window.quickInput.wait(/1\/3/);
    },
  },
  {
    name: 'ids-1-source',
    steps: async (stage) => {
      await tidy(stage);
      await stage.window.command('Data Transfer: Find Files by Id…');
      await stage.window.pick('Observatory Archive', 'Select the database that holds the files');
      await stage.window.quickInput.wait('Where are the ids?');
    },
  },
  {
    name: 'ids-2-typed',
    steps: async ({ window }) => {
      await window.pick('Type or paste ids');
      await window.quickInput.type('OBS:run-0001.fits, OBS:run-0002.fits, OBS:lost-1, OBS:lost-2', 'Ids of files');
    },
  },
  {
    name: 'searches-ids',
    steps: async ({ window, results }) => {
      await window.quickInput.accept();
      await seeRow(results, '2 IDs not found');
      await (await results.row('2 IDs not found')).expand();
      await seeRow(results, 'OBS:lost-2');
    },
  },
  {
    name: 'ids-3-column',
    steps: async ({ window }) => {
      await window.command('Data Transfer: Find Files by Id…');
      await window.pick('Observatory Archive', 'Select the database that holds the files');
      await window.pick('Column of a CSV file…', 'Where are the ids?');
      await window.pick('ids.csv', 'Select the file that holds the ids');
      await window.quickInput.wait('Select the column');
    },
  },
];

/** What a search asks. */
export const searchSteps = scene('search steps', { connections: [serviceName] }, searchStepsStates);

const searchesStates: readonly State[] = [
  {
    name: 'searches-loading',
    steps: async (stage) => {
      await connect(stage);
      stage.service.http.on(route, silence());
      await askSearch(stage, 'Vega Datasets', 'weather');
      await stage.window.pick('Search', /3\/3/);
      await seeRow(stage.results, 'Searching…');
    },
  },
  {
    name: 'searches-stopped',
    steps: async ({ results }) => {
      await (await results.row('“weather”')).action('Stop Search');
      await seeRow(results, 'Stopped');
    },
  },
  {
    name: 'searches-failed',
    steps: async (stage) => {
      stage.service.http.on(route, problem(500, 'the index is being rebuilt'));
      await search(stage, 'Vega Datasets', 'penguins', /Vega/);
      await seeRow(stage.results, 'The service failed');
    },
  },
  {
    name: 'searches-nothing',
    steps: async (stage) => {
      await tidy(stage);
      stage.service.answerSearches();
      await search(stage, 'Vega Datasets', 'unicorns', /Vega/);
      await seeRow(stage.results, 'No files found.');
    },
  },
  {
    name: 'notice-undo',
    steps: async ({ results, window }) => {
      await results.action('Clear Results');
      await window.notifications.wait('Dismissed 3 searches.');
    },
  },
  {
    name: 'searches-results',
    steps: async (stage) => {
      await tidy(stage);
      await search(stage, 'Vega Datasets', 'flights');
      await check(stage, 'flights-2k.json', 'flights-5k.json');
    },
  },
  {
    name: 'searches-tooltip',
    isPointerKept: true,
    steps: async ({ results }) => (await results.row('flights-2k.json')).tooltip(),
  },
  {
    name: 'search-sort',
    steps: async ({ window }) => {
      await window.command('Data Transfer: Sort Results…');
      await window.quickInput.wait('Sort the files of');
    },
  },
  {
    name: 'searches-sorted',
    steps: async ({ window, results }) => {
      await window.pick('Size');
      await seeRow(results, '“flights”', 'by size');
    },
  },
  {
    name: 'searches-more',
    steps: async (stage) => {
      await search(stage, 'Sensor Readings', 'run');
      await stage.results.row('100 files loaded; more may exist');
    },
  },
  {
    name: 'searches-parts',
    steps: async (stage) => {
      await tidy(stage);
      await stage.window.command('Data Transfer: Clear Results');
      await search(stage, 'Sensor Readings', 'run');
      await (await stage.results.row('“run”')).menu('Load All');
      await seeRow(stage.results, '“run”', '· 2,400 files');
      await (await stage.results.row('1 – 1,000')).collapse();
      await seeRow(stage.results, '1,001 – 2,000');
    },
  },
  {
    name: 'searches-all-databases',
    steps: async (stage) => {
      await stage.window.command('Data Transfer: Clear Results');
      await tidy(stage);
      await stage.window.command('Data Transfer: Search All Databases…');
      await stage.window.input('weather', /2\/3/);
      await stage.window.pick('Search', /3\/3/);
      await seeRow(stage.results, '“weather”', /\d\+ files/);
      await seeRow(stage.results, '“weather”', /^Sensor Readings/);
    },
  },
  {
    name: 'searches-odd-names',
    steps: async (stage) => {
      await stage.window.command('Data Transfer: Clear Results');
      await tidy(stage);
      await search(stage, 'Odd Names', '');
      await check(stage, 'only-an-id');
    },
  },
  { name: 'searches-narrow', steps: (stage) => stage.narrow() },
];

/** What comes of searches. */
export const searches = scene('searches', { connections: [serviceName] }, searchesStates);
