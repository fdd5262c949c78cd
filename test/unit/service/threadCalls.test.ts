import assert from 'node:assert/strict';
import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { handleCalls, ThreadCalls } from '../../../src/service/threads/threadCalls.ts';

/** The handlers of the calls that the other end of the channel receives. */
class TestHandlers {
  private readonly pending: (() => void)[] = [];

  double(number: number): number {
    return number * 2;
  }

  async later(text: string): Promise<string> {
    await new Promise<void>((resolve) => this.pending.push(resolve));
    return text;
  }

  release(): number {
    const pending = this.pending.splice(0).reverse();
    for (const resolve of pending) resolve();
    return pending.length;
  }

  throws(value: unknown): never {
    throw value;
  }

  fails(code: string): never {
    throw Object.assign(new TypeError(`It failed as ${code}.`), { code });
  }

  unsendable(): unknown {
    return () => 1;
  }
}

describe('Calls between threads', () => {
  let near: MessagePort;
  let far: MessagePort;
  let calls: ThreadCalls<TestHandlers>;

  beforeEach(() => {
    const { port1, port2 } = new MessageChannel();
    near = port1;
    far = port2;
    calls = new ThreadCalls<TestHandlers>(near);
    handleCalls(far, new TestHandlers());
  });

  afterEach(() => near.close());

  it('arrive in order, however many there are at the same time', async () => {
    const numbers = [...Array(100).keys()];
    const doubled = await Promise.all(numbers.map(async (number) => await calls.call('double', number)));
    assert.deepEqual(
      doubled,
      numbers.map((number) => number * 2),
    );
  });

  it('are sent before the end of the turn if there are many', async () => {
    const received = once(far, 'message');
    const results = Promise.all([...Array(40).keys()].map(async (number) => await calls.call('double', number)));
    const [first] = (await received) as [unknown[]];
    assert.equal(first.length, 32);
    assert.equal((await results).length, 40);
  });

  it('match results in any order', async () => {
    const texts = ['a', 'b', 'c'];
    const requests = texts.map(async (text) => await calls.call('later', text));
    assert.equal(await calls.call('double', 21), 42);
    assert.equal(await calls.call('release'), 3);
    assert.deepEqual(await Promise.all(requests), texts);
  });

  it('preserve the message and the code of an error', async () => {
    await assert.rejects(calls.call('fails', 'ENOSPC'), { message: 'It failed as ENOSPC.', code: 'ENOSPC' });
  });

  it('preserve errors without a code, and convert other thrown values', async () => {
    const failed = await calls.call('throws', new Error('plain')).catch((error: unknown) => error);
    assert.ok(failed instanceof Error && failed.message === 'plain' && !('code' in failed));
    await assert.rejects(calls.call('throws', 'a text'), { message: 'a text' });
    await assert.rejects(calls.call('throws', undefined), { message: 'undefined' });
  });

  it('reject values that cannot be sent, in either direction, and continue', async () => {
    await assert.rejects(calls.call('unsendable'), /could not be cloned/);
    await assert.rejects(
      calls.call('throws', () => 1),
      /could not be cloned/,
    );
    assert.equal(await calls.call('double', 4), 8);
  });

  it('reject pending and later calls once when the other end is gone', async () => {
    const unhandled: unknown[] = [];
    const record = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', record);
    const unsent = calls.call('throws', () => 1);
    await assert.rejects(unsent, /could not be cloned/);
    const waiting = calls.call('later', 'a');
    calls.fail(new Error('gone'));
    calls.fail(new Error('gone again'));
    await assert.rejects(waiting, /^Error: gone$/);
    await assert.rejects(calls.call('double', 1), /^Error: gone$/);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', record);
    assert.deepEqual(unhandled, []);
  });

  it('ignore other messages, and unexpected responses', async () => {
    for (const message of [null, 'text', 1, {}, { level: 'info', line: 'x' }, { call: 99, result: 1 }]) {
      far.postMessage(message);
    }
    for (const message of [null, 'text', { call: 1 }]) near.postMessage(message);
    assert.equal(await calls.call('double', 2), 4);
  });

  it('end with the channel', async () => {
    near.close();
    await once(far, 'close');
    const requests = calls.call('double', 1);
    calls.fail(new Error('gone'));
    await assert.rejects(requests, /^Error: gone$/);
  });
});
