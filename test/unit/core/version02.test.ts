import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeResult } from '../../../src/cli/text/transferText.ts';
import { parseRecord } from '../../../src/core/transfers/recordFiles.ts';
import { canSubmitAgain, type Transfer } from '../../../src/core/model/transferModel.ts';
import { isUnsent, wasSent } from '../../../src/core/model/transferOutcome.ts';
import { json } from '../../support/faultBehaviors.ts';
import { createRecord } from './recordSpecimens.ts';
import { Rig } from './rig.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const problem = { kind: 'badArgument', detail: 'Cannot read properties of undefined' } as const;
const changes = [
  { state: 'submitting', at: 1 },
  { state: 'refused', at: 2 },
] as const;

/** A record of version 0.2, which called any error of its own, also one after sending, an argument that isn't valid. */
const refused = createRecord(1, { id: undefined, state: 'refused', changes, problem });

function read(transfer: Transfer): Transfer {
  const result = parseRecord(JSON.stringify({ version: 1, transfer }));
  assert.ok(result.kind === 'transfer');
  return result.transfer;
}

describe('A submission that version 0.2 recorded as refused because of an argument', () => {
  it('is unclear, because it may have been sent, and says where to look', () => {
    const found = read(refused);
    assert.deepEqual([found.state, found.problem, found.id], ['notConfirmed', problem, undefined]);
    assert.deepEqual([isUnsent(found), wasSent(found), canSubmitAgain(found)], [false, true, true]);
    assert.deepEqual(
      found.changes.map(({ state, at }) => [state, at]),
      [
        ['submitting', 1],
        ['notConfirmed', 2],
      ],
    );
    const text = describeResult(found);
    assert.match(text, /it's unclear whether the service started it: Cannot read .*\. .*Check the destination for/);
    assert.doesNotMatch(text, /not sent|start the transfer again/);
  });

  it('stays refused if it has another reason, if this version recorded it, or if it was submitted again', () => {
    for (const other of [
      { ...refused, sendingAt: 0 },
      { ...refused, problem: { kind: 'notConnected' } as const },
      { ...refused, replacedBy: 'k' },
    ])
      assert.deepEqual(read(other), other);
  });

  describe('in the ledger', () => {
    let rig: Rig;
    beforeEach(async () => {
      rig = await Rig.start();
      const folder = join(rig.folder, 'transfers', 'ended');
      await mkdir(folder, { recursive: true });
      const order = { ...rig.order, connectionId: 'c' };
      const record = { version: 1, transfer: { ...refused, order } };
      await writeFile(join(folder, `${refused.key}.json`), JSON.stringify(record));
      rig.server.on('POST /api/v1/transfers', json({ id }, 201));
      rig.server.on('GET /api/v1/transfers/*', json({ id, status: 'active' }));
      await rig.connect();
      await rig.explorer.transferFlow.resume();
      await rig.explorer.transferFlow.loadFinished();
    });
    afterEach(() => rig.end());

    /** Returns the transfer as the next window reads it. */
    async function readAgain(): Promise<Transfer | undefined> {
      rig.restart();
      await rig.explorer.transferFlow.resume();
      await rig.explorer.transferFlow.loadFinished();
      return rig.explorer.transferStore.get(refused.key);
    }

    it('awaits a decision of the user, also in the next window', async () => {
      const isListed = ({ key }: Transfer): boolean => key === refused.key;
      assert.equal(rig.explorer.transferStore.getNotConfirmed().some(isListed), true);
      assert.equal((await readAgain())?.state, 'notConfirmed');
    });

    it('can be submitted again, after which it never started', async () => {
      const again = await rig.explorer.transferFlow.submit(rig.order, refused.key);
      const replaced = await readAgain();
      assert.deepEqual([replaced?.state, replaced?.replacedBy], ['refused', again.key]);
    });

    it('can be marked as started', async () => {
      await rig.explorer.trackFlow.confirm(refused.key, id, { id, status: 'active' });
      const started = await readAgain();
      assert.deepEqual([started?.state, started?.id], ['active', id]);
    });
  });
});
