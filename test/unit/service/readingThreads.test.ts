import assert from 'node:assert/strict';
import {
  ReadingDelayedError,
  ReadingThreads,
  walkAhead,
  type ThreadReader,
} from '../../../src/service/catalog/folderReader.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const limitMs = 10_000;
const idleMs = 60_000;

/** A call that a thread has received and that the test responds to. */
interface ReceivedCall {
  readonly thread: number;
  readonly call: string;
  readonly respond: (result: unknown) => void;
}

describe('The threads that read folders (D42)', () => {
  let clock: ManualClock;
  let log: MemoryLog;
  let received: ReceivedCall[];
  let threads: ReadingThreads;

  beforeEach(() => {
    clock = new ManualClock();
    log = new MemoryLog();
    received = [];
    let started = 0;
    threads = new ReadingThreads({ start: () => createReader(started++), clock, logger: log });
  });

  function createReader(thread: number): ThreadReader {
    const receive = async <T>(call: string): Promise<T> =>
      await new Promise<T>((resolve) => {
        received.push({ thread, call, respond: (result) => resolve(result as T) });
      });
    return {
      ready: async () => await receive('ready'),
      walk: async (folder) => await receive(`walk ${folder}`),
      next: async (walk) => await receive(`next ${walk}`),
      stop: async (walk) => await receive(`stop ${walk}`),
      inspectPaths: async (folder) => await receive(`inspect ${folder}`),
      end: () => void receive('end'),
    };
  }

  /** Returns the calls received since this function was last called, each with its thread. */
  const getCalls = (): readonly string[] => received.splice(0).map(({ thread, call }) => `${thread}: ${call}`);
  const isDelayed = (error: unknown): boolean => error instanceof ReadingDelayedError;

  it('are a single one while every disk responds', async () => {
    const walks = ['a', 'b'].map((folder) => threads.walk(folder, ''));
    for (const { respond } of received) respond(7);
    const [first = 0, second = 0] = await Promise.all(walks);
    assert.notEqual(first, second);
    void threads.next(second);
    void threads.inspectPaths('c', []);
    assert.deepEqual(getCalls(), ['0: walk a', '0: walk b', '0: next 7', '0: inspect c']);
    assert.equal(await threads.next(99), undefined);
  });

  it('include a second one after a disk has not responded for ten seconds', async () => {
    const stuck = threads.inspectPaths('stuck', []);
    await clock.pass(limitMs - 1);
    void threads.inspectPaths('before', []).catch(() => undefined);
    await clock.pass(1);
    void threads.inspectPaths('other', []);
    void threads.inspectPaths('stuck', []);
    void threads.ready();
    const calls = ['0: inspect stuck', '0: inspect before', '1: inspect other', '0: inspect stuck', '1: ready'];
    const [first] = received;
    assert.deepEqual(getCalls(), calls);
    assert.equal(log.lines.filter((line) => line.includes('The folder stuck ')).length, 1);
    first?.respond(['late']);
    assert.deepEqual(await stuck, ['late']);
  });

  it('reject the calls that wait for the disk of another folder, but not those for that folder', async () => {
    const other = threads.walk('other', '');
    received[0]?.respond(1);
    const walk = await other;
    void threads.inspectPaths('stuck', []);
    void threads.walk('stuck', '');
    const delayed = assert.rejects(Promise.all([threads.next(walk), threads.inspectPaths('third', [])]), isDelayed);
    await clock.pass(limitMs);
    await delayed;
    const again = threads.walk('other', '');
    assert.deepEqual(received.at(-1)?.call, 'walk other');
    received.at(-1)?.respond(1);
    assert.notEqual(await again, walk);
    assert.equal(received.at(-1)?.thread, 1);
  });

  it('let a scan end that waits for the disk of another folder', async () => {
    const batches = walkAhead(threads, 'other', '');
    const first = batches.next();
    received[0]?.respond(1);
    await clock.pass(0);
    void threads.inspectPaths('stuck', []);
    const requested = received.slice(1, -1);
    for (const { respond } of requested) respond({});
    await first;
    for (let count = 1; count < requested.length; count += 1) await batches.next();
    const rejected = assert.rejects(batches.next(), isDelayed);
    await clock.pass(limitMs);
    await rejected;
  });

  it('stop a walk that starts after its call was rejected', async () => {
    void threads.inspectPaths('stuck', []);
    const rejected = assert.rejects(threads.walk('other', ''), isDelayed);
    await clock.pass(limitMs);
    await rejected;
    received[0]?.respond([]);
    received[1]?.respond(5);
    await clock.pass(0);
    assert.deepEqual(getCalls(), ['0: inspect stuck', '0: walk other', '0: stop 5']);
  });

  it('read other folders on the first one again when the disk responds', async () => {
    void threads.inspectPaths('stuck', []);
    await clock.pass(limitMs);
    received[0]?.respond([]);
    await clock.pass(0);
    void threads.inspectPaths('other', []);
    assert.deepEqual(getCalls(), ['0: inspect stuck', '0: inspect other']);
  });

  it('end after an idle minute, but not while somebody walks', async () => {
    const started = threads.walk('a', '');
    received[0]?.respond(3);
    const walk = await started;
    await clock.pass(2 * idleMs);
    const stopped = threads.stop(walk);
    received[1]?.respond(undefined);
    await stopped;
    await clock.pass(idleMs - 1);
    assert.deepEqual(getCalls(), ['0: walk a', '0: stop 3']);
    const inspected = threads.inspectPaths('a', []);
    received[0]?.respond([]);
    await inspected;
    await clock.pass(idleMs - 1);
    assert.deepEqual(getCalls(), ['0: inspect a']);
    await clock.pass(1);
    void threads.inspectPaths('a', []);
    assert.deepEqual(getCalls(), ['0: end', '1: inspect a']);
  });

  it('are at most eight, of which the last one reads further folders', async () => {
    for (let count = 0; count < 9; count += 1) {
      threads.inspectPaths(`folder ${count}`, []).catch(() => undefined);
      await clock.pass(limitMs);
    }
    assert.deepEqual(getCalls().slice(-2), ['7: inspect folder 7', '7: inspect folder 8']);
  });
});
