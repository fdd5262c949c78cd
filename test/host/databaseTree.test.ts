import assert from 'node:assert/strict';
import { TreeItemCollapsibleState } from 'vscode';
import type { Database, SearchParameter } from '../../src/core/model/databaseModel.ts';
import type { Reason } from '../../src/core/model/reason.ts';
import { ConnectionStore } from '../../src/core/connections/connectionStore.ts';
import { ParameterStore, SearchabilityStore } from '../../src/core/search/searchabilityStore.ts';
import { DatabaseTree } from '../../src/extension/features/connections/databaseTree.ts';
import { localConnectionId } from '../../src/extension/editor/machine.ts';
import { formatTime } from '../../src/extension/words/localeFormats.ts';
import type { DatabaseTreeNode } from '../../src/extension/views/nodes.ts';
import { problem } from '../support/faultBehaviors.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { databaseTree, getText, formatRow } from './specimens.ts';
import { Stage } from './stage.ts';

const connection = { id: 'c', name: 'Test service', server: 'http://127.0.0.1:1' };
const saved = 'file:///data/lab/';
const service = { address: 'http://127.0.0.1:1', name: 'Test service', version: '1.2.3' };

describe('The database tree', () => {
  let store: ConnectionStore;
  let parameters: ParameterStore;
  let searchability: SearchabilityStore;
  let requested: string[];
  let tree: DatabaseTree;
  beforeEach(() => {
    store = new ConnectionStore();
    requested = [];
    parameters = new ParameterStore();
    searchability = new SearchabilityStore();
    const loadParameters = (name: string): number => requested.push(name);
    tree = new DatabaseTree({ store, parameters, searchability, loadParameters, isSaved: (url) => url === saved });
  });
  afterEach(() => tree.dispose());

  const rows = (parent?: DatabaseTreeNode): string[] =>
    tree.getChildren(parent).map((node) => formatRow(tree.getTreeItem(node)));

  const connectTo = (...databases: readonly Database[]): void => {
    store.setState({ kind: 'connected', connection, service });
    store.setListing({ databases, isLoading: false });
  };

  it('is empty without a connection, so that the welcome view is visible', () => {
    assert.deepEqual(rows(), []);
  });

  it('shows a connecting row', () => {
    store.setState({ kind: 'connecting', connection });
    assert.deepEqual(rows(), ['Test service', 'Connecting…']);
    assert.equal(tree.description, 'signing in…');
  });

  it('shows above the rows why connecting failed and what to do, with a Retry row', () => {
    store.setState({ kind: 'failed', connection, reason: { kind: 'timeout' } });
    assert.deepEqual(rows(), ['Test service', 'Retry']);
    const [first, retry] = tree.getChildren().map((row) => tree.getTreeItem(row));
    const failure =
      "Could not connect: the service didn't respond in time. Test Connection, in the menu of the connection, finds the cause.";
    assert.equal(tree.message, failure);
    assert.equal(first?.accessibilityInformation?.label, `Test service, not connected, ${failure}`);
    assert.deepEqual([retry?.command?.command, retry?.command?.arguments], ['dataTransfer.refreshDatabases', []]);
  });

  const newKey =
    "Try again in a few minutes: the service may be unable to check keys right now. If that doesn't help, set another key.";
  const newAccount = 'Link an ORCID iD to your account on the service, or use the API key of an account that has one.';
  const newOrcid = 'Set your ORCID iD, and check that it belongs to the account of this key.';
  const later = "The service can't check keys at the moment. Try again later.";
  for (const [signIn, detail, title, text, advice, ...remedies] of [
    ['key', 'KBase Auth error: 401', 'key rejected', 'the service rejected the API key', newKey, 'Set API Key…'],
    [
      ...(['account', 'No ORCIDs associated with this user', 'sign-in rejected'] as const),
      ...(['the account for this API key has no ORCID iD', newAccount, 'Set API Key…'] as const),
    ],
    ['orcid', "invalid ORCID 'x'", 'sign-in rejected', 'the service rejected the ORCID iD', newOrcid, 'Set ORCID iD…'],
    ['outage', 'KBase Auth error: 500', 'key not checked', "the service couldn't check the API key", later],
    [
      ...([undefined, 'who $(x) [y](command:z)', 'sign-in rejected'] as const),
      ...(['the service rejected the sign-in', newKey, 'Set API Key…'] as const),
    ],
  ] as const) {
    it(`shows the service's message about the sign-in and a remedy: ${signIn ?? 'unclear'} (D44)`, () => {
      const reason: Reason = { kind: 'unauthorized', status: 401, detail, ...(signIn && { signIn }) };
      store.setState({ kind: 'failed', connection, reason });
      assert.deepEqual(rows(), ['Test service', 'Retry', ...remedies]);
      assert.equal(tree.message, `Could not connect: ${text}: ${detail}. ${advice}`);
      assert.equal(tree.description, title);
    });
  }

  it('shows why the local service could not start, without general advice', () => {
    const local = { ...connection, id: localConnectionId };
    const detail = 'Lab (x): folder must be an absolute path';
    store.setState({ kind: 'failed', connection: local, reason: { kind: 'unreachable', detail } });
    assert.equal(tree.message, `Could not start the local service: ${detail}.`);
    store.setState({ kind: 'failed', connection: local, reason: { kind: 'unreachable' } });
    assert.match(tree.message, /^Could not connect: the service can't be reached\. /);
  });

  it('does not say that a service is responding if only a gateway may be', () => {
    store.setState({ kind: 'failed', connection, reason: { kind: 'serverError', status: 502 } });
    assert.equal(
      tree.message,
      'Could not connect: the service returned an error (502). Try again later, or contact the administrator of the service.',
    );
    store.setState({ kind: 'failed', connection, reason: { kind: 'serverError', status: 500 } });
    assert.match(tree.message, /The service is responding but has a problem\./);
  });

  it('shows that a key that worked before is retried, and only later in the title that it was rejected (D28)', () => {
    connectTo({ id: 'a', name: 'Alpha', organization: 'One', url: '' });
    const reason: Reason = { kind: 'unauthorized', status: 401, signIn: 'key', detail: 'KBase Auth error: 401' };
    store.setDoubt({ ...reason, keyWorked: true });
    const retried = "The service rejected the sign-in. Your key worked before, so it's being retried.";
    assert.deepEqual(rows(), ['Test service', retried, 'Alpha']);
    assert.deepEqual([tree.description, tree.message], ['sign-in rejected', undefined]);
    store.setListing({ ...store.listing, reason: { ...reason, keyWorked: true } });
    assert.deepEqual(rows(), ['Test service', retried, 'Alpha'], 'shown once');
    store.setListing({ databases: store.listing.databases, isLoading: false });
    store.setDoubt(reason);
    const refused = 'the service rejected the API key: KBase Auth error: 401';
    assert.deepEqual(rows(), ['Test service', 'Retry', 'Set API Key…', 'Alpha']);
    assert.equal(tree.description, 'key rejected');
    const message = `Transfer status can't be checked without a valid API key: ${refused}. Try again in a few minutes`;
    assert.ok(tree.message?.startsWith(message), tree.message);
    store.setDoubt(undefined);
    assert.deepEqual([tree.description, tree.message], ['connected', undefined]);
    assert.deepEqual(rows(), ['Test service', 'Alpha']);
  });

  it('offers to set a missing key', () => {
    store.setState({ kind: 'failed', connection, reason: { kind: 'keyMissing' } });
    const [, key, ...others] = tree.getChildren().map((row) => tree.getTreeItem(row));
    assert.deepEqual([key?.label, others], ['Set API Key…', []]);
    assert.deepEqual(
      [key?.command?.command, key?.command?.arguments],
      ['dataTransfer.setApiKey', [{ kind: 'connection', id: connection.id }]],
    );
    assert.equal(
      tree.message,
      'Could not connect: no API key is saved for this connection. Set the API key for this connection.',
    );
  });

  it('shows in its first row the name of the service, whose version is in the tooltip and whose state in the title', () => {
    connectTo(database('Alpha', 'One'));
    const item = tree.getTreeItem({ kind: 'connection' });
    assert.deepEqual([item.label, item.description, tree.description], ['Test service', undefined, 'connected']);
    assert.match(getText(item.tooltip), /^Test service 1\.2\.3\n/);
    assert.equal(item.accessibilityInformation?.label, 'Test service, connected');
  });

  it('shows that the databases are loading', () => {
    store.setState({ kind: 'connected', connection, service });
    store.setListing({ databases: [], isLoading: true });
    assert.deepEqual(rows(), ['Test service', 'Loading…']);
  });

  it('shows that the service has no databases', () => {
    connectTo();
    assert.deepEqual(rows(), ['Test service', 'This service has no databases.']);
  });

  it('lists the databases of one organization without a row for it', () => {
    connectTo(database('Alpha', 'One'), database('Beta', 'One'));
    assert.deepEqual(rows(), ['Test service', 'Alpha', 'Beta']);
  });

  it('shows the organizations of databases when there are several, and a row for one with three databases', () => {
    const few = [database('Alpha', 'One'), database('Beta', 'Two'), database('Gamma', 'One'), database('Delta', '')];
    connectTo(...few);
    const first = 'Test service';
    assert.deepEqual(rows(), [first, 'Alpha | One', 'Gamma | One', 'Beta | Two', 'Delta']);
    assert.equal(tree.getParent({ kind: 'database', name: 'Alpha' }), undefined);
    connectTo(...few, database('Epsilon', 'One'));
    assert.deepEqual(rows(), [first, 'One', 'Beta | Two', 'Delta']);
    assert.deepEqual(rows({ kind: 'organization', name: 'One' }), ['Alpha', 'Gamma', 'Epsilon']);
    assert.deepEqual(tree.getParent({ kind: 'database', name: 'Alpha' }), { kind: 'organization', name: 'One' });
  });

  it('gives each row a unique ID', () => {
    connectTo(database('Alpha', 'One'), database('Beta', 'Two'));
    const nodes = tree
      .getChildren()
      .flatMap((node) => [node, ...(node.kind === 'organization' ? tree.getChildren(node) : [])]);
    const ids = nodes.map((node) => tree.getTreeItem(node).id);
    assert.equal(new Set(ids).size, 3);
  });

  it('shows the requests that a database refuses in its row, and redraws only that row (D38)', () => {
    connectTo(database('Alpha', 'One'), database('Beta', 'One'));
    const [, alpha] = tree.getChildren();
    assert.ok(alpha);
    const drawn: unknown[] = [];
    tree.onDidChangeTreeData((node) => drawn.push(node));
    const learned = { kind: 'notSearchable', detail: 'Search not implemented for kbase database' } as const;
    searchability.set({ connectionId: connection.id, version: service.version }, 'Alpha', learned);
    assert.deepEqual([drawn, rows()], [[alpha], ['Test service', 'Alpha | not searchable', 'Beta']]);
    const said = "This database can't be searched. Server message: Search not implemented for kbase database";
    assert.equal(tree.getTreeItem(alpha).tooltip, `Alpha\nOne\n${said}`);
    searchability.set({ connectionId: connection.id, version: '2' }, 'Beta', { kind: 'wantsQuery' });
    store.setState({ kind: 'connected', connection, service: { ...service, version: '2' } });
    store.setListing({ databases: [database('Alpha', 'One'), database('Beta', 'One')], isLoading: false });
    assert.deepEqual(rows().slice(1), ['Alpha', 'Beta | custom query format']);
  });

  it('requests the search parameters of a database when it is expanded, and lists them (D26)', () => {
    connectTo(database('Alpha', 'One'), database('Beta', 'One'));
    const alpha = tree.getChildren().find((node) => node.kind === 'database');
    assert.ok(alpha);
    assert.equal(tree.getTreeItem(alpha).collapsibleState, TreeItemCollapsibleState.Collapsed);
    assert.deepEqual(rows(alpha), ['List All Files', 'Loading…']);
    assert.deepEqual(requested, ['Alpha']);
    const drawn: unknown[] = [];
    tree.onDidChangeTreeData((node) => drawn.push(node));
    const sort = { type: 'array(string)', values: ['asc', 'desc'] };
    parameters.set('Alpha', { parameters: { d: sort, q: { type: 'string', values: [] } } });
    assert.deepEqual(drawn, [alpha], 'only that database is redrawn');
    assert.deepEqual(rows(alpha), ['List All Files', 'Search parameters: d, q']);
    const [, row] = tree.getChildren(alpha);
    assert.ok(row);
    assert.equal(tree.getTreeItem(row).tooltip, 'd: one of asc, desc\nq: text');
  });

  it('opens a database on a click, and lists its files unless the database is known to reject that', () => {
    connectTo(database('Alpha', 'One'), database('Beta', 'Two'));
    const alpha = { kind: 'database', name: 'Alpha' } as const;
    const { command } = tree.getTreeItem(alpha);
    assert.deepEqual([command?.command, command?.arguments], ['dataTransfer.openDatabase', [alpha]]);
    assert.equal(tree.getParent(alpha), undefined);
    const [list] = tree.getChildren(alpha).map((node) => tree.getTreeItem(node));
    assert.deepEqual([list?.command?.command, list?.command?.arguments], ['dataTransfer.listFiles', [alpha]]);
    searchability.set({ connectionId: connection.id, version: service.version }, 'Alpha', { kind: 'wantsWords' });
    assert.deepEqual(rows(alpha), ['Loading…']);
  });

  it('labels the search parameters of the local service', () => {
    store.setState({ kind: 'connected', connection, service: { ...service, hasFullPages: true } });
    store.setListing({ databases: [database('Alpha', 'One')], isLoading: false });
    parameters.set('Alpha', { parameters: { minBytes: { type: 'number', values: [] } } });
    assert.deepEqual(rows({ kind: 'database', name: 'Alpha' }).slice(1), ['Search parameters: Minimum size']);
  });

  it('limits the tooltip and the accessible label of a database with many parameters (D39)', () => {
    connectTo(database('Alpha', 'One'));
    const many = Array.from({ length: 200 }, (_, index) => [`parameter_${index}`, { type: 'string', values: [] }]);
    parameters.set('Alpha', { parameters: Object.fromEntries(many) as Record<string, SearchParameter> });
    const [, row] = tree.getChildren({ kind: 'database', name: 'Alpha' });
    assert.ok(row);
    const { tooltip, accessibilityInformation } = tree.getTreeItem(row);
    assert.equal(getText(tooltip).split('\n').length, 21);
    const spoken = accessibilityInformation?.label ?? '';
    assert.match(spoken, /^Search parameters: parameter_0, parameter_1, /);
    assert.ok(spoken.length <= 300, `the label has ${spoken.length} characters`);
  });

  it('shows that a database has no search parameters, or the reason why they could not be loaded', () => {
    connectTo(database('Alpha', 'One'));
    parameters.set('Alpha', { parameters: {} });
    assert.deepEqual(rows({ kind: 'database', name: 'Alpha' }), [
      'List All Files',
      'No database-specific search parameters',
    ]);
    parameters.set('Alpha', { parameters: {}, reason: { kind: 'timeout' } });
    assert.deepEqual(rows({ kind: 'database', name: 'Alpha' }).slice(1), [
      "The service didn't respond in time",
      'Retry',
    ]);
    assert.deepEqual(requested, [], 'only Retry sends a request');
  });

  it('does not show a service that does not respond as connected', () => {
    connectTo(database('Alpha', 'One'));
    const at = Date.now();
    store.setProblem({ kind: 'unreachable', code: 'ECONNREFUSED' }, at);
    store.setProblem({ kind: 'timeout' }, at + 3_600_000);
    store.setProblem({ kind: 'unreachable', code: 'ECONNREFUSED' }, at + 3_600_000);
    assert.equal(tree.description, `offline since ${formatTime(at, at)}`);
    assert.equal(rows()[0], 'Test service', 'the title has the state');
    const item = tree.getTreeItem({ kind: 'connection' });
    assert.match(getText(item.tooltip), /\nthe service can't be reached \(ECONNREFUSED\)\n/);
    assert.match(item.accessibilityInformation?.label ?? '', /^Test service, offline since /);
    store.setProblem(undefined, at);
    assert.equal(tree.description, 'connected');
    assert.equal(rows()[0], 'Test service');
  });

  it('does not say that a service is offline if something responds', () => {
    connectTo(database('Alpha', 'One'));
    const at = Date.now();
    const describe = (reason: Reason, problemAt = at): string => {
      store.setProblem(undefined, at);
      store.setProblem(reason, problemAt);
      return tree.description;
    };
    for (const kind of ['unreachable', 'timeout', 'dropped'] as const)
      assert.equal(describe({ kind }), `offline since ${formatTime(at, at)}`);
    for (const kind of ['certificate', 'proxy'] as const)
      assert.equal(describe({ kind }), `not responding since ${formatTime(at, at)}`);
    assert.match(describe({ kind: 'serverError', status: 503 }), /^not responding since /);
    const earlier = at - 2 * 86_400_000;
    assert.equal(describe({ kind: 'timeout' }, earlier), `offline since ${formatTime(earlier, at)}`);
    assert.equal(describe({ kind: 'proxy' }, earlier), `not responding since ${formatTime(earlier, at)}`);
  });

  it('marks the databases from the settings, so that their menu can remove them', () => {
    connectTo({ ...database('Alpha', 'One'), url: saved }, database('Beta', 'One'));
    const kinds = tree.getChildren().map((node) => tree.getTreeItem(node).contextValue);
    assert.deepEqual(kinds, ['connection', 'database.saved', 'database']);
  });

  it('keeps the databases when a refresh fails, and shows the failure above them', () => {
    connectTo(database('Alpha', 'One'));
    store.setListing({ ...store.listing, reason: { kind: 'timeout' } });
    assert.deepEqual(rows().slice(1), ['Retry', 'Alpha']);
    assert.ok(tree.message?.startsWith("Could not list databases: the service didn't respond in time. "));
  });

  it('redraws once for simultaneous changes, and again for later ones', () => {
    let draws = 0;
    const subscription = tree.onDidChangeTreeData(() => (draws += 1));
    connectTo(database('Alpha', 'One'));
    assert.equal(draws, 1);
    tree.getChildren();
    connectTo(database('Beta', 'Two'));
    subscription.dispose();
    assert.equal(draws, 2);
  });
});

describe('Set API Key from the palette', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
  });
  afterEach(() => stage.close());

  it('asks which connection if several are saved, the shown one first', async () => {
    const { settings } = stage.parts;
    const [shown] = settings.connections;
    assert.ok(shown);
    await settings.saveConnection({ id: 'other', name: 'Another', server: 'http://127.0.0.1:1' }, 0);
    const done = stage.run('dataTransfer.setApiKey');
    const pick = await stage.person.pick();
    assert.deepEqual(pick.labels, [shown.name, 'Another']);
    pick.escape();
    await done;
  });
});

