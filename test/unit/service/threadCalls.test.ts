import assert from 'node:assert/strict';
import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { answerCalls, ThreadCalls } from '../../../src/service/threads/threadCalls.ts';

/** What the other end of these tests can be asked for. */
class Answers {
  private readonly held: (() => void)[] = [];

  double(number: number): number {
    return number * 2;
  }

  async later(text: string): Promise<string> {
    await new Promise<void>((resolve) => this.held.push(resolve));
    return text;
  }

  release(): number {
    const held = this.held.splice(0).reverse();
    for (const resolve of held) resolve();
    return held.length;
  }

  throws(what: unknown): never {
    throw what;
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
  let calls: ThreadCalls<Answers>;

  beforeEach(() => {
    const { port1, port2 } = new MessageChannel();
    near = port1;
    far = port2;
    calls = new ThreadCalls<Answers>(near);
    answerCalls(far, new Answers());
  });

  afterEach(() => near.close());

  it('give each answer to whoever asked, in whatever order they come', async () => {
    const texts = ['a', 'b', 'c'];
    const asked = texts.map(async (text) => await calls.ask('later', text));
    assert.equal(await calls.ask('double', 21), 42);
    assert.equal(await calls.ask('release'), 3);
    assert.deepEqual(await Promise.all(asked), texts);
  });

  it('keep the message and the code of an error', async () => {
    await assert.rejects(calls.ask('fails', 'ENOSPC'), { message: 'It failed as ENOSPC.', code: 'ENOSPC' });
  });

  it('give an error without a code none, and make one of what is no error', async () => {
    const failed = await calls.ask('throws', new Error('plain')).catch((error: unknown) => error);
    assert.ok(failed instanceof Error && failed.message === 'plain' && !('code' in failed));
    await assert.rejects(calls.ask('throws', 'a text'), { message: 'a text' });
    await assert.rejects(calls.ask('throws', undefined), { message: 'undefined' });
  });

  it('reject what cannot be sent, in either direction, and go on', async () => {
    await assert.rejects(calls.ask('unsendable'), /could not be cloned/);
    await assert.rejects(
      calls.ask('throws', () => 1),
      /could not be cloned/,
    );
    assert.equal(await calls.ask('double', 4), 8);
  });

  it('reject what waits and what is asked later when the other end is gone, and nothing twice', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const unsent = calls.ask('throws', () => 1);
    await assert.rejects(unsent, /could not be cloned/);
    const waiting = calls.ask('later', 'a');
    calls.break(new Error('gone'));
    calls.break(new Error('gone again'));
    await assert.rejects(waiting, /^Error: gone$/);
    await assert.rejects(calls.ask('double', 1), /^Error: gone$/);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    assert.deepEqual(unhandled, []);
  });

  it('pass over messages that are no replies, and replies that nobody waits for', async () => {
    for (const message of [null, 'text', 1, {}, { level: 'info', line: 'x' }, { call: 99, result: 1 }]) {
      far.postMessage(message);
    }
    for (const message of [null, 'text', { call: 1 }]) near.postMessage(message);
    assert.equal(await calls.ask('double', 2), 4);
  });

  it('end with the channel', async () => {
    near.close();
    await once(far, 'close');
    const asked = calls.ask('double', 1);
    calls.break(new Error('gone'));
    await assert.rejects(asked, /^Error: gone$/);
  });
});
