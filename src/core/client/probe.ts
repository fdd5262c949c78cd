import { once } from 'node:events';
import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import * as tls from 'node:tls';
import type { CertificateFacts, TestFacts } from '../model/connectionTest.ts';
import type { NetworkSettings } from '../model/networkSettings.ts';
import type { Reason } from '../model/reason.ts';
import { openTunnel } from './dispatcher.ts';
import { failureOf, failureThroughProxy, type Failure } from './failure.ts';
import type { Limits } from './limits.ts';
import { proxyFor, type Proxy } from './proxyChoice.ts';
import { trustOf } from './trust.ts';

/** What a step of the way came to. */
export interface ProbeOutcome {
  readonly facts: TestFacts;
  readonly reason?: Reason;
}

/**
 * Goes the way to a service step by step, as a connection of the client would, and sends it nothing: for finding out
 * where the way ends. The steps are to be called in their order; `close` ends everything. No step rejects.
 */
export class Probe {
  private readonly url: URL;
  private readonly settings: NetworkSettings;
  private readonly limits: Limits;
  private readonly signal: AbortSignal;
  private readonly proxy: Proxy | undefined;
  /** What stands; one that was taken over for TLS is ended with that, and must not be ended before it. */
  private socket: Duplex | undefined;
  private closeTunnel: (() => void) | undefined;

  /** `address` is a base address (D4). Throws ConnectionError for a proxy that cannot be used. */
  constructor(address: string, settings: NetworkSettings, limits: Limits, caller: AbortSignal) {
    this.url = new URL(address);
    this.settings = settings;
    this.limits = limits;
    this.signal = caller;
    this.proxy = proxyFor(settings, address);
  }

  get proxyOrigin(): string | undefined {
    return this.proxy?.origin;
  }

  get isSecure(): boolean {
    return this.url.protocol === 'https:';
  }

  /** Looks the name up: the proxy's where there is one, which itself looks up the service's. */
  async resolve(): Promise<ProbeOutcome> {
    const host = bare(this.proxy ? new URL(this.proxy.origin).hostname : this.url.hostname);
    if (isIP(host) !== 0) return { facts: { host, addresses: [host] } };
    return await this.attempt({ host }, async () => {
      const found = await this.limited(lookup(host, { all: true }));
      return { host, addresses: found.map(({ address }) => address) };
    });
  }

  /** Opens a connection to the service, through the proxy where there is one. */
  async connect(): Promise<ProbeOutcome> {
    const facts = this.proxy ? { proxy: this.proxy.origin } : {};
    return await this.attempt(facts, async () => {
      if (this.proxy) await this.openTunnel(this.proxy);
      else await this.openDirectly(connectTcp(this.port, bare(this.url.hostname)), 'connect');
      return facts;
    });
  }

  /** Speaks TLS with the service, and looks at the certificate whatever it is. */
  async secure(): Promise<ProbeOutcome> {
    return await this.attempt({}, async () => {
      const { rejectUnauthorized, ...trust } = trustOf(this.settings);
      const host = bare(this.url.hostname);
      const name = isIP(host) === 0 ? { servername: host } : {};
      const secure = tls.connect({ ...this.lowerEnd(), host, ...name, ...trust, rejectUnauthorized: false });
      await this.openDirectly(secure, 'secureConnect');
      const certificate = certificateFacts(secure.getPeerCertificate());
      const facts = { certificate, ...(!rejectUnauthorized && { isUnchecked: true }) };
      // Declared as an error; it is the error's code.
      if (rejectUnauthorized && !secure.authorized) throw new Untrusted(facts, String(secure.authorizationError));
      return facts;
    });
  }

  close(): void {
    this.socket?.destroy();
    this.closeTunnel?.();
  }

  /** TLS goes over the tunnel, which cannot be opened twice, or over a connection of its own. */
  private lowerEnd(): { readonly socket: Duplex } | { readonly port: number } {
    if (this.proxy && this.socket) return { socket: this.socket };
    this.socket?.destroy();
    return { port: this.port };
  }

  private async openDirectly(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
    this.socket = socket;
    await this.limited(once(socket, event));
    socket.on('error', () => socket.destroy());
  }

  private async openTunnel(proxy: Proxy): Promise<void> {
    const target = `${this.url.hostname}:${String(this.port)}`;
    const { opened, close } = openTunnel(this.settings, proxy, target, this.limits);
    this.closeTunnel = close;
    const socket = await this.limited(opened);
    socket.on('error', () => socket.destroy());
    this.socket = socket;
  }

  private get port(): number {
    return Number(this.url.port || (this.isSecure ? 443 : 80));
  }

  private async limited<T>(work: Promise<T>): Promise<T> {
    const limit = AbortSignal.timeout(this.limits.connectMs);
    const ended = AbortSignal.any([limit, this.signal]);
    ended.throwIfAborted();
    const over = new Promise<never>((_resolve, reject) => {
      ended.addEventListener('abort', () => reject(new Error('ended')), { once: true });
    });
    work.catch(() => undefined);
    try {
      return await Promise.race([work, over]);
    } catch (error) {
      if (!limit.aborted || this.signal.aborted) throw error;
      throw Object.assign(new Error('the time limit ran out', { cause: error }), { code: 'ETIMEDOUT' });
    }
  }

  private async attempt(facts: TestFacts, work: () => Promise<TestFacts>): Promise<ProbeOutcome> {
    try {
      return { facts: await work() };
    } catch (error) {
      if (this.signal.aborted) return { facts, reason: { kind: 'cancelled' } };
      if (error instanceof Untrusted) return { facts: error.facts, reason: { kind: 'certificate', code: error.code } };
      return { facts, reason: this.meaningOf(error) };
    }
  }

  private meaningOf(error: unknown): Failure {
    return this.proxy ? failureThroughProxy(error) : failureOf(error);
  }
}

/** A handshake that succeeded with a certificate that is not to be trusted. */
class Untrusted extends Error {
  readonly facts: TestFacts;
  readonly code: string;

  constructor(facts: TestFacts, code: string) {
    super(code);
    this.facts = facts;
    this.code = code;
  }
}

/** A server may show a certificate without any of these. */
function certificateFacts(shown: Partial<tls.PeerCertificate>): CertificateFacts {
  const issuer: Partial<tls.Certificate> = shown.issuer ?? {};
  const names = (shown.subjectaltname ?? '').replace(/(?:DNS|IP Address):/g, '');
  return { issuer: String(issuer.CN ?? issuer.O ?? ''), names, validTo: shown.valid_to ?? '' };
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
