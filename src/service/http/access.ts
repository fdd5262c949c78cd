import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { HttpProblem } from './httpProblem.ts';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Rejects requests that aren't addressed to this service on loopback or to a trusted host. Prevents DNS rebinding (D26:
 * service HTTP behavior). `authority`, from an absolute request target, is checked in the same way as the header.
 * Throws {@link HttpProblem}: 400 unless there is exactly one `Host` header, 403 for a different host.
 */
export function checkHost(
  request: Pick<IncomingMessage, 'headersDistinct'>,
  port: number,
  authority: string | undefined,
  trustedHosts: readonly string[],
): void {
  const hosts = request.headersDistinct['host'] ?? [];
  if (hosts.length !== 1) throw new HttpProblem(400, 'A request must have exactly one Host header.');
  const allowed = [
    ...loopbackNames.map((name) => `${name}:${port}`),
    ...trustedHosts.map((host) => host.toLowerCase()),
  ];
  const isAllowed = [...hosts, ...(authority === undefined ? [] : [authority])].every((host) =>
    allowed.includes(host.toLowerCase()),
  );
  if (!isAllowed) throw new HttpProblem(403, 'The Host header does not name this service.');
}

/** Rejects requests of web pages of another origin, even with a valid token. Throws {@link HttpProblem} 403. */
export function checkOrigin(headers: IncomingHttpHeaders, port: number): void {
  const { origin } = headers;
  const isOwn = origin === undefined || loopbackNames.some((name) => origin.toLowerCase() === `http://${name}:${port}`);
  const site = headers['sec-fetch-site'];
  const isFromPage = site !== undefined && site !== 'none' && site !== 'same-origin';
  if (!isOwn || isFromPage) throw new HttpProblem(403, 'Requests from web pages are not allowed.');
}

/** Describes a request without the right token. */
export const wrongTokenDetail = 'The token is missing or wrong.';

/**
 * Accepts only the token with the given digest, as `Bearer base64(token)` or `Bearer token` (D5: token encoding).
 * Otherwise, throws {@link HttpProblem} 401. Ignores whitespace around the decoded token, because the Python client
 * dtspy encodes a newline.
 */
export function checkToken(headers: IncomingHttpHeaders, digest: Buffer): void {
  if (hasToken(headers, digest)) return;
  throw new HttpProblem(401, wrongTokenDetail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/**
 * Accepts only the sharing token, given its digest (D41: two secrets). Throws {@link HttpProblem}: 403 for the API
 * token, 401 if the token is missing or wrong.
 */
export function checkSharingToken(headers: IncomingHttpHeaders, sharingDigest: Buffer, digest: Buffer): void {
  if (hasToken(headers, sharingDigest)) return;
  checkToken(headers, digest);
  throw new HttpProblem(
    403,
    'This operation requires the sharing token of the local service. If this message appears in an editor window, reload the window to update its extension.',
  );
}

function hasToken(headers: IncomingHttpHeaders, digest: Buffer): boolean {
  const sent = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const decoded = Buffer.from(sent, 'base64').toString('utf8').trim();
  return [decoded, sent].map((text) => timingSafeEqual(digestToken(text), digest)).includes(true);
}

/** Returns the digest of a token: of one length, so that `timingSafeEqual` reveals nothing. */
export function digestToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
