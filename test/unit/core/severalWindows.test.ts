import assert from 'node:assert/strict';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Explorer } from '../../../src/core/explorer.ts';
import { withState, type Transfer } from '../../../src/core/model/transferModel.ts';
import { eventually } from '../../support/eventually.ts';
import { json, silence } from '../../support/faultBehaviors.ts';
import { Rig, until } from './rig.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';

describe('Several windows', () => {
  let rig: Rig;
  let one: Explorer;
  let other: Explorer;

  beforeEach(async () => {
    rig = await Rig.start();
    rig.server.on('POST /api/v1/transfers', json({ id }, 201));
    rig.server.on('GET /api/v1/transfers/*', silence());
    one = rig.explorer;
    other = rig.openWindow();
    await Promise.all([one.transferFlow.resume(), other.transferFlow.resume()]);
  });
  afterEach(() => rig.end());

  const waitFor = async (explorer: Explorer, key: string, isMet: (transfer: Transfer) => boolean): Promise<Transfer> =>
    await eventually(() => {
      const transfer = explorer.transferStore.get(key);
      return Promise.resolve(transfer && isMet(transfer) ? transfer : undefined);
    });

  it('show what one of them submits, and its progress', async () => {
    await rig.connect();
    const { key } = await one.transferFlow.submit(rig.order);
    assert.equal((await waitFor(other, key, ({ state }) => state === 'accepted')).id, id);
    const active = { ...withState(getTransfer(one, key), 'active', 5), askedAt: 5, status: { status: 'active' } };
    await one.transferFlow.save(active);
    await waitFor(other, key, ({ askedAt }) => askedAt === 5);
    await one.transferFlow.save({ ...active, askedAt: 9 });
    assert.deepEqual(await waitFor(other, key, ({ askedAt }) => askedAt === 9), getTransfer(one, key));
    await one.transferFlow.save({ ...withState(active, 'succeeded', 11), askedAt: 11 });
    await waitFor(other, key, ({ state }) => state === 'succeeded');
  });

  it('don\'t call a submission "not confirmed" while another window waits for its response (D12)', async () => {
    await rig.connect();
    rig.server.on('POST /api/v1/transfers', silence());
    void one.transferFlow.submit(rig.order);
    await rig.server.received(3);
    const third = rig.openWindow();
    await third.transferFlow.resume();
    assert.equal(third.transferStore.getRunning()[0]?.state, 'submitting');
    const [lock = ''] = await readdir(join(rig.folder, 'transfers', 'submitting'));
    for (let turn = 0; turn < 10; turn += 1) {
      await rig.clock.pass(3_000);
      await eventually(async () => {
        const text = await readFile(join(rig.folder, 'transfers', 'submitting', lock), 'utf8');
        return (JSON.parse(text) as { at: number }).at === rig.clock.now() || undefined;
      });
    }
    assert.equal(third.transferStore.getRunning()[0]?.state, 'submitting');
  });

  it('call it "not confirmed" when that window has closed without a response (D12)', async () => {
    const key = 'left';
    const lost: Transfer = { ...createAccepted(rig, key), state: 'submitting' };
    await one.transferFlow.save(lost);
    await waitFor(other, key, ({ state }) => state === 'submitting');
    await rig.clock.pass(3_000);
    assert.equal((await waitFor(other, key, ({ state }) => state === 'notConfirmed')).problem?.kind, 'dropped');
  });

  it('share the removal and restoration of transfers', async () => {
    const ended = withState(createAccepted(rig, 'k'), 'failed', 7);
    await one.transferFlow.save(ended);
    await waitFor(other, 'k', () => true);
    await one.transferFlow.forget(['k']);
    await until(other.transferStore.onDidChange, () => other.transferStore.get('k') === undefined);
    await other.transferFlow.restore(['k']);
    await waitFor(one, 'k', ({ state }) => state === 'failed');
  });

  it('keep the end that one of them saw, whatever another writes later', async () => {
    const active = withState(createAccepted(rig, 'k'), 'active', 2);
    await one.transferFlow.save(active);
    await waitFor(other, 'k', () => true);
    await Promise.all([
      one.transferFlow.save(withState(active, 'succeeded', 3)),
      other.transferFlow.save({ ...active, askedAt: 9 }),
    ]);
    for (const explorer of [one, other]) await waitFor(explorer, 'k', ({ state }) => state === 'succeeded');
    assert.deepEqual(await readdir(join(rig.folder, 'transfers', 'running')), []);
  });

  it('rewrite a running record that was deleted manually', async () => {
    await one.transferFlow.save(withState(createAccepted(rig, 'k'), 'active', 2));
    const file = join(rig.folder, 'transfers', 'running', 'k.json');
    await rm(file);
    await eventually(async () =>
      (await readdir(join(rig.folder, 'transfers', 'running'))).length > 0 ? 1 : undefined,
    );
    assert.equal(getTransfer(one, 'k').state, 'active');
  });

  describe("if the ledger can't be written", () => {
    const ledger = (): string => join(rig.folder, 'transfers');

    /** Replaces the ledger folder with a file, so that even root can't write to it. */
    const blockLedger = async (): Promise<void> => {
      await rename(ledger(), `${ledger()} away`);
      await writeFile(ledger(), '');
    };
    const restoreLedger = async (): Promise<void> => {
      await rm(ledger());
      await rename(`${ledger()} away`, ledger());
    };

    it('keep changes, report that once, and write them when it works again', async () => {
      const reasons: unknown[] = [];
      one.unsaved.onDidFail((reason) => reasons.push(reason));
      const active = withState(createAccepted(rig, 'k'), 'active', 2);
      await one.transferFlow.save(active);
      await blockLedger();
      await one.transferFlow.save({ ...active, cancelAcceptedAt: 4 });
      await one.transferFlow.save(withState(createAccepted(rig, 'another'), 'failed', 5));
      assert.equal(getTransfer(one, 'another').state, 'failed');
      await restoreLedger();
      assert.equal(reasons.length, 1);
      await rig.clock.pass(2_000);
      const later = rig.openWindow();
      await eventually(async () =>
        (await readdir(join(ledger(), 'ended'))).includes('another.json') ? true : undefined,
      );
      await later.transferFlow.resume();
      await later.transferFlow.loadFinished();
      assert.equal(later.transferStore.get('k')?.cancelAcceptedAt, 4);
      assert.equal(later.transferStore.get('another')?.state, 'failed');
      assert.equal(rig.log.lines.filter((line) => line.includes('could not be written')).length, 1);
    });

    it('write retained changes as soon as any write succeeds', async () => {
      await one.transferFlow.save(withState(createAccepted(rig, 'k'), 'active', 2));
      await blockLedger();
      await one.transferFlow.save(withState(createAccepted(rig, 'k'), 'failed', 5));
      await restoreLedger();
      await one.transferFlow.save(withState(createAccepted(rig, 'another'), 'active', 6));
      await waitFor(other, 'k', ({ state }) => state === 'failed');
    });
  });
});

