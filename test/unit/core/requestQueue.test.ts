import assert from 'node:assert/strict';
import { once } from 'node:events';
import { RequestQueues, type RequestQueue } from '../../../src/core/client/requestQueue.ts';
import type { RequestKind, RequestWait, TurnObserver } from '../../../src/core/model/requestTurn.ts';
import { PollQueue } from '../../../src/core/transfers/pollQueue.ts';
import { ManualClock } from '../../support/manualClock.ts';

/** A pending request, which the test must end. */
interface SentRequest {
  readonly name: string;
  end(): void;
}

describe('The request queue of a server (D34)', () => {
  let clock: ManualClock;
  let line: RequestQueue;
  let sent: SentRequest[];

  beforeEach(() => {
    clock = new ManualClock();
    line = new RequestQueues(clock).get('https://a.example');
    sent = [];
  });
  afterEach(() => line.dispose());

  const settled = async (): Promise<void> => await clock.pass(0);
  const names = (): readonly string[] => sent.map(({ name }) => name);
  const endLast = async (): Promise<void> => {
    sent.at(-1)?.end();
    await settled();
  };

  /** Starts a request. Resolves to the request's name when the test has ended the request. */
  const start = async (
    name: string,
    kind: RequestKind,
    rest: { readonly observer?: TurnObserver; readonly signal?: AbortSignal; readonly lateMs?: () => number } = {},
  ): Promise<string> => {
    const send = async (): Promise<string> =>
      await new Promise((resolve) => sent.push({ name, end: () => resolve(name) }));
    return await line.run({ kind, signal: new AbortController().signal, send, ...rest });
  };

  it('sends one request at a time, and resolves with its result', async () => {
    const first = start('one', 'status');
    void start('two', 'status');
    await settled();
    assert.deepEqual(names(), ['one']);
    await endLast();
    assert.equal(await first, 'one');
    assert.deepEqual(names(), ['one', 'two']);
  });

  it('sends cancels before submissions and both before status requests, each kind in its order', async () => {
    void start('under way', 'submission');
    await settled();
    for (const kind of ['status', 'submission', 'cancel'] as const) {
      void start(`${kind} 1`, kind);
      void start(`${kind} 2`, kind);
    }
    for (let times = 0; times < 7; times++) await endLast();
    assert.deepEqual(names(), [
      'under way',
      ...['cancel 1', 'cancel 2', 'submission 1', 'submission 2', 'status 1', 'status 2'],
    ]);
  });

  it('continues after a failed request', async () => {
    const signal = new AbortController().signal;
    const failing = line.run({ kind: 'status', signal, send: async () => await Promise.reject(new Error('no')) });
    void start('next', 'status');
    await assert.rejects(failing, /no/);
    await settled();
    assert.deepEqual(names(), ['next']);
  });

  it('releases a request immediately if it is aborted while it waits', async () => {
    void start('under way', 'submission');
    await settled();
    const aborting = new AbortController();
    void start('aborted', 'cancel', { signal: aborting.signal });
    void start('already aborted', 'cancel', { signal: AbortSignal.abort() });
    await settled();
    assert.deepEqual(names(), ['under way', 'already aborted']);
    aborting.abort();
    await settled();
    assert.deepEqual(names(), ['under way', 'already aborted', 'aborted']);
  });

  it('notifies a request of what it waits for, and sends it immediately on demand', async () => {
    const waits: RequestWait[] = [];
    const observer: TurnObserver = { didWait: (wait) => waits.push(wait) };
    void start('submission', 'submission');
    await settled();
    void start('cancel', 'cancel', { observer });
    await settled();
    assert.deepEqual(
      waits.map(({ behind }) => behind),
      ['submission'],
    );
    waits[0]?.sendNow();
    await settled();
    waits[0]?.sendNow();
    void start('status', 'status');
    await settled();
    assert.deepEqual(names(), ['submission', 'cancel']);
    sent[0]?.end();
    await settled();
    assert.deepEqual(names(), ['submission', 'cancel'], 'what was sent out of turn is waited for, too');
    sent[1]?.end();
    await settled();
    assert.deepEqual(names(), ['submission', 'cancel', 'status']);
  });

  it('notifies a request when it starts', async () => {
    let starts = 0;
    const observer: TurnObserver = { didStart: () => void (starts += 1) };
    void start('one', 'submission');
    void start('two', 'submission', { observer });
    await settled();
    assert.equal(starts, 0);
    await endLast();
    assert.equal(starts, 1);
  });

  it('stays blocked for a while after a request that the server may still be working on', async () => {
    const given = start('given up', 'submission', { lateMs: () => 60_000 });
    await settled();
    void start('next', 'cancel');
    await endLast();
    assert.equal(await given, 'given up');
    await clock.pass(59_999);
    assert.deepEqual(names(), ['given up']);
    await clock.pass(1);
    assert.deepEqual(names(), ['given up', 'next']);
  });

  it('acquires the lock for a request that arrives while the attempt for a withdrawn one ends', async () => {
    const [noticing, ending] = [new AbortController(), new AbortController()];
    let locked = 0;
    const locks = {
      acquire: async (_address: string, urgency: () => RequestKind | undefined) => {
        if (!noticing.signal.aborted) await once(noticing.signal, 'abort');
        const isNeeded = urgency() !== undefined;
        if (!ending.signal.aborted) await once(ending.signal, 'abort');
        if (!isNeeded) return undefined;
        locked += 1;
        return { release: () => Promise.resolve() };
      },
    };
    line = new RequestQueues(clock, locks).get('https://a.example');
    const withdrawal = new AbortController();
    const starts: string[] = [];
    const observer: TurnObserver = { didStart: () => starts.push('withdrawn') };
    void start('withdrawn', 'status', { signal: withdrawal.signal, observer });
    withdrawal.abort();
    noticing.abort();
    await settled();
    void start('next', 'submission');
    ending.abort();
    await settled();
    assert.deepEqual([names(), locked], [['withdrawn', 'next'], 1]);
    assert.deepEqual(starts, [], 'a withdrawn request does not start');
  });

  it('is separate for each address', () => {
    const lines = new RequestQueues(clock);
    assert.equal(lines.get('https://a.example'), lines.get('https://a.example'));
    assert.notEqual(lines.get('https://a.example'), lines.get('https://b.example'));
  });
});

describe('The schedule of status requests (D33, D34)', () => {
  it('does not count the wait for a turn as a slow response', async () => {
    const clock = new ManualClock(0);
    const sentAt: number[] = [];
    const schedule = new PollQueue(clock, {
      poll: async (_key, didStart) => {
        sentAt.push(clock.now());
        if (sentAt.length === 1) await new Promise<void>((resolve) => void clock.after(100_000, resolve));
        didStart();
        return { intervalMs: 1_000 };
      },
    });
    schedule.add('a', 1_000);
    await clock.pass(103_000);
    schedule.dispose();
    assert.deepEqual(sentAt, [0, 101_000, 102_000, 103_000]);
  });
});
