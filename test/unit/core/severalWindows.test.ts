import assert from 'node:assert/strict';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Explorer } from '../../../src/core/explorer.ts';
import { inState, type Transfer } from '../../../src/core/model/transfer.ts';
import { eventually } from '../../support/eventually.ts';
import { json, silence } from '../../support/faultBehaviours.ts';
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

  const shown = async (explorer: Explorer, key: string, isSo: (transfer: Transfer) => boolean): Promise<Transfer> =>
    await eventually(() => {
      const transfer = explorer.transferStore.get(key);
      return Promise.resolve(transfer && isSo(transfer) ? transfer : undefined);
    });

  it('show what one of them submits, and how it goes on', async () => {
    await rig.connect();
    const { key } = await one.transferFlow.submit(rig.order);
    assert.equal((await shown(other, key, ({ state }) => state === 'accepted')).id, id);
    const active = { ...inState(transferOf(one, key), 'active', 5), askedAt: 5, status: { status: 'active' } };
    await one.transferFlow.keep(active);
    await shown(other, key, ({ askedAt }) => askedAt === 5);
    await one.transferFlow.keep({ ...active, askedAt: 9 });
    assert.deepEqual(await shown(other, key, ({ askedAt }) => askedAt === 9), transferOf(one, key));
    await one.transferFlow.keep({ ...inState(active, 'succeeded', 11), askedAt: 11 });
    await shown(other, key, ({ state }) => state === 'succeeded');
  });

  it('do not call a submission of another window "not confirmed" while that waits for the answer (D12)', async () => {
    await rig.connect();
    rig.server.on('POST /api/v1/transfers', silence());
    void one.transferFlow.submit(rig.order);
    await rig.server.received(3);
    const third = rig.openWindow();
    await third.transferFlow.resume();
    assert.equal(third.transferStore.running()[0]?.state, 'submitting');
    const [lock = ''] = await readdir(join(rig.folder, 'transfers', 'submitting'));
    for (let turn = 0; turn < 10; turn += 1) {
      await rig.clock.pass(3_000);
      await eventually(async () => {
        const text = await readFile(join(rig.folder, 'transfers', 'submitting', lock), 'utf8');
        return (JSON.parse(text) as { at: number }).at === rig.clock.now() || undefined;
      });
    }
    assert.equal(third.transferStore.running()[0]?.state, 'submitting');
  });

  it('call it "not confirmed" when its window has ended without an answer (D12)', async () => {
    const key = 'left';
    const lost: Transfer = { ...begun(rig, key), state: 'submitting' };
    await one.transferFlow.keep(lost);
    await shown(other, key, ({ state }) => state === 'submitting');
    await rig.clock.pass(3_000);
    assert.equal((await shown(other, key, ({ state }) => state === 'notConfirmed')).problem?.kind, 'dropped');
  });

  it('forget together, and restore together', async () => {
    const ended = inState(begun(rig, 'k'), 'failed', 7);
    await one.transferFlow.keep(ended);
    await shown(other, 'k', () => true);
    await one.transferFlow.forget(['k']);
    await until(other.transferStore.onDidChange, () => other.transferStore.get('k') === undefined);
    await other.transferFlow.restore(['k']);
    await shown(one, 'k', ({ state }) => state === 'failed');
  });

  it('keep the end that one of them saw, whatever the other writes later', async () => {
    const active = inState(begun(rig, 'k'), 'active', 2);
    await one.transferFlow.keep(active);
    await shown(other, 'k', () => true);
    await Promise.all([
      one.transferFlow.keep(inState(active, 'succeeded', 3)),
      other.transferFlow.keep({ ...active, askedAt: 9 }),
    ]);
    for (const explorer of [one, other]) await shown(explorer, 'k', ({ state }) => state === 'succeeded');
    assert.deepEqual(await readdir(join(rig.folder, 'transfers', 'running')), []);
  });

  it('write a running record again that somebody deleted by hand', async () => {
    await one.transferFlow.keep(inState(begun(rig, 'k'), 'active', 2));
    const file = join(rig.folder, 'transfers', 'running', 'k.json');
    await rm(file);
    await eventually(async () =>
      (await readdir(join(rig.folder, 'transfers', 'running'))).length > 0 ? 1 : undefined,
    );
    assert.equal(transferOf(one, 'k').state, 'active');
  });

  describe('when the ledger cannot be written', () => {
    const ledger = (): string => join(rig.folder, 'transfers');

    /** Puts a file where the folder was: also the root user cannot write there then. */
    const away = async (): Promise<void> => {
      await rename(ledger(), `${ledger()} away`);
      await writeFile(ledger(), '');
    };
    const back = async (): Promise<void> => {
      await rm(ledger());
      await rename(`${ledger()} away`, ledger());
    };

    it('keep what happens, say so once, and write it when it can be written again', async () => {
      const reasons: unknown[] = [];
      one.unsaved.onDidFail((reason) => reasons.push(reason));
      const active = inState(begun(rig, 'k'), 'active', 2);
      await one.transferFlow.keep(active);
      await away();
      await one.transferFlow.keep({ ...active, cancelAcceptedAt: 4 });
      await one.transferFlow.keep(inState(begun(rig, 'another'), 'failed', 5));
      assert.equal(transferOf(one, 'another').state, 'failed');
      await back();
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

    it('write what was kept as soon as anything can be written', async () => {
      await one.transferFlow.keep(inState(begun(rig, 'k'), 'active', 2));
      await away();
      await one.transferFlow.keep(inState(begun(rig, 'k'), 'failed', 5));
      await back();
      await one.transferFlow.keep(inState(begun(rig, 'another'), 'active', 6));
      await shown(other, 'k', ({ state }) => state === 'failed');
    });
  });
});

describe('Several windows where the system tells of no change', () => {
  it('see within five seconds what one of them submits, how it ends, and that it is forgotten', async () => {
    const rig = await Rig.start();
    const [one, other] = [rig.explorer, rig.openWindow()];
    const transferIn = ({ transferStore }: Explorer): Transfer | undefined => transferStore.get('k');
    const perWindow = ['one look at the running', 'one at the ended', 'clearing up'].length;
    const fiveSecondsLater = async (isSo: () => boolean): Promise<void> => {
      await eventually(() => Promise.resolve(rig.clock.waitingCount === 2 * perWindow || undefined));
      await rig.clock.pass(5_000);
      await eventually(() => Promise.resolve(isSo() || undefined));
    };
    try {
      // What cannot be made cannot be watched.
      await writeFile(join(rig.folder, 'transfers'), '');
      await Promise.all([one.transferFlow.resume(), other.transferFlow.resume()]);
      await fiveSecondsLater(() => true);
      await rm(join(rig.folder, 'transfers'));
      await one.transferFlow.keep(begun(rig, 'k'));
      await fiveSecondsLater(() => transferIn(other)?.state === 'accepted');
      await one.transferFlow.keep(inState(begun(rig, 'k'), 'failed', 7));
      await fiveSecondsLater(() => transferIn(other)?.state === 'failed');
      await one.transferFlow.forget(['k']);
      await fiveSecondsLater(() => transferIn(other) === undefined);
    } finally {
      await rig.end();
    }
  });
});

function begun(rig: Rig, key: string): Transfer {
  return { key, order: rig.order, createdAt: 1, state: 'accepted', changes: [{ state: 'accepted', at: 1 }] };
}

function transferOf({ transferStore }: Explorer, key: string): Transfer {
  const transfer = transferStore.get(key);
  assert.ok(transfer);
  return transfer;
}
