import type { buildConnector, Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import DispatcherClass from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import api from 'undici/lib/api/index.js';
import type { NetworkSettings } from '../model/networkSettings.ts';
import type { Limits } from './limits.ts';
import { proxyFor, type Proxy } from './proxyChoice.ts';
import { trustOf } from './trust.ts';

// The package's main file would install itself as the dispatcher of everybody's `fetch` in this process;
// its parts do not, but lack these functions.
Object.assign(DispatcherClass.prototype, api);

/** The way to a service. */
export interface Route {
  readonly dispatcher: Dispatcher;
  /** The proxy on it, where there is one. */
  readonly proxy?: Proxy;
}

/**
 * Makes what opens, keeps and closes the connections of the service at `address` (D16, D17), directly or through the
 * proxy that the settings name. The owner destroys the dispatcher. Throws ConnectionError for a proxy that cannot be used.
 */
export function makeDispatcher(settings: NetworkSettings, address: string, limits: Limits): Route {
  const proxy = proxyFor(settings, address);
  const isSecret = address.startsWith('https:') || proxy?.origin.startsWith('https:') === true;
  const connect = { timeout: limits.connectMs, ...(isSecret && trustOf(settings)) };
  const idle = { keepAliveTimeout: limits.idleMs, keepAliveMaxTimeout: limits.idleMs };
  if (!proxy) return { dispatcher: new Agent({ connect, ...idle }) };
  return { dispatcher: throughProxy(proxy, connect, idle, limits), proxy };
}

function throughProxy(
  { origin, authorization }: Proxy,
  connect: buildConnector.BuildOptions,
  idle: object,
  { connectMs }: Limits,
): Dispatcher {
  return new ProxyAgent({
    uri: origin,
    ...(authorization !== undefined && { token: authorization }),
    proxyTls: connect,
    requestTls: connect,
    ...idle,
    // What the proxy takes to reach the service is part of making the connection.
    clientFactory: (proxyOrigin, options) => new Pool(proxyOrigin, { ...options, ...idle, headersTimeout: connectMs }),
  });
}
