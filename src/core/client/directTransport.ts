import type { Dispatcher } from 'undici';
import type { Reason } from '../model/reason.ts';
import type { Route } from './dispatcher.ts';
import { toProxyReason, toReason } from './networkErrors.ts';
import { ResponseReceiver } from './responseReceiver.ts';
import type { Transport, WireResponse, WireRequest } from './transport.ts';

/** Sends requests over the client's own connections, which a dispatcher opens and closes. */
export class DirectTransport implements Transport {
  private readonly dispatcher: Dispatcher;
  private readonly isProxied: boolean;

  constructor({ dispatcher, proxy }: Route) {
    this.dispatcher = dispatcher;
    this.isProxied = proxy !== undefined;
  }

  async send(request: WireRequest): Promise<WireResponse> {
    const { origin, path, method, headers, body = null, headersMs, bodyMs } = request;
    const options = { origin, path, method, headers, body, headersTimeout: headersMs, bodyTimeout: bodyMs };
    return await new Promise((resolve, reject) => {
      this.dispatcher.dispatch(options, new ResponseReceiver(request, { resolve, reject }));
    });
  }

  toReason(error: unknown): Reason {
    return this.isProxied ? toProxyReason(error) : toReason(error);
  }

  close(): void {
    void this.dispatcher.destroy();
  }
}
