import assert from 'node:assert/strict';
import { EventEmitter, TreeItem } from 'vscode';
import { LazyTree } from '../../src/extension/views/sideBar.ts';

describe('Changes to a tree', () => {
  const changed = new EventEmitter<string | undefined>();
  let lazy: LazyTree<string>;
  let reported: unknown[];
  beforeEach(() => {
    lazy = new LazyTree(async () =>
      lazy.fill({
        onDidChangeTreeData: changed.event,
        getChildren: () => ['first', 'second'],
        getTreeItem: (row) => new TreeItem(row),
      }),
    );
    reported = [];
    lazy.onDidChangeTreeData((row) => reported.push(row));
  });
  afterEach(() => lazy.dispose());
  after(() => changed.dispose());

  async function fire(...rows: (string | undefined)[]): Promise<unknown[]> {
    for (const row of rows) changed.fire(row);
    await lazy.whenReported();
    return reported.splice(0);
  }

  it('are reported row by row', async () => {
    await lazy.getChildren();
    assert.deepEqual(await fire('second', 'first'), ['second', 'first']);
  });

  it('are not reported again while the editor is about to request all rows', async () => {
    await lazy.getChildren();
    assert.deepEqual(await fire('first', undefined, 'second', undefined), ['first', undefined]);
    await lazy.getChildren('first');
    assert.deepEqual(await fire('second', undefined), []);
    await lazy.getChildren();
    assert.deepEqual(await fire('second', undefined), ['second', undefined]);
  });
});
