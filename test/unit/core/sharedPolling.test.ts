import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Explorer } from '../../../src/core/explorer.ts';
import { eventually } from '../../support/eventually.ts';
import { busy, json } from '../../support/faultBehaviors.ts';
import { untilIdle } from '../../support/untilIdle.ts';
import { Rig } from './rig.ts';

/** The shortest time between two requests. */
const shortestGapMs = 200;

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const files = ['f1', 'f2', 'f3', 'f4', 'f5'].map((file) => ({ id: file, name: file }));
/**
 * Minimum interval between polls. A window polls at most once per second; two windows that poll independently would
 * halve that interval.
 */
const minMsBetweenPolls = 750;
const statusRequest = `GET /api/v1/transfers/${id}`;

describe('Two windows with the same open connection', () => {
  let rig: Rig;
  let one: Explorer;
  let other: Explorer;
  let key: string;
  let isFocused: boolean;

  const reportStatus = (status: string, moved: number): void => {
    rig.server.on('GET /api/v1/transfers/*', json({ id, status, num_files: 5, num_files_transferred: moved }));
  };
  const countRequests = (): number => rig.server.requestsTo(statusRequest).length;
  const getMovedCount = ({ transferStore }: Explorer): number | undefined =>
    transferStore.get(key)?.status?.movedFileCount;

  /** Advances the clock in steps, with real time for disk and network between them. */
  const pass = async (ms: number, stepMs = 1_000): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await rig.clock.pass(stepMs);
      await untilIdle(10);
    }
  };
  const passUntil = async (condition: () => boolean, limitMs: number): Promise<void> => {
    for (let passed = 0; passed < limitMs && !condition(); passed += 500) await pass(500, 500);
    await eventually(() => Promise.resolve(condition() || undefined));
  };

  beforeEach(async () => {
    rig = await Rig.start();
    rig.server.on('POST /api/v1/transfers', json({ id }, 201));
    rig.server.on('DELETE /api/v1/transfers/*', json({}));
    reportStatus('active', 1);
    one = rig.explorer;
    isFocused = false;
    other = rig.openWindow(() => isFocused);
    await Promise.all([one.transferFlow.resume(), other.transferFlow.resume()]);
    await rig.connect(one);
    ({ key } = await one.transferFlow.submit({ ...rig.order, files }));
    await eventually(() => Promise.resolve(getMovedCount(one) === 1 || undefined));
    await rig.connect(other);
  });
  afterEach(() => rig.end());

  it('poll once for both, and both show each status and its time', async () => {
    const before = countRequests();
    const startedAt = rig.clock.now();
    await passUntil(() => countRequests() - before === 10, 120_000);
    const tenPollsMs = rig.clock.now() - startedAt;
    assert.ok(tenPollsMs > 10 * minMsBetweenPolls, `polled 10 times in ${String(tenPollsMs)} ms`);
    reportStatus('active', 4);
    await passUntil(() => getMovedCount(one) === 4, 10_000);
    await eventually(() => Promise.resolve(getMovedCount(other) === 4 || undefined));
    await eventually(() => {
      const [here, there] = [one, other].map(({ transferStore }) => transferStore.get(key)?.askedAt);
      return Promise.resolve((here !== undefined && here === there) || undefined);
    });
  });

  it('continue polling after the polling window has closed', async () => {
    one.dispose();
    reportStatus('active', 2);
    await passUntil(() => getMovedCount(other) === 2, 10_000);
  });

  it('poll immediately when the other window requests it', async () => {
    await pass(60_000, 3_000);
    reportStatus('active', 3);
    const before = countRequests();
    other.monitor.pollNow();
    // The last regular poll may have been sent just now, and requests are at least this far apart.
    await rig.clock.pass(shortestGapMs);
    await eventually(() => Promise.resolve(getMovedCount(other) === 3 || undefined));
    const count = countRequests() - before;
    assert.ok(count === 1 || count === 2, `polled ${String(count)} times`);
  });

  it("both show that the service doesn't respond, and that it responds again (D33)", async () => {
    const getProblemKind = ({ transferStore }: Explorer): string | undefined => transferStore.get(key)?.problem?.kind;
    rig.server.on('GET /api/v1/transfers/*', busy(503, '1'));
    await passUntil(() => getProblemKind(one) !== undefined, 10_000);
    await eventually(() => Promise.resolve(getProblemKind(other)));
    reportStatus('active', 2);
    await passUntil(() => getMovedCount(one) === 2, 20_000);
    await eventually(() => Promise.resolve(getProblemKind(other) === undefined || undefined));
  });

  it('cancel from either window, and both show that it was accepted', async () => {
    await eventually(() => Promise.resolve(getMovedCount(other) === 1 || undefined));
    assert.equal(await other.transferFlow.cancel(key), undefined);
    await eventually(() => Promise.resolve(one.transferStore.get(key)?.cancelAcceptedAt));
    reportStatus('failed', 1);
    other.monitor.pollNow(key);
    await passUntil(() => one.transferStore.get(key)?.state === 'failed', 1_000);
    await eventually(() => Promise.resolve(other.transferStore.get(key)?.state === 'failed' || undefined));
  });

  /** Resolves when the focused window has published a heartbeat within the last `ms` milliseconds. */
  const untilFocusIsPublished = async (ms: number): Promise<void> => {
    const folder = join(rig.folder, 'transfers', 'asking');
    await eventually(async () => {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.focus'));
      const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      return texts.some((text) => (JSON.parse(text) as { at: number }).at >= rig.clock.now() - ms) || undefined;
    });
  };

  it('keep the focused interval while either window has the focus (D33)', async () => {
    const stepMs = 3_000;
    rig.hasFocus = false;
    // Returns the duration of the next polls. It exceeds their intervals, because requests take real time.
    const measurePolls = async (count: number): Promise<number> => {
      const [before, startedAt] = [countRequests(), rig.clock.now()];
      while (countRequests() - before < count) {
        await pass(stepMs, stepMs);
        if (isFocused) await untilFocusIsPublished(stepMs);
      }
      return rig.clock.now() - startedAt;
    };
    await pass(700_000, 3_500);
    await measurePolls(1);
    const unfocusedMs = await measurePolls(3);
    isFocused = true;
    await measurePolls(2);
    const focusedMs = await measurePolls(3);
    assert.ok(unfocusedMs > 3 * 110_000, `polled three times in ${String(unfocusedMs)} ms`);
    assert.ok(focusedMs < 0.75 * unfocusedMs, `in ${String(unfocusedMs)} ms, then in ${String(focusedMs)} ms`);
  });
});
