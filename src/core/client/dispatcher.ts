import type { Duplex } from 'node:stream';
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
  const usesTls = address.startsWith('https:') || proxy?.origin.startsWith('https:') === true;
  const connect = { timeout: limits.connectMs, ...(usesTls && trustOf(settings)) };
  const idle = { keepAliveTimeout: limits.idleMs, keepAliveMaxTimeout: limits.idleMs };
  if (!proxy) return { dispatcher: new Agent({ connect, ...idle }) };
  return { dispatcher: throughProxy(proxy, connect, idle, limits), proxy };
}

/** A tunnel that is being opened; `close` ends it, also when it stands. */
interface Tunnel {
  readonly opened: Promise<Duplex>;
  close(): void;
}

/** Asks a proxy for a way to `target`, a host with its port, and for nothing else; rejects as a request through it would. */
export function openTunnel(settings: NetworkSettings, proxy: Proxy, target: string, limits: Limits): Tunnel {
  const { origin, authorization } = proxy;
  const connect = { timeout: limits.connectMs, ...(origin.startsWith('https:') && trustOf(settings)) };
  const agent = new Agent({ connect, headersTimeout: limits.connectMs });
  const headers = { host: target, ...(authorization !== undefined && { 'proxy-authorization': authorization }) };
  const opened = agent.connect({ origin, path: target, headers }).then(({ socket, statusCode }) => {
    if (statusCode === 200) return socket;
    socket.on('error', () => socket.destroy()).destroy();
    throw new Error(`Proxy response (${String(statusCode)})`);
  });
  return { opened, close: () => void agent.destroy() };
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
