import assert from 'node:assert/strict';
import type { ThemeIcon } from 'vscode';
import type { StoreListing } from '../../src/core/model/databaseModel.ts';
import { ConnectionStore } from '../../src/core/connections/connectionStore.ts';
import type { DatabaseTree } from '../../src/extension/features/connections/databaseTree.ts';
import { databaseTree } from './specimens.ts';

describe('The row of a store (D62)', () => {
  const asOf = new Date().toISOString();
  const cases: [what: string, listing: StoreListing, row: RegExp, tooltip: RegExp, icon: string][] = [
    ['is being scanned', { state: 'scanning', files: 0 }, /^scanning…$/, /^Alpha/, 'cloud'],
    [
      'is scanned',
      { state: 'scanning', files: 0, scanned: 120_000 },
      /^scanning: 120,000 files so far$/,
      /^Alpha/,
      'cloud',
    ],
    ['is listed', { state: 'listed', files: 2, asOf }, /^as of /, /2 files, as of [^\n]*$/, 'cloud'],
    ['has free space', { state: 'listed', files: 2, asOf, freeBytes: 3e9 }, /^as of /, /\n3 GB free$/, 'cloud'],
    ['has failed', { state: 'failed', files: 0, problem: 'a\nb' }, /^can't be listed$/, /failed: a b$/, 'warning'],
  ];
  it('shows the progress of the first scan of a folder, which remains a folder (D51)', () => {
    const store = new ConnectionStore();
    const listing: StoreListing = { state: 'scanning', files: 0, scanned: 120_000 };
    const databases = [{ id: 'a', name: 'Alpha', organization: 'One', url: 'file:///data/alpha', listing }];
    store.setListing({ databases, isLoading: false });
    const tree = databaseTree(store);
    const item = tree.getTreeItem({ kind: 'database', name: 'Alpha' });
    tree.dispose();
    const { id } = item.iconPath as ThemeIcon;
    assert.deepEqual([item.description, id], ['scanning: 120,000 files so far', 'database']);
    assert.doesNotMatch(String(item.contextValue), /store/);
  });

  describe("that can't be listed", () => {
    const saved = 'rclone:lab:';
    let store: ConnectionStore;
    let tree: DatabaseTree;
    beforeEach(() => {
      store = new ConnectionStore();
      tree = databaseTree(store, undefined, [saved]);
    });
    afterEach(() => tree.dispose());

    const connect = (): void => {
      const connection = { id: 'c', name: 'Test service', server: 'http://127.0.0.1:1' };
      store.setState({ kind: 'connected', connection, service: { address: '', name: '', version: '1' } });
    };
    const show = (url: string, problem?: string, names = ['Alpha']): string | undefined => {
      const listing: StoreListing = { state: 'failed', files: 0, ...(problem !== undefined && { problem }) };
      const databases = names.map((name) => ({ id: name, name, organization: 'One', url, listing }));
      store.setListing({ databases, isLoading: false });
      return tree.message;
    };

    it('is explained above all rows, with the remedy', () => {
      assert.equal(show(saved, 'its server\ndenies access'), undefined, 'not connected');
      connect();
      const remedy = 'Once that is fixed, choose Scan Store Again in the menu of the row.';
      assert.equal(
        show(saved, 'its server\ndenies access'),
        `Alpha can't be listed: its server denies access. ${remedy}`,
      );
      assert.equal(show(saved), `Alpha can't be listed. ${remedy}`);
      store.setListing({ databases: [], isLoading: false });
      assert.equal(tree.message, undefined);
    });

    it('is explained without a remedy that its row does not offer', () => {
      connect();
      assert.equal(show('rclone:configured:'), "Alpha can't be listed.", 'a store that these settings do not list');
      assert.equal(show('file:///data/alpha'), "Alpha can't be listed.", 'a folder');
    });

    it('is counted if more than three are', () => {
      connect();
      const message = show('rclone:configured:', undefined, ['A', 'B', 'C', 'D', 'E']);
      assert.equal(message, "A can't be listed. B can't be listed. C can't be listed. (2 more)");
    });
  });

  for (const [what, listing, row, tooltip, icon] of cases) {
    it(`shows that the store ${what}, with the matching icon`, () => {
      const store = new ConnectionStore();
      const databases = [{ id: 'a', name: 'Alpha', organization: 'One', url: 'rclone:lab:', listing }];
      store.setListing({ databases, isLoading: false });
      const tree = databaseTree(store);
      const item = tree.getTreeItem({ kind: 'database', name: 'Alpha' });
      tree.dispose();
      assert.match(String(item.description), row);
      assert.match(typeof item.tooltip === 'string' ? item.tooltip : '', tooltip);
      const { id, color } = item.iconPath as ThemeIcon;
      assert.deepEqual([id, color?.id], [icon, icon === 'warning' ? 'problemsWarningIcon.foreground' : undefined]);
    });
  }
});
