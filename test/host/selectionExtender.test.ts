import assert from 'node:assert/strict';
import { SelectionExtender } from '../../src/extension/views/treeViews.ts';

describe('Extending the selection by keyboard', () => {
  const extender = new SelectionExtender({ selection: [] });

  it('ignores only the opening that the editor requests for a row that became the only selected one', async () => {
    const extended = extender.extend('up');
    extender.noteSelection(['row']);
    assert.deepEqual([extender.consumeOpening(), extender.consumeOpening()], [true, false]);
    await extended;
  });

  it('does not ignore an opening if several rows became selected, although Enter then selects one', async () => {
    const extended = extender.extend('down');
    extender.noteSelection(['row']);
    extender.consumeOpening();
    extender.noteSelection(['row', 'next']);
    extender.noteSelection(['next']);
    assert.equal(extender.consumeOpening(), false);
    await extended;
  });

  it('does not ignore an opening after it has ended', async () => {
    await extender.extend('up');
    extender.noteSelection(['row']);
    assert.equal(extender.consumeOpening(), false);
  });
});
