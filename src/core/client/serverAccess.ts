import { isLoopback, type TokenScheme } from '../model/connection.ts';
import type { Reason } from '../model/reason.ts';
import { ConnectionError } from './reply.ts';

interface AddressOptions {
  readonly server: string;
  readonly port?: number | undefined;
  readonly allowInsecureHttp?: boolean | undefined;
}

/**
 * Builds the base address of a service from `server` and an optional `port`, without a trailing slash (§4.9, D4: server
 * address). Throws ConnectionError (`badAddress`, `insecureAddress`) for an unusable or insecure address.
 */
export function toBaseAddress({ server, port, allowInsecureHttp }: AddressOptions): string {
  const start = server.trim().replace(/\/+$/, '');
  if (!/^https?:\/\//i.test(start)) throw createBadAddressError('include the scheme, as in https://example.org');
  const url = parseAddress(typeof port === 'number' ? `${start}:${String(port)}` : start);
  if (!url) throw createBadAddressError('use a form such as https://example.org or https://example.org:8080');
  if (typeof port === 'number' && url.pathname !== '/') {
    throw createBadAddressError('a port cannot follow a path; use a form such as https://example.org:8080/path');
  }
  if (url.username || url.password) throw createBadAddressError('leave out the user name and password');
  if (/[?#]/.test(start)) throw createBadAddressError('remove the part that starts with ? or #');
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && allowInsecureHttp !== true)
    throw createInsecureAddressError();
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/**
 * Returns the reason, with the service's probable address if the user seems to have entered the API's address. Adds the
 * address only to a `noService` reason.
 */
export function addSuggestedAddress(reason: Reason, address: string): Reason {
  const without = address.replace(/\/api(\/v\d+)?$/i, '');
  return reason.kind === 'noService' && without !== address ? { ...reason, detail: without } : reason;
}

function parseAddress(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function createBadAddressError(detail: string): ConnectionError {
  return new ConnectionError(`connect: the server's address cannot be used: ${detail}`, { kind: 'badAddress', detail });
}

function createInsecureAddressError(): ConnectionError {
  const detail = 'over http:// the key would be sent unencrypted; use https://, or allow http:// for this connection';
  return new ConnectionError(`connect: ${detail}`, { kind: 'insecureAddress', detail });
}

const printable = /^[\x20-\x7e]*$/;

/** Returns true if a token can be sent in a header: it must be printable ASCII (D5: token encoding). */
export function isHeaderSafe(token: string): boolean {
  return printable.test(token);
}

/** Formats the `Authorization` header with the token in padded standard base64 or unchanged (D5: token encoding). */
export function formatAuthorization(token: string, scheme: TokenScheme = 'base64'): string {
  return `Bearer ${scheme === 'plain' ? token : Buffer.from(token, 'utf8').toString('base64')}`;
}
