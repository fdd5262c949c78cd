import type { buildConnector, Dispatcher } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import DispatcherClass from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import type { NetworkSettings } from '../model/networkSettings.ts';
import type { Limits } from './limits.ts';
import { ObservedConnector, type RouteObserver } from './observedConnector.ts';
import { findProxy, type Proxy } from './proxyChoice.ts';
import { getTrustOptions } from './trust.ts';

// Importing undici's index would set this process's global dispatcher, so individual modules are imported. Only the
// index adds `connect` to dispatchers, and proxies need it to open tunnels.
Object.assign(DispatcherClass.prototype, { connect });

/** Describes how requests reach a service: through a dispatcher, and through a proxy if there is one. */
export interface Route {
  readonly dispatcher: Dispatcher;
  readonly proxy?: Proxy;
}

/**
 * Creates the route to the service at `address`, through a proxy if the settings require one (D16: timeouts and
 * retries, D17: close idle connections). The caller must destroy the dispatcher. Throws ConnectionError if the proxy is
 * unusable.
 */
export function createRoute(
  settings: NetworkSettings,
  address: string,
  limits: Limits,
  observer: RouteObserver | undefined,
): Route {
  const proxy = findProxy(settings, address);
  const idle = { keepAliveTimeout: limits.idleMs, keepAliveMaxTimeout: limits.idleMs };
  observer?.didReach('name', proxy ? { proxy: proxy.origin } : {});
  if (observer) {
    const { connect } = new ObservedConnector(settings, proxy, limits, observer);
    return { dispatcher: new Agent({ connect, ...idle }), ...(proxy && { proxy }) };
  }
  const usesTls = address.startsWith('https:') || proxy?.origin.startsWith('https:') === true;
  const connect = { timeout: limits.connectMs, ...(usesTls && getTrustOptions(settings)) };
  if (!proxy) return { dispatcher: new Agent({ connect, ...idle }) };
  return { dispatcher: createProxyDispatcher(proxy, connect, idle, limits), proxy };
}

function createProxyDispatcher(
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
    // The time that the proxy takes to reach the service counts as connection time.
    clientFactory: (proxyOrigin, options) => new Pool(proxyOrigin, { ...options, ...idle, headersTimeout: connectMs }),
  });
}
