import assert from 'node:assert/strict';
import type { Explorer } from '../../../src/core/explorer.ts';
import { eventually } from '../../support/eventually.ts';
import { busy, json } from '../../support/faultBehaviours.ts';
import { Rig } from './rig.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const files = ['f1', 'f2', 'f3', 'f4', 'f5'].map((file) => ({ id: file, name: file }));
const statusRequest = `GET /api/v1/transfers/${id}`;

describe('Two windows with a session for the same connection', () => {
  let rig: Rig;
  let one: Explorer;
  let other: Explorer;
  let key: string;
  let isLookedAt: boolean;

  const tells = (status: string, moved: number): void => {
    rig.server.on('GET /api/v1/transfers/*', json({ id, status, num_files: 5, num_files_transferred: moved }));
  };
  const asked = (): number => rig.server.requestsTo(statusRequest).length;
  const movedIn = ({ transferStore }: Explorer): number | undefined => transferStore.get(key)?.status?.movedFileCount;

  /** Lets time pass in steps, with time for disk and network between them. */
  const pass = async (ms: number, stepMs = 1_000): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await rig.clock.pass(stepMs);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const passUntil = async (isSo: () => boolean, limitMs: number): Promise<void> => {
    for (let passed = 0; passed < limitMs && !isSo(); passed += 500) await pass(500, 500);
    await eventually(() => Promise.resolve(isSo() || undefined));
  };

  beforeEach(async () => {
    rig = await Rig.start();
    rig.server.on('POST /api/v1/transfers', json({ id }, 201));
    rig.server.on('DELETE /api/v1/transfers/*', json({}));
    tells('active', 1);
    one = rig.explorer;
    isLookedAt = false;
    other = rig.openWindow(() => isLookedAt);
    await Promise.all([one.transferFlow.resume(), other.transferFlow.resume()]);
    await rig.connect(one);
    ({ key } = await one.transferFlow.submit({ ...rig.order, files }));
    await eventually(() => Promise.resolve(movedIn(one) === 1 || undefined));
    await rig.connect(other);
  });
  afterEach(() => rig.end());

  it('ask once for both, and both show each answer and when it came', async () => {
    const before = asked();
    await pass(30_000);
    const times = asked() - before;
    assert.ok(times > 8 && times < 31, `asked ${String(times)} times`);
    tells('active', 4);
    await passUntil(() => movedIn(one) === 4, 10_000);
    await eventually(() => Promise.resolve(movedIn(other) === 4 || undefined));
    await eventually(() => {
      const [here, there] = [one, other].map(({ transferStore }) => transferStore.get(key)?.askedAt);
      return Promise.resolve((here !== undefined && here === there) || undefined);
    });
  }).timeout(15_000);

  it('go on asking when the one that asked has ended', async () => {
    one.dispose();
    tells('active', 2);
    await passUntil(() => movedIn(other) === 2, 10_000);
  });

  it('ask at once when the one that does not ask wants to know', async () => {
    await pass(60_000, 3_000);
    tells('active', 3);
    const before = asked();
    other.monitor.askNow();
    await eventually(() => Promise.resolve(movedIn(other) === 3 || undefined));
    assert.equal(asked(), before + 1);
  }).timeout(15_000);

  it('say both that the service does not answer, and that it does again (D33)', async () => {
    const problemIn = ({ transferStore }: Explorer): string | undefined => transferStore.get(key)?.problem?.kind;
    rig.server.on('GET /api/v1/transfers/*', busy(503, '1'));
    await passUntil(() => problemIn(one) !== undefined, 10_000);
    await eventually(() => Promise.resolve(problemIn(other)));
    tells('active', 2);
    await passUntil(() => movedIn(one) === 2, 20_000);
    await eventually(() => Promise.resolve(problemIn(other) === undefined || undefined));
  });

  it('cancel from either, and see in both that it was accepted', async () => {
    await eventually(() => Promise.resolve(movedIn(other) === 1 || undefined));
    assert.equal(await other.transferFlow.cancel(key), undefined);
    await eventually(() => Promise.resolve(one.transferStore.get(key)?.cancelAcceptedAt));
    tells('failed', 1);
    other.monitor.askNow(key);
    await passUntil(() => one.transferStore.get(key)?.state === 'failed', 1_000);
    await eventually(() => Promise.resolve(other.transferStore.get(key)?.state === 'failed' || undefined));
  });

  it('keep the pace of a person who looks at one of them (D33)', async () => {
    rig.hasFocus = false;
    const askedIn = async (ms: number): Promise<number> => {
      const before = asked();
      await pass(ms, 3_000);
      return asked() - before;
    };
    await pass(700_000, 3_500);
    const unseen = await askedIn(360_000);
    isLookedAt = true;
    await pass(60_000, 3_000);
    const seen = await askedIn(360_000);
    assert.ok(unseen <= 4 && seen >= 5, `asked ${String(unseen)} times, then ${String(seen)}`);
  }).timeout(20_000);
});
