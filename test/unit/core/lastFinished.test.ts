import assert from 'node:assert/strict';
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatRecord } from '../../../src/core/transfers/recordFiles.ts';
import { withState, type Transfer } from '../../../src/core/model/transferModel.ts';
import { eventually } from '../../support/eventually.ts';
import { Rig } from './rig.ts';
import { submittingTransfer } from './specimens.ts';

describe('The last finished transfers', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
  });
  afterEach(() => rig.end());

  const ended = withState(submittingTransfer, 'failed', 2);
  const save = async (count: number): Promise<void> => {
    const keys = Array.from({ length: count }, (_, index) => `key-${index}`);
    for (const key of keys) await rig.explorer.transferFlow.save({ ...ended, key });
    rig.restart();
    await rig.explorer.transferFlow.resume();
  };

  it('are loaded without the others, which are loaded on request', async () => {
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

  for (const load of ['loadLastFinished', 'loadFinished'] as const) {
    it(`include one that another window saves when ${load} has read the records (D48)`, async () => {
      await save(25);
      const { transferFlow, transferStore } = rig.explorer;
      await transferFlow[load]();
      writeRecord(rig.folder, { ...withState(submittingTransfer, 'failed', rig.clock.now()), key: 'new' });
      await eventually(() => Promise.resolve(transferStore.get('new')));
    });
  }

  it('are loaded by a call ten seconds later if their folder could not be read', async () => {
    await save(3);
    const { transferFlow, transferStore } = rig.explorer;
    const folder = join(rig.folder, 'transfers', 'ended');
    // Replaces the folder synchronously, because a missing folder would be read as an empty one.
    renameSync(folder, `${folder} away`);
    writeFileSync(folder, 'a file where the folder should be');
    await transferFlow.loadFinished();
    assert.equal(transferStore.hasEarlier, true);
    rmSync(folder);
    renameSync(`${folder} away`, folder);
    await rig.clock.pass(9_999);
    await transferFlow.loadFinished();
    assert.equal(transferStore.hasEarlier, true, 'rows and estimates may call it many times a second');
    await rig.clock.pass(1);
    await transferFlow.loadFinished();
    assert.deepEqual([transferStore.getFinished().length, transferStore.hasEarlier], [3, false]);
  });

  it("include one that another window saves beside a record whose existence can't be determined", async () => {
    await save(3);
    const { transferFlow, transferStore } = rig.explorer;
    await transferFlow.loadFinished();
    const file = join(rig.folder, 'transfers', 'ended', 'endless.json');
    symlinkSync(file, file);
    writeRecord(rig.folder, { ...withState(submittingTransfer, 'failed', rig.clock.now()), key: 'new' });
    await eventually(() => Promise.resolve(transferStore.get('new')));
  });

  it('include none of an earlier session that another window imports, until it is loaded', async () => {
    await save(25);
    const { transferFlow, transferStore } = rig.explorer;
    await transferFlow.loadLastFinished();
    writeRecord(rig.folder, { ...ended, key: 'imported' });
    writeRecord(rig.folder, { ...withState(submittingTransfer, 'failed', rig.clock.now()), key: 'new' });
    await eventually(() => Promise.resolve(transferStore.get('new')));
    assert.equal(transferStore.get('imported'), undefined);
    await transferFlow.loadFinished();
    assert.ok(transferStore.get('imported'));
  });
});

/** Writes the record of an ended transfer synchronously, so that no other code in this process runs meanwhile. */
function writeRecord(folder: string, transfer: Transfer): void {
  writeFileSync(join(folder, 'transfers', 'ended', `${transfer.key}.json`), formatRecord(transfer));
}