describe('The Retry row of the databases', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
  });
  afterEach(() => stage.close());

  const retry = async (): Promise<void> => {
    const tree = databaseTree(stage.parts.connectionStore);
    const row = tree.getChildren().find((node) => node.kind === 'message' && node.icon === 'retry');
    assert.ok(row, 'there is a Retry row');
    await stage.click(tree.getTreeItem(row));
    tree.dispose();
  };

  it('refreshes the databases after a failed listing', async () => {
    const { connectionStore } = stage.parts;
    stage.server.on('GET /api/v1/databases', problem(403, 'not today'));
    await stage.run('dataTransfer.refreshDatabases');
    assert.equal(connectionStore.listing.reason?.kind, 'forbidden');
    assert.equal(connectionStore.listing.databases.length, 3);
    publicLike(stage.server, 'the-key');
    await retry();
    assert.equal(connectionStore.listing.reason, undefined);
  });

  it('reconnects after a failed connection attempt', async () => {
    const { connectionStore, settings, apiKeys, connectFlow } = stage.parts;
    const [connection] = settings.connections;
    assert.ok(connection);
    stage.server.on('GET /', problem(403, 'not today'));
    await connectFlow.open(connection, (await apiKeys.get(connection)) ?? '');
    assert.equal(connectionStore.state.kind, 'failed');
    publicLike(stage.server, 'the-key');
    await retry();
    assert.equal(connectionStore.state.kind, 'connected');
  });
});

function database(name: string, organization: string): Database {
  return { id: name.toLowerCase(), name, organization, url: '' };
}
