import { isLoopback } from '../model/loopback.ts';
import type { Reason } from '../model/reason.ts';
import { ConnectionError } from './errors.ts';

/** What D4 needs to know to make a base address. */
export interface AddressParts {
  readonly server: string;
  readonly port?: number | undefined;
  readonly allowInsecureHttp?: boolean | undefined;
}

/**
 * Makes the base address of a service: `server`, then a colon and `port` where given, without a trailing slash (§4.9, D4).
 * Throws ConnectionError (`badAddress`, `insecureAddress`) when it cannot or must not be used.
 */
export function baseAddress({ server, port, allowInsecureHttp }: AddressParts): string {
  const start = server.trim().replace(/\/+$/, '');
  if (!/^https?:\/\//i.test(start)) throw badAddress('write it with its scheme, as in https://example.org');
  const url = parse(typeof port === 'number' ? `${start}:${String(port)}` : start);
  if (!url)
    throw badAddress('it is not a valid address; write it as in https://example.org or https://example.org:8080');
  if (typeof port === 'number' && url.pathname !== '/') {
    throw badAddress('a port cannot follow a path; write it as in https://example.org:8080/path');
  }
  if (url.username || url.password) throw badAddress('leave out the user name and password');
  if (/[?#]/.test(start)) throw badAddress('leave out everything from ? or # on');
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && allowInsecureHttp !== true) throw insecureAddress();
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Adds the address that may be right to a reason, where somebody gave the one of the API instead of the service's. */
export function withSuggestedAddress(reason: Reason, address: string): Reason {
  const without = address.replace(/\/api(\/v\d+)?$/i, '');
  return reason.kind === 'noService' && without !== address ? { ...reason, detail: without } : reason;
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function badAddress(wanted: string): ConnectionError {
  return new ConnectionError(`connect: the server's address cannot be used: ${wanted}`, {
    kind: 'badAddress',
    detail: wanted,
  });
}

function insecureAddress(): ConnectionError {
  const detail = 'over http:// the key would travel in the clear; use https://, or allow it for this connection';
  return new ConnectionError(`connect: ${detail}`, { kind: 'insecureAddress', detail });
}
