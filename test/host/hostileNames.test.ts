import assert from 'node:assert/strict';
import { ConnectionStore } from '../../src/core/connections/connectionStore.ts';
import { ParameterStore } from '../../src/core/search/searchabilityStore.ts';
import { SearchStore } from '../../src/core/search/searchStore.ts';
import { TransferStore } from '../../src/core/transfers/transferStore.ts';
import { TransferTree } from '../../src/extension/features/transfers/transferTree.ts';
import { json, problem } from '../support/faultBehaviors.ts';
import { ManualClock } from '../support/manualClock.ts';
import {
  assertPlain,
  assertPlainRow,
  createSearchTree,
  databaseTree,
  fileEntry,
  hostileTexts,
  getLabel,
  noPlans,
  transfer,
  noVerifications,
} from './specimens.ts';
import { orcid, Stage } from './stage.ts';

describe('Text from a server', () => {
  for (const [what, text] of Object.entries(hostileTexts)) {
    describe(`that contains ${what}`, () => {
      it('is shown as plain text in the rows of the databases', () => {
        const store = new ConnectionStore();
        const parameters = new ParameterStore();
        const tree = databaseTree(store, parameters);
        const connection = { id: 'c', name: `The ${text}`, server: 'http://127.0.0.1:1' };
        const service = { address: 'http://127.0.0.1:1', name: text, version: text };
        store.setState({ kind: 'failed', connection, reason: { kind: 'refused', detail: text } });
        for (const node of tree.getChildren()) assertPlainRow(tree.getTreeItem(node));
        assertPlain(tree.message ?? '', 'the message');
        store.setState({ kind: 'connected', connection, service });
        const databases = [
          { id: text, name: text, organization: text, url: text },
          ...['Gamma', 'Delta'].map((name) => ({ id: name, name, organization: text, url: text })),
          { id: 'b', name: 'Beta', organization: `Another ${text}`, url: '' },
        ];
        store.setListing({ databases, isLoading: false, reason: { kind: 'serverError', detail: text } });
        const roots = tree.getChildren();
        const grouped = roots.flatMap((node) => (node.kind === 'organization' ? tree.getChildren(node) : []));
        const nodes = [...roots, ...grouped];
        assert.equal(nodes.length, 7);
        for (const text of [tree.message, tree.description]) assertPlain(text ?? '', 'a text above the rows');
        parameters.set(text, { parameters: { [text]: { type: text, values: [text] }, b: { type: text, values: [] } } });
        parameters.set('Beta', { parameters: {}, reason: { kind: 'serverError', detail: text } });
        const about = nodes.flatMap((node) => (node.kind === 'database' ? tree.getChildren(node) : []));
        assert.equal(about.length, 9);
        for (const node of [...nodes, ...about]) assertPlainRow(tree.getTreeItem(node));
        tree.dispose();
      });

      it('is shown as plain text in the rows of the search results', () => {
        const store = new SearchStore();
        const tree = createSearchTree(store);
        store.open('s', 'c', { database: `The ${text}`, query: text, pageSize: 10, specific: { given: text } });
        const resource = { id: 'f', sources: [{ title: text }, { path: 5 }], licenses: [{ name: text }, text] };
        const texts = { name: text, path: text, title: text, format: text, mediaType: text, hash: text };
        store.update('s', {
          files: [fileEntry('f', { ...texts, resource }), { kind: 'unreadable', text }],
          missing: [{ id: text, reason: { kind: 'notFound', detail: text } }],
          isLoading: false,
          reason: { kind: 'forbidden', detail: text },
        });
        const roots = tree.getChildren();
        const nodes = [...roots, ...roots.flatMap((node) => tree.getChildren(node))];
        const missing = nodes.flatMap((node) => (node.kind === 'missing' ? tree.getChildren(node) : []));
        assert.equal(nodes.length + missing.length, 8);
        for (const node of [...nodes, ...missing]) {
          assertPlainRow(tree.resolveTreeItem(tree.getTreeItem(node), node));
        }
        tree.dispose();
      });

      it('is shown as plain text in the rows of the transfers', () => {
        const store = new TransferStore();
        const load = (): Promise<void> => Promise.resolve();
        const loads = { loadFinished: load, loadLastFinished: load };
        const tree = new TransferTree({
          store,
          clock: new ManualClock(),
          ...loads,
          plans: noPlans,
          estimate: () => undefined,
          verifications: noVerifications,
        });
        const status = { status: text, message: text, fileCount: 2, movedFileCount: 1 };
        const more = { state: 'running', status, problem: { kind: 'refused', detail: text } } as const;
        store.put([transfer('t', { ...more, id: `id ${text}` }, { source: text, destination: text })]);
        const node = tree.getNode('t');
        assert.ok(node);
        assertPlainRow(tree.getTreeItem(node));
        tree.dispose();
      });
    });
  }

  it('keeps its visible characters', () => {
    const store = new SearchStore();
    const tree = createSearchTree(store);
    store.open('s', 'c', { database: 'Alpha', query: '', pageSize: 10 });
    const names = ['$(alert) x', '<b>bold</b>', '[x](command:y)', 'Größe 数据 données.csv', 'naïve\u0301 🌽'];
    store.update('s', {
      files: names.map((name, index) => fileEntry(`f${index}`, { name })),
      isLoading: false,
      mayHaveMore: false,
    });
    const labels = tree.getChildren(tree.getRoot('s')).map((node) => getLabel(tree.getTreeItem(node)));
    assert.deepEqual(labels, names);
    tree.dispose();
  });
});

describe('Text from a server in notifications and inputs', () => {
  const trick = '$(alert) [click](command:workbench.action.quit)\nnext\u202eline';
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
    stage.server.on('GET /', json({ name: trick, version: trick }));
    stage.server.on(
      'GET /api/v1/databases',
      json(['a', 'b'].map((id) => ({ id, name: `${id} ${trick}`, organization: trick, url: trick }))),
    );
    stage.server.on('POST /api/v1/files', json({ resources: [{ id: 'f', name: trick, path: trick, bytes: 1 }] }));
    stage.server.on('POST /api/v1/transfers', problem(400, trick, [trick]));
  });
  afterEach(() => stage.close());

  it('is neither an icon nor a link nor a second line', async () => {
    const { person } = stage;
    await stage.connect('the-key');
    const found = stage.run('dataTransfer.searchFiles');
    const pick = await person.pick();
    pick.choose(pick.labels[0] ?? '');
    (await person.textBox()).enter(trick);
    await found;
    const [search] = stage.parts.searchStore.getAll();
    assert.equal(search?.files.length, 1);
    await stage.transferAll(pick.labels[1] ?? '');
    const refusal = await person.notice();
    assert.match(refusal.message, /^Could not transfer 1 file to b /);
    const shown = [...person.notices.flatMap(({ message, detail }) => [message, ...detail.split('\n')])];
    for (const text of shown) assertPlain(text, 'a line of a notification');
    for (const { message } of person.notices) assert.doesNotMatch(message, /\$\(|\]\(/);
    const rows = person.inputs.flatMap((input) => ('items' in input ? input.items : []));
    assert.ok(rows.length > 3);
    for (const { label, description = '', detail = '' } of rows) {
      for (const text of [label, description, detail]) {
        assertPlain(text, 'a row to pick');
        assert.doesNotMatch(text, /\$\(|\]\(/);
      }
    }
    assert.equal(stage.parts.settings.orcid, orcid);
  });
});
