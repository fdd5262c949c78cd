import assert from 'node:assert/strict';
import type { ThemeIcon } from 'vscode';
import type { StoreListing } from '../../src/core/model/databaseModel.ts';
import { ConnectionStore } from '../../src/core/connections/connectionStore.ts';
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
    ['has failed', { state: 'failed', files: 0, problem: 'a\nb' }, /^can't be listed: a b$/, /failed: a b$/, 'warning'],
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
