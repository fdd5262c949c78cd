import assert from 'node:assert/strict';
import type { Dispatcher } from 'undici';
import { defaultLimits, type ExchangeTrail, type Limits } from '../../../src/core/client/request.ts';
import { ResponseReceiver, type Transport } from '../../../src/core/client/transport.ts';

type WireRequest = Parameters<Transport['send']>[0];
type WireResponse = Awaited<ReturnType<Transport['send']>>;

const ok = { 'content-type': 'text/plain' };

/** Simulates a request. The test delivers its response. */
class Exchange {
  readonly trail: ExchangeTrail = {};
  readonly response: Promise<WireResponse>;
  readonly receiver: ResponseReceiver;
  /** Reports an abort to the receiver as an error, as a dispatcher does. */
  readonly dispatch = {
    abort: (error: Error) => this.receiver.onResponseError(this.dispatch, error),
  } as unknown as Dispatcher.DispatchController;

  constructor(more: Partial<WireRequest> = {}, limits: Partial<Limits> = {}) {
    const { trail } = this;
    const wire = { request: { method: 'GET', path: '/' }, path: '/', headersMs: 0, trail, ...more } as const;
    let receiver: ResponseReceiver | undefined;
    this.response = new Promise((resolve, reject) => {
      receiver = new ResponseReceiver(wire, { ...defaultLimits, ...limits }, resolve, reject);
    });
    assert.ok(receiver);
    this.receiver = receiver;
  }

  start(): this {
    this.receiver.onRequestStart(this.dispatch);
    return this;
  }

  send(...pieces: readonly (string | Uint8Array)[]): void {
    for (const piece of pieces) this.receiver.onResponseData(this.dispatch, Buffer.from(piece));
  }

  head(status = 200): void {
    this.receiver.onResponseStart(this.dispatch, status, ok);
  }
}

describe('The receiver of a response', () => {
  it('fails at once if the request is aborted before its connection is open, and never sends it', async () => {
    const aborting = new AbortController();
    const exchange = new Exchange({ signal: aborting.signal });
    aborting.abort();
    await assert.rejects(exchange.response, /^Error: aborted$/);
    exchange.start();
    assert.deepEqual(exchange.trail, {});
  });

  it('records that the request is sent, and decodes characters that two pieces share', async () => {
    const exchange = new Exchange().start();
    assert.deepEqual(exchange.trail, { wasSent: true });
    exchange.head(201);
    const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
    exchange.send('caf', first, second);
    exchange.receiver.onResponseEnd();
    assert.deepEqual(await exchange.response, { status: 201, headers: ok, text: 'café' });
  });

  it('returns no text for a body above the limit, which is another one for errors', async () => {
    const limits = { bodyBytes: 10, errorBytes: 5 };
    for (const [status, size, isRead] of [
      [200, 10, true],
      [200, 11, false],
      [300, 5, true],
      [500, 6, false],
    ] as const) {
      const exchange = new Exchange({}, limits).start();
      exchange.head(status);
      exchange.send('x'.repeat(size - 1), 'x');
      exchange.receiver.onResponseEnd();
      const text = isRead ? { text: 'x'.repeat(size) } : {};
      assert.deepEqual(await exchange.response, { status, headers: ok, ...text });
    }
  });

  it('stops receiving a body as soon as it exceeds the limit', async () => {
    const exchange = new Exchange({}, { bodyBytes: 10 }).start();
    exchange.head();
    exchange.send('x'.repeat(11));
    assert.deepEqual(await exchange.response, { status: 200, headers: ok });
  });

  it('rejects with the error of the network or, once there is a head, returns the error with it', async () => {
    const error = new Error('reset');
    const early = new Exchange().start();
    early.receiver.onResponseError(early.dispatch, error);
    await assert.rejects(early.response, error);
    const late = new Exchange().start();
    late.head();
    late.receiver.onResponseError(late.dispatch, error);
    assert.deepEqual(await late.response, { status: 200, headers: ok, error });
  });

  it('sends nothing if the signal is aborted before a connection is ready', async () => {
    const exchange = new Exchange({ signal: AbortSignal.abort() }).start();
    await assert.rejects(exchange.response, /aborted/);
    assert.deepEqual(exchange.trail, {});
  });

  it('ends when the signal is aborted while the body is read, and ignores the signal afterwards', async () => {
    const abort = new AbortController();
    const exchange = new Exchange({ signal: abort.signal }).start();
    exchange.head();
    exchange.send('half');
    abort.abort();
    assert.match(String((await exchange.response).error), /aborted/);
    const ended = new AbortController();
    const complete = new Exchange({ signal: ended.signal }).start();
    complete.head();
    complete.send('done');
    complete.receiver.onResponseEnd();
    ended.abort();
    assert.equal((await complete.response).text, 'done');
  });

  it('ignores interim responses until the time limit of the headers', async () => {
    for (const headersMs of [0, 60_000]) {
      const exchange = new Exchange({ headersMs }).start();
      for (const status of [103, 200]) exchange.head(status);
      exchange.receiver.onResponseEnd();
      assert.equal((await exchange.response).status, 200);
    }
    const late = new Exchange({ headersMs: -1 }).start();
    assert.throws(() => late.head(103), { code: 'ETIMEDOUT' });
  });
});
