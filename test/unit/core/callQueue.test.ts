import assert from 'node:assert/strict';
import { CallQueue } from '../../../src/core/agents/agentContext.ts';
import { AgentStage } from './agentStage.ts';

/** Queues calls that run until the test ends them. */
class Calls {
  readonly started: number[] = [];
  private readonly ends: (() => void)[] = [];
  private readonly queue = new CallQueue();

  /** Queues a call. Resolves to the call's number when the call has ended. */
  async call(number: number, signal = new AbortController().signal): Promise<number> {
    return await this.queue.run(signal, async () => {
      this.started.push(number);
      await new Promise<void>((resolve) => this.ends.push(resolve));
      return number;
    });
  }

  async endNext(): Promise<void> {
    this.ends.shift()?.();
    await this.settle();
  }

  /** Waits until every call that can start has started. */
  async settle(): Promise<void> {
    await new Promise(setImmediate);
  }
}

describe('The queue of tool calls', () => {
  let calls: Calls;
  beforeEach(() => {
    calls = new Calls();
  });

  it('runs eight at a time, in order, and completes a hundred', async () => {
    const answers = Promise.all(Array.from({ length: 100 }, (_, number) => calls.call(number)));
    await calls.settle();
    for (let ended = 0; ended < 100; ended += 1) {
      assert.equal(calls.started.length, Math.min(100, ended + 8));
      await calls.endNext();
    }
    const numbers = Array.from({ length: 100 }, (_, number) => number);
    assert.deepEqual(await answers, numbers);
    assert.deepEqual(calls.started, numbers);
  });

  it('rejects calls while 200 are waiting, and accepts them later', async () => {
    const accepted = Array.from({ length: 208 }, (_, number) => calls.call(number));
    await assert.rejects(calls.call(208), { code: 'tooManyCalls' });
    await calls.endNext();
    const later = calls.call(209);
    for (let ended = 1; ended < 209; ended += 1) await calls.endNext();
    assert.equal((await Promise.all(accepted)).length, 208);
    assert.equal(await later, 209);
  });

  it('drops a call that is canceled before its turn', async () => {
    const first = Array.from({ length: 8 }, (_, number) => calls.call(number));
    const controller = new AbortController();
    const canceled = calls.call(8, controller.signal);
    const next = calls.call(9);
    controller.abort(new Error('gone'));
    await assert.rejects(canceled, /gone/);
    await assert.rejects(calls.call(10, controller.signal), /gone/);
    for (let ended = 0; ended < 9; ended += 1) await calls.endNext();
    await Promise.all([...first, next]);
    assert.deepEqual(calls.started, [0, 1, 2, 3, 4, 5, 6, 7, 9]);
  });

  it('continues after a call that fails', async () => {
    const queue = new CallQueue();
    const { signal } = new AbortController();
    const fail = (): Promise<never> => Promise.reject(new Error('no'));
    const failed = await Promise.allSettled(Array.from({ length: 20 }, () => queue.run(signal, fail)));
    assert.ok(failed.every(({ status }) => status === 'rejected'));
    assert.equal(await queue.run(signal, () => Promise.resolve(1)), 1);
  });

  it('limits the requests to the service', async () => {
    const stage = await AgentStage.start({ f1: {} });
    const { server } = stage.rig;
    const calling = Array.from({ length: 300 }, () => stage.call('describe_files', { database: 'Alpha', ids: ['f1'] }));
    const answers = await Promise.all(calling);
    const refused = answers.filter(({ content }) => content['code'] === 'tooManyCalls');
    assert.equal(refused.length, 300 - 208);
    assert.equal(answers.filter(({ isError }) => !isError).length, 208);
    assert.ok(server.requestsTo('GET /api/v1/files/by-id').length <= 208);
    await stage.end();
  });
});