describe('Several windows if the system reports no changes', () => {
  it('see within five seconds what one of them submits, how it ends, and that it is removed', async () => {
    const rig = await Rig.start();
    const [one, other] = [rig.explorer, rig.openWindow()];
    const getTransfer = ({ transferStore }: Explorer): Transfer | undefined => transferStore.get('k');
    const timersPerWindow = ['check of the running folder', 'check of the ended folder', 'cleanup'].length;
    const passFiveSeconds = async (condition: () => boolean): Promise<void> => {
      await eventually(() => Promise.resolve(rig.clock.waitingCount === 2 * timersPerWindow || undefined));
      await rig.clock.pass(5_000);
      await eventually(() => Promise.resolve(condition() || undefined));
    };
    try {
      // A folder that cannot be created cannot be watched.
      await writeFile(join(rig.folder, 'transfers'), '');
      await Promise.all([one.transferFlow.resume(), other.transferFlow.resume()]);
      await passFiveSeconds(() => true);
      await rm(join(rig.folder, 'transfers'));
      await one.transferFlow.save(createAccepted(rig, 'k'));
      await passFiveSeconds(() => getTransfer(other)?.state === 'accepted');
      await one.transferFlow.save(withState(createAccepted(rig, 'k'), 'failed', 7));
      await passFiveSeconds(() => getTransfer(other)?.state === 'failed');
      await one.transferFlow.forget(['k']);
      await passFiveSeconds(() => getTransfer(other) === undefined);
    } finally {
      await rig.end();
    }
  });
});

function createAccepted(rig: Rig, key: string): Transfer {
  return { key, order: rig.order, createdAt: 1, state: 'accepted', changes: [{ state: 'accepted', at: 1 }] };
}

function getTransfer({ transferStore }: Explorer, key: string): Transfer {
  const transfer = transferStore.get(key);
  assert.ok(transfer);
  return transfer;
}
