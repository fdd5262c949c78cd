import { isLoopback, type Connection, type TokenScheme } from '../model/connection.ts';
import { ConnectionError } from './reply.ts';

/**
 * Builds the base address of a service from `server` and an optional `port`, without a trailing slash (§4.9, D4: server
 * address). Throws ConnectionError (`badAddress`, `insecureAddress`) for an unusable or insecure address.
 */
export function toBaseAddress({
  server,
  port,
  allowInsecureHttp,
}: Pick<Connection, 'server' | 'allowInsecureHttp'> & { readonly port?: number | undefined }): string {
  const start = server.trim().replace(/\/+$/, '');
  if (!/^https?:\/\//i.test(start)) throw createBadAddressError('include the scheme, as in https://example.org');
  const address = typeof port === 'number' ? `${start}:${String(port)}` : start;
  if (!URL.canParse(address)) {
    throw createBadAddressError('use a form such as https://example.org or https://example.org:8080');
  }
  const url = new URL(address);
  if (typeof port === 'number' && url.pathname !== '/') {
    throw createBadAddressError('a port cannot follow a path; use a form such as https://example.org:8080/path');
  }
  if (url.username || url.password) throw createBadAddressError('leave out the user name and password');
  if (/[?#]/.test(start)) throw createBadAddressError('remove the part that starts with ? or #');
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && allowInsecureHttp !== true) {
    const detail = 'over http:// the key would be sent unencrypted; use https://, or allow http:// for this connection';
    throw new ConnectionError(`connect: ${detail}`, { kind: 'insecureAddress', detail });
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function createBadAddressError(detail: string): ConnectionError {
  return new ConnectionError(`connect: the server's address cannot be used: ${detail}`, { kind: 'badAddress', detail });
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
