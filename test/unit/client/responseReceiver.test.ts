import assert from 'node:assert/strict';
import type { Dispatcher } from 'undici';
import { ResponseReceiver } from '../../../src/core/client/transports.ts';
import type { WireRequest, WireResponse } from '../../../src/core/client/transport.ts';

const ok = { 'content-type': 'text/plain' };

/** Simulates a request. The test delivers its response. */
class Exchange {
  sentCount = 0;
  readonly response: Promise<WireResponse>;
  readonly receiver: ResponseReceiver;
  /** Reports an abort to the receiver as an error, as a dispatcher does. */
  readonly dispatch = {
    abort: (error: Error) => this.receiver.onResponseError(this.dispatch, error),
  } as unknown as Dispatcher.DispatchController;

  constructor(more: Partial<WireRequest> = {}) {
    const base = {
      method: 'GET',
      origin: 'http://localhost',
      path: '/',
      headers: {},
      headersMs: 0,
      bodyMs: 0,
    } as const;
    const request = { ...base, onSent: () => (this.sentCount += 1), ...more };
    let receiver: ResponseReceiver | undefined;
    this.response = new Promise((resolve, reject) => (receiver = new ResponseReceiver(request, { resolve, reject })));
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
    assert.equal(exchange.sentCount, 0);
  });

  it('returns the head before the body has arrived, and decodes characters that two pieces share', async () => {
    const exchange = new Exchange().start();
    exchange.head(201);
    const { status, headers, readText } = await exchange.response;
    assert.deepEqual([status, headers, exchange.sentCount], [201, ok, 1]);
    const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
    exchange.send('caf', first);
    const text = readText(100);
    exchange.send(second);
    exchange.receiver.onResponseEnd();
    assert.equal(await text, 'café');
  });

  it('returns no text for a body above the limit, even if it arrived before the text was requested', async () => {
    for (const isEarly of [true, false]) {
      const exchange = new Exchange().start();
      exchange.head();
      const { readText } = await exchange.response;
      if (isEarly) exchange.send('x'.repeat(11));
      const text = readText(10);
      if (!isEarly) exchange.send('x'.repeat(11));
      assert.equal(await text, undefined);
    }
  });

  it('rejects the head, or the text once there is a head, with the error of the network', async () => {
    const error = new Error('reset');
    const early = new Exchange().start();
    early.receiver.onResponseError(early.dispatch, error);
    await assert.rejects(early.response, error);
    const late = new Exchange().start();
    late.head();
    const { readText } = await late.response;
    late.receiver.onResponseError(late.dispatch, error);
    await assert.rejects(readText(10), error);
  });

  it('sends nothing if the signal is aborted before a connection is ready', async () => {
    const exchange = new Exchange({ signal: AbortSignal.abort() }).start();
    await assert.rejects(exchange.response, /aborted/);
    assert.equal(exchange.sentCount, 0);
  });

  it('ends when the signal is aborted while the body is read, and ignores the signal afterwards', async () => {
    const abort = new AbortController();
    const exchange = new Exchange({ signal: abort.signal }).start();
    exchange.head();
    const { readText } = await exchange.response;
    const text = readText(10);
    abort.abort();
    await assert.rejects(text, /aborted/);
    const ended = new AbortController();
    const complete = new Exchange({ signal: ended.signal }).start();
    complete.head();
    complete.send('done');
    complete.receiver.onResponseEnd();
    ended.abort();
    assert.equal(await (await complete.response).readText(10), 'done');
  });

  it('ignores interim responses until the time limit of the headers', async () => {
    for (const headersMs of [0, 60_000]) {
      const exchange = new Exchange({ headersMs }).start();
      for (const status of [103, 200]) exchange.head(status);
      assert.equal((await exchange.response).status, 200);
    }
    const late = new Exchange({ headersMs: -1 }).start();
    assert.throws(() => late.head(103), { code: 'ETIMEDOUT' });
  });
});
