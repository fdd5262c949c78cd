import { lookup } from 'node:dns';
import { isIP, Socket, type LookupFunction } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import type { buildConnector } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import createConnector from 'undici/lib/core/connect.js';
import type { NetworkSettings } from '../model/networkSettings.ts';
import type { Reason } from '../model/reason.ts';
import type { CertificateFacts, TestFacts, TestStepName } from '../model/testStep.ts';
import type { Limits } from './limits.ts';
import { toProxyReason, toReason } from './networkErrors.ts';
import type { Proxy } from './proxyChoice.ts';
import { getTrustOptions } from './trust.ts';

/** Observes the steps of the first connection to a service. */
export interface RouteObserver {
  /** Called when a step starts, with the facts that the previous step determined. */
  didReach(step: TestStepName, facts: TestFacts): void;
  /** Called when the connection can't be opened, so that the current step fails. */
  didFail(facts: TestFacts, reason: Reason): void;
}

/** Opens connections with undici's connectors, and reports the steps of the first connection to an observer. */
export class ObservedConnector {
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
        this.observer?.didFail(this.facts, this.proxy ? toProxyReason(error) : toReason(error));
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

  /**
   * Performs the TLS handshake and only then checks the certificate, so that even untrusted certificates can be shown.
   */
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

/** Extracts the facts to show. Facts that are missing from the certificate become empty strings. */
function toCertificateFacts(certificate: Partial<PeerCertificate>): CertificateFacts {
  const { issuer, subjectaltname = '', valid_to: validTo = '' } = certificate;
  const names = subjectaltname.replace(/(?:DNS|IP Address):/g, '');
  return { issuer: String(issuer?.CN ?? issuer?.O ?? ''), names, validTo };
}
