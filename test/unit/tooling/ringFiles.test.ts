import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', '..', 'scripts', 'rings');

interface NextFile {
  readonly file?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

interface FileQueue {
  readonly areLeft: boolean;
  next(message: { file?: string; notRun?: number; commands?: readonly string[] }): Promise<NextFile>;
  finish(file: string): void;
}

type FileQueueClass = new (files: readonly string[], options: { lastFile?: string; order: string }) => FileQueue;

interface Slots {
  run<T>(round: number, work: () => Promise<T>): Promise<T>;
}

describe('The files of a ring', () => {
  let Queue: FileQueueClass;
  before(async () => {
    Queue = ((await import(join(folder, 'fileQueue.mjs'))) as { FileQueue: FileQueueClass }).FileQueue;
  });

  it('are assigned one by one to the next free process, in reverse order on request', async () => {
    const queue = new Queue(['a', 'b'], { order: 'written' });
    assert.deepEqual(
      [await queue.next({}), await queue.next({}), await queue.next({ file: 'a' })],
      [{ file: 'a' }, { file: 'b' }, {}],
    );
    assert.deepEqual(await new Queue(['a', 'b'], { order: 'reverse' }).next({}), { file: 'b' });
  });

  it('include a last one, which runs after all others and receives their totals', async () => {
    const queue = new Queue(['a', 'last', 'b'], { lastFile: 'last', order: 'written' });
    await queue.next({});
    await queue.next({});
    const waiting = queue.next({ file: 'a', notRun: 1, commands: ['x'] });
    assert.deepEqual(await queue.next({ file: 'b', notRun: 2, commands: ['x', 'y'] }), {});
    const { file, environment } = await waiting;
    assert.equal(file, 'last');
    assert.deepEqual(JSON.parse(environment?.['DATA_TRANSFER_JOURNEYS_RUN'] ?? ''), {
      notRun: 3,
      commands: ['x', 'y'],
    });
  });

  it('count as not run if their process crashed, and do not delay the last one', async () => {
    const queue = new Queue(['a', 'last'], { lastFile: 'last', order: 'written' });
    await queue.next({});
    const waiting = queue.next({});
    queue.finish('a');
    const { environment } = await waiting;
    assert.deepEqual(JSON.parse(environment?.['DATA_TRANSFER_JOURNEYS_RUN'] ?? ''), { notRun: 1, commands: [] });
  });

  it('that are configured as long exist', async () => {
    const { rings } = (await import(join(folder, 'ring.mjs'))) as { rings: Record<string, { longFiles?: string[] }> };
    const tests = join(folder, '..', '..', 'test');
    const named = Object.entries(rings).flatMap(([name, { longFiles = [] }]) =>
      longFiles.map((file) => join(tests, name, file)),
    );
    assert.ok(named.length > 0);
    assert.deepEqual(
      named.filter((file) => !existsSync(file)),
      [],
    );
  });

  it('are extended ones only if the run includes those (D69: extended tests)', async () => {
    const { listTestFiles } = (await import(join(folder, 'testFiles.mjs'))) as {
      listTestFiles(ring: string, options: { isExtended: boolean }): readonly string[];
    };
    const isExtended = (file: string): boolean => file.includes('/extended/');
    for (const ring of ['ui', 'service']) {
      const all = listTestFiles(ring, { isExtended: true });
      assert.ok(all.some(isExtended));
      assert.deepEqual(
        listTestFiles(ring, { isExtended: false }),
        all.filter((file) => !isExtended(file)),
      );
    }
  });

  it('include no last one if each test runs alone', async () => {
    const queue = new Queue(['last'], { lastFile: 'last', order: 'alone' });
    assert.deepEqual(await queue.next({}), {});
  });
});

describe('The slots for processes', () => {
  it('run a limited number at a time, in order, even after one has failed', async () => {
    const { Slots } = (await import(join(folder, 'slots.mjs'))) as { Slots: new (count: number) => Slots };
    const slots = new Slots(2);
    const events: string[] = [];
    const works = ['a', 'b', 'c'].map((name) => {
      let end: (() => void) | undefined;
      const done = slots.run(0, async () => {
        events.push(name);
        await new Promise<void>((resolve) => (end = resolve));
        if (name === 'a') throw new Error('a fails');
      });
      return { done, end: () => end?.() };
    });
    const [a, b, c] = works;
    assert.ok(a && b && c);
    await new Promise(setImmediate);
    assert.deepEqual(events, ['a', 'b']);
    a.end();
    await assert.rejects(a.done, /a fails/);
    await new Promise(setImmediate);
    assert.deepEqual(events, ['a', 'b', 'c']);
    b.end();
    c.end();
    await Promise.all([b.done, c.done]);
  });

  it('run tasks of lower rounds first', async () => {
    const { Slots } = (await import(join(folder, 'slots.mjs'))) as { Slots: new (count: number) => Slots };
    const slots = new Slots(2);
    const events: string[] = [];
    const add = (name: string, round: number): Promise<unknown> =>
      slots.run(round, () => Promise.resolve(events.push(name)));
    await Promise.all([add('a0', 0), add('a1', 1), add('b0', 0), add('b1', 1), add('c0', 0)]);
    assert.deepEqual(events, ['a0', 'b0', 'c0', 'a1', 'b1']);
  });
});
