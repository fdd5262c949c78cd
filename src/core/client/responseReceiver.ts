import type { Dispatcher } from 'undici';
import { decodeText } from './bodyText.ts';
import type { WireRequest, WireResponse } from './transport.ts';

type Dispatch = Dispatcher.DispatchController;
type ResponseHeaders = WireResponse['headers'];

/** Receives the status and headers of a response, or the error if they never arrive. */
interface HeadListener {
  resolve(response: WireResponse): void;
  reject(error: Error): void;
}

/**
 * Receives one response from a dispatcher. Faster for polling than undici's `request`, because it doesn't create
 * streams.
 */
export class ResponseReceiver implements Dispatcher.DispatchHandler {
  private readonly request: WireRequest;
  private readonly listener: HeadListener;
  private readonly startedAt = performance.now();
  private readonly chunks: Uint8Array[] = [];
  private readonly abort = (): void => {
    const error = new Error('aborted');
    if (this.dispatch) this.dispatch.abort(error);
    else this.listener.reject(error);
  };
  private dispatch: Dispatch | undefined;
  private size = 0;
  private maxBytes = Infinity;
  private hasEnded = false;
  private error: Error | undefined;
  private notifyReader: () => void = () => undefined;

  constructor(request: WireRequest, listener: HeadListener) {
    this.request = request;
    this.listener = listener;
    request.signal?.addEventListener('abort', this.abort);
  }

  /** Reports that the request is about to be written to a connection, unless it was aborted (D12: never resubmit). */
  onRequestStart(dispatch: Dispatch): void {
    const { signal, onSent } = this.request;
    this.dispatch = dispatch;
    if (signal?.aborted) return this.abort();
    onSent();
  }

  onResponseStart(_dispatch: Dispatch, status: number, headers: ResponseHeaders): void {
    if (status < 200) return this.checkHeadersLimit();
    this.listener.resolve({ status, headers, readText: async (maxBytes) => await this.readText(maxBytes) });
  }

  onResponseData(_dispatch: Dispatch, chunk: Uint8Array): void {
    this.chunks.push(chunk);
    this.size += chunk.byteLength;
    if (this.size > this.maxBytes) this.abort();
  }

  onResponseEnd(): void {
    this.end();
  }

  onResponseError(_dispatch: Dispatch, error: Error): void {
    this.error = error;
    this.end();
    this.listener.reject(error);
  }

  private end(): void {
    this.hasEnded = true;
    this.request.signal?.removeEventListener('abort', this.abort);
    this.notifyReader();
  }

  private async readText(maxBytes: number): Promise<string | undefined> {
    this.maxBytes = maxBytes;
    if (this.size > maxBytes) this.abort();
    if (!this.hasEnded) await new Promise<void>((resolve) => (this.notifyReader = resolve));
    if (this.size > maxBytes) return undefined;
    if (this.error) throw this.error;
    return decodeText(this.chunks);
  }

  /**
   * Enforces the time limit for headers across interim (1xx) responses, because each such response restarts undici's
   * limit.
   */
  private checkHeadersLimit(): void {
    const { headersMs } = this.request;
    if (headersMs === 0 || performance.now() - this.startedAt < headersMs) return;
    throw Object.assign(new Error('the time limit was exceeded'), { code: 'ETIMEDOUT' });
  }
}
