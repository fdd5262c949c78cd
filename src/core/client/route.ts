import { lookup } from 'node:dns';
import { BlockList, isIP, Socket, type LookupFunction } from 'node:net';
import * as tls from 'node:tls';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
import createConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import DispatcherClass from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { isLoopback, type CertificateFacts, type TestFacts, type TestStepName } from '../model/connection.ts';
import type { NetworkSettings } from '../model/networkSettings.ts';
import type { Reason } from '../model/reason.ts';
import { toReason } from './failures.ts';
import { ConnectionError } from './reply.ts';
import type { Limits } from './request.ts';
import { isHeaderSafe } from './serverAddress.ts';

// Importing undici's index would set this process's global dispatcher, so individual modules are imported. Only the
// index adds `connect` to dispatchers, and proxies need it to open tunnels.
Object.assign(DispatcherClass.prototype, { connect });

/** Describes how requests reach a service: through a dispatcher, and through a proxy if there is one. */
interface Route {
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

/** Describes the proxy between the client and a service. */
interface Proxy {
  /** Scheme, host and port, without a user name or password. */
  readonly origin: string;
  /** Value of the `Proxy-Authorization` header. */
  readonly authorization?: string;
  /** Strings that must not appear in logs or reasons. */
  readonly secrets: readonly string[];
}

/**
 * Returns the proxy for `address`, or undefined for a direct connection, such as to a loopback address. Throws
 * ConnectionError (`proxy`) if the settings specify an unusable proxy.
 */
export function findProxy(settings: NetworkSettings, address: string): Proxy | undefined {
  const target = new URL(address);
  const configured = target.protocol === 'https:' ? settings.proxies.https : settings.proxies.http;
  if (configured === undefined || isLoopback(target.hostname) || isExempt(settings.noProxy, target)) return undefined;
  const url = parseProxyUrl(configured);
  const { user, password } = { user: decode(url.username), password: decode(url.password) };
  const basic = Buffer.from(`${user}:${password}`, 'utf8').toString('base64');
  const hasUser = user !== '' || password !== '';
  const authorization = settings.proxyAuthorization ?? (hasUser ? `Basic ${basic}` : undefined);
  if (authorization !== undefined && !isHeaderSafe(authorization)) {
    throw createUnusableProxyError(
      'BAD_PROXY_AUTHORIZATION',
      'its authorization contains characters that are not allowed in a header',
    );
  }
  const given = settings.proxyAuthorization?.replace(/^\S+\s+/, '') ?? '';
  const secrets = [...(hasUser ? [password, basic, url.password] : []), given].filter((part) => part !== '');
  return { origin: `${url.protocol}//${url.host}`, ...(authorization !== undefined && { authorization }), secrets };
}

function parseProxyUrl(configured: string): URL {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(configured) ? configured : `http://${configured}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || url.hostname === '') throw createUnusableProxyError('BAD_PROXY_ADDRESS', 'its address is not valid');
  if (/^https?:$/.test(url.protocol)) return url;
  throw createUnusableProxyError('UNSUPPORTED_PROXY', `${url.protocol}// proxies are not supported`);
}

/** Creates an error that omits the proxy's address, which may contain a password. */
function createUnusableProxyError(code: string, detail: string): ConnectionError {
  return new ConnectionError(`connect: the proxy cannot be used: ${detail}`, { kind: 'proxy', code, detail });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isExempt(noProxy: readonly string[], target: URL): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  return noProxy.some((entry) => covers(entry.trim().toLowerCase(), host, port));
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isWithin(entry, host);
  const [, name = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  if (name === '' || (entryPort !== undefined && entryPort !== port)) return false;
  const bare = name.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
  return host === bare || (isIP(host) === 0 && host.endsWith(`.${bare}`));
}

function isWithin(block: string, host: string): boolean {
  const [net = '', bits = ''] = block.split('/');
  const family = isIP(net) === 6 ? 'ipv6' : 'ipv4';
  const length = Number(bits);
  if (isIP(net) === 0 || isIP(net) !== isIP(host) || !/^\d+$/.test(bits) || length > (family === 'ipv6' ? 128 : 32)) {
    return false;
  }
  const list = new BlockList();
  list.addSubnet(net, length, family);
  return list.check(host, family);
}

/**
 * Returns the TLS options that determine which certificates are accepted. The trusted authorities are the runtime's,
 * those in `NODE_EXTRA_CA_CERTS` and, unless the settings exclude them, the system's. A runtime that cannot list its
 * authorities uses its defaults. If the settings disable strict checks, every certificate is accepted.
 */
function getTrustOptions(
  settings: NetworkSettings,
): Pick<tls.ConnectionOptions, 'secureContext'> & { readonly rejectUnauthorized: boolean } {
  const rejectUnauthorized = settings.strictCertificates;
  const ca = rejectUnauthorized ? getAuthorities(settings.systemCertificates, tls) : undefined;
  return { rejectUnauthorized, ...(ca && { secureContext: tls.createSecureContext({ ca }) }) };
}

/** Returns the trusted certificate authorities; undefined if the runtime can't list them (Node.js before 22.15). */
function getAuthorities(withSystem: boolean, { getCACertificates }: Partial<typeof tls>): string[] | undefined {
  if (!getCACertificates) return undefined;
  const system = withSystem ? getCACertificates('system') : [];
  return [...new Set([...getCACertificates('default'), ...system])];
}

/** Observes the steps of the first connection to a service. */
export interface RouteObserver {
  /** Called when a step starts, with the facts that the previous step determined. */
  didReach(step: TestStepName, facts: TestFacts): void;
  /** Called when the connection can't be opened, so that the current step fails. */
  didFail(facts: TestFacts, reason: Reason): void;
}

/** Opens connections with undici's connectors, and reports the steps of the first connection to an observer. */
class ObservedConnector {
  private readonly settings: NetworkSettings;
  private readonly proxy: Proxy | undefined;
  private readonly timing: { readonly timeout: number; readonly lookup: LookupFunction };
  private observer: RouteObserver | undefined;
  /** The facts that the current step has determined so far. */
  private facts: TestFacts = {};

  constructor(settings: NetworkSettings, proxy: Proxy | undefined, { connectMs }: Limits, observer: RouteObserver) {
    this.settings = settings;
    this.proxy = proxy;
    this.timing = { timeout: connectMs, lookup: this.lookup };
    this.observer = observer;
  }

  /** Opens a connection on behalf of a dispatcher. */
  readonly connect: buildConnector.connector = (target, callback) => {
    this.open(target)
      .then((socket) => callback(null, socket))
      .catch((error: unknown) => {
        this.observer?.didFail(this.facts, toReason(error, this.proxy !== undefined));
        callback(error as Error, null);
      })
      .finally(() => (this.observer = undefined));
  };

  private async open({ host, hostname, ...target }: buildConnector.Options): Promise<Socket> {
    const isSecure = target.protocol === 'https:';
    const port = target.port || (isSecure ? '443' : '80');
    const first = (this.proxy ? new URL(this.proxy.origin).hostname : hostname).replace(/^\[|\]$/g, '');
    this.facts = { host: first, ...(this.proxy && { proxy: this.proxy.origin }) };
    if (isIP(first) !== 0) this.reachConnect(first, [first]);
    const socket = this.proxy
      ? await this.openTunnel(this.proxy, `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`)
      : await connectWith(createConnector(this.timing), { hostname, protocol: 'http:', port });
    this.reach(isSecure ? 'tls' : 'root', this.facts);
    return isSecure
      ? await this.startTls({ ...target, port, hostname, host: host ?? hostname, httpSocket: socket })
      : socket;
  }

  private async openTunnel({ origin, authorization }: Proxy, target: string): Promise<Socket> {
    const connect = { ...this.timing, ...(origin.startsWith('https:') && getTrustOptions(this.settings)) };
    const agent = new Agent({ connect, headersTimeout: this.timing.timeout });
    const headers = { host: target, ...(authorization !== undefined && { 'proxy-authorization': authorization }) };
    const { socket, statusCode } = await agent.connect({ origin, path: target, headers });
    socket.on('error', () => socket.destroy());
    if (statusCode === 200 && socket instanceof Socket) return socket;
    socket.destroy();
    throw new Error(`Proxy response (${String(statusCode)})`);
  }

  /** Performs the TLS handshake before checking the certificate, so that an untrusted one can be shown. */
  private async startTls(target: buildConnector.Options): Promise<Socket> {
    const { rejectUnauthorized, ...trust } = getTrustOptions(this.settings);
    const connect = createConnector({ ...this.timing, maxCachedSessions: 0, ...trust, rejectUnauthorized: false });
    const socket = await connectWith(connect, target);
    if (!(socket instanceof TLSSocket)) throw new TypeError('a socket without TLS');
    const certificate = toCertificateFacts(socket.getPeerCertificate());
    this.facts = { certificate, ...(!rejectUnauthorized && { isUnchecked: true }) };
    if (rejectUnauthorized && !socket.authorized) {
      socket.destroy();
      // `authorizationError` is declared as an Error, but contains an error code.
      throw Object.assign(new Error(), { code: String(socket.authorizationError) });
    }
    this.reach('root', this.facts);
    return socket;
  }

  private readonly lookup: LookupFunction = (host, options, callback) => {
    lookup(host, options, (error, found: string | { address: string }[], family) => {
      if (!error) this.reachConnect(host, typeof found === 'string' ? [found] : found.map(({ address }) => address));
      callback(error, found as string, family);
    });
  };

  private reachConnect(host: string, addresses: readonly string[]): void {
    this.reach('connect', { host, addresses });
    this.facts = this.proxy ? { proxy: this.proxy.origin } : {};
  }

  private reach(step: TestStepName, facts: TestFacts): void {
    this.facts = {};
    this.observer?.didReach(step, facts);
  }
}

async function connectWith(connect: buildConnector.connector, target: buildConnector.Options): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    connect(target, (error, socket) => (error ? reject(error) : resolve(socket)));
  });
}

function toCertificateFacts(certificate: Partial<PeerCertificate>): CertificateFacts {
  const { issuer, subjectaltname = '', valid_to: validTo = '' } = certificate;
  const names = subjectaltname.replace(/(?:DNS|IP Address):/g, '');
  return { issuer: String(issuer?.CN ?? issuer?.O ?? ''), names, validTo };
}
