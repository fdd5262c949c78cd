import assert from 'node:assert/strict';
import { withState } from '../../../src/core/model/transferModel.ts';
import { Rig } from './rig.ts';
import { submittingTransfer } from './specimens.ts';

describe('The last finished transfers', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
  });
  afterEach(() => rig.end());

  it('are loaded without the others, which are loaded on request', async () => {
    const save = async (count: number): Promise<void> => {
      const keys = Array.from({ length: count }, (_, index) => `key-${index}`);
      const ended = withState(submittingTransfer, 'failed', 2);
      for (const key of keys) await rig.explorer.transferFlow.save({ ...ended, key });
      rig.restart();
      await rig.explorer.transferFlow.resume();
    };
    const counts = (): unknown => {
      const { transferStore } = rig.explorer;
      return [transferStore.getFinished().length, transferStore.hasEarlier];
    };
    await save(3);
    await rig.explorer.transferFlow.loadLastFinished();
    assert.deepEqual(counts(), [3, false], 'there are no others');
    await save(25);
    await rig.explorer.transferFlow.loadLastFinished();
    assert.deepEqual(counts(), [20, true]);
    await rig.explorer.transferFlow.loadFinished();
    assert.deepEqual(counts(), [25, false]);
  });
});
