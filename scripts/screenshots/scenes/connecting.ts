import { json, problem, silence } from '../../../test/support/faultBehaviours.ts';
import { connect, mistype, seeError, seeRow, serviceName, tidy } from '../hands.ts';
import { scene, type State } from '../scene.ts';
import type { Stage } from '../stage.ts';

const command = 'Data Transfer: Connect to a Service…';
const listing = 'GET /api/v1/databases';

/** Begins to connect, and goes as far as the key. */
async function askKey({ window, service }: Stage): Promise<void> {
  await window.command(command);
  await window.input(service.http.address, /1\/4/);
  await window.quickInput.type('the key', /3\/4/);
}

const firstStepsStates: readonly State[] = [
  { name: 'databases-not-connected', steps: ({ databases }) => databases.welcome() },
  {
    name: 'walkthrough',
    steps: async ({ window }) => {
      await window.command('Welcome: Open Walkthrough...');
      await window.pick(/Find and Transfer Research Files/);
      await window.page.getByText('From a database of files to another one').first().waitFor();
    },
  },
  {
    name: 'connect-1-address',
    steps: async ({ window }) => {
      await window.command('View: Close All Editors');
      await window.command(command);
      await window.quickInput.wait(/1\/4/);
    },
  },
  { name: 'connect-1-error', steps: (stage) => mistype(stage, 'dts.example.org', /1\/4/) },
  {
    name: 'connect-1-unencrypted',
    steps: async ({ window }) => {
      await window.input('http://dts.example.org');
      await window.quickInput.wait('unencrypted');
    },
  },
  {
    name: 'connect-2-port',
    steps: async ({ window }) => {
      await window.pick('Enter an address with https://');
      await window.input('https://dts.example.org', /1\/4/);
      await window.quickInput.wait(/2\/4/);
    },
  },
  { name: 'connect-2-error', steps: (stage) => mistype(stage, '99999', /2\/4/) },
  {
    name: 'connect-3-key',
    steps: async ({ window }) => {
      await window.input('', /2\/4/);
      await window.quickInput.wait(/3\/4/);
    },
  },
  {
    name: 'connect-3-trying',
    steps: async (stage) => {
      await tidy(stage);
      stage.service.http.on('GET /', silence());
      await askKey(stage);
      await stage.window.quickInput.accept();
    },
  },
  {
    name: 'connect-3-refused',
    steps: async (stage) => {
      await tidy(stage);
      stage.service.http.on('GET /', json({ name: serviceName, version: '2.4.0' })).on(listing, problem(401, 'no'));
      await askKey(stage);
      await stage.window.quickInput.accept();
      await seeError(stage);
    },
  },
  {
    name: 'connect-4-orcid',
    steps: async (stage) => {
      await tidy(stage);
      stage.service.listDatabases();
      await askKey(stage);
      await stage.window.quickInput.accept();
      await stage.window.quickInput.wait(/4\/4/);
    },
  },
  { name: 'connect-4-error', steps: (stage) => mistype(stage, '0000-0002-1825-0098', /4\/4/) },
  {
    name: 'databases-local-service',
    steps: async (stage) => {
      await tidy(stage);
      await stage.databases.welcomeButton('Start the Local Service');
      await seeRow(stage.databases, 'Sample Data');
    },
  },
  {
    name: 'databases-local-service-stopped',
    steps: async (stage) => {
      await stage.stopLocalService();
      await seeRow(stage.databases, 'The local service was stopped');
    },
  },
];

/** A person without any service: the welcome, the walkthrough, the steps of connecting, and the local service. */
export const firstSteps = scene('first steps', {}, firstStepsStates);

/** Chooses another of the saved services. */
async function change({ window }: Stage, name: string): Promise<void> {
  await window.command('Data Transfer: Switch Connection…');
  await window.pick(name, 'Select a service to connect to');
}

const connectionsStates: readonly State[] = [
  {
    name: 'connections-several',
    steps: async ({ window }) => {
      await window.command('Data Transfer: Switch Connection…');
      await window.quickInput.wait('Select a service to connect to');
    },
  },
  {
    name: 'databases-connecting',
    steps: async (stage) => {
      await tidy(stage);
      stage.service.http.on('GET /', silence());
      await change(stage, 'Backup Site');
      await seeRow(stage.databases, 'Connecting…');
    },
  },
  {
    name: 'databases-failed',
    steps: async (stage) => {
      stage.service.http.on('GET /', json({ name: serviceName, version: '2.4.0' }));
      stage.service.http.on(listing, problem(500, 'the catalogue is being rebuilt'));
      await change(stage, 'Sequencing Centre');
      await seeRow(stage.databases, 'The service failed');
    },
  },
  {
    name: 'databases-key-refused',
    steps: async (stage) => {
      await tidy(stage);
      stage.service.http.on(listing, problem(401, 'this key is not accepted'));
      await change(stage, 'Backup Site');
      await seeRow(stage.databases, 'The service rejected the API key');
      await stage.window.notifications.wait('the service rejected the API key');
    },
  },
  {
    name: 'databases-unreachable',
    steps: async (stage) => {
      await tidy(stage);
      await stage.service.http.stop();
      await change(stage, 'Sequencing Centre');
      await seeRow(stage.databases, 'cannot be reached');
    },
  },
  {
    name: 'databases-connected',
    steps: async (stage) => {
      await tidy(stage);
      await stage.service.http.startAgain();
      stage.service.listDatabases();
      await connect(stage);
    },
  },
  {
    name: 'databases-parameters',
    steps: async ({ databases }) => {
      await (await databases.row('Observatory Archive')).expand();
      await seeRow(databases, 'Search parameters: instrument');
      await (await databases.row('Vega Datasets')).expand();
      await seeRow(databases, 'No search parameters of its own');
    },
  },
  {
    name: 'databases-tooltip',
    isPointerKept: true,
    steps: async ({ databases }) => (await databases.row(/^Search parameters/)).tooltip(),
  },
  {
    name: 'databases-error',
    steps: async (stage) => {
      stage.service.http.on(listing, problem(500, 'the catalogue is being rebuilt'));
      await stage.databases.action('Refresh Databases');
      await seeRow(stage.databases, 'The service failed');
    },
  },
  {
    name: 'databases-narrow',
    steps: async (stage) => {
      stage.service.listDatabases();
      await stage.databases.action('Refresh Databases');
      await seeRow(stage.databases, 'Vega Datasets');
      await stage.narrow();
    },
  },
  {
    name: 'databases-none',
    steps: async (stage) => {
      stage.service.http.on(listing, json([]));
      await stage.databases.action('Refresh Databases');
      await seeRow(stage.databases, 'no databases');
    },
  },
  {
    name: 'notice-forgotten',
    steps: async ({ window }) => {
      await window.command('Data Transfer: Forget Connection…');
      await window.pick('Backup Site');
      await window.notifications.wait('Forgot Backup Site and its key.');
    },
  },
];

/** Services that are saved: how they are connected to, and what their databases look like. */
export const connections = scene(
  'connections',
  { connections: [serviceName, 'Backup Site', 'Sequencing Centre'] },
  connectionsStates,
);

const untrustedStates: readonly State[] = [
  {
    name: 'databases-untrusted',
    steps: async ({ databases, window }) => {
      await databases.welcome();
      await window.page.getByText('You have not trusted this workspace').waitFor();
    },
  },
];

/** A workspace that is not trusted. */
export const untrusted = scene(
  'untrusted',
  {
    asksForTrust: true,
    settings: { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never' },
  },
  untrustedStates,
);
