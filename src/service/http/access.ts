import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { HttpProblem } from './httpProblem.ts';

const names = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Refuses a request that is not addressed to this service on loopback: a web page elsewhere whose name was bound to it
 * (D26). `authority` is that of an absolute request target, which then counts beside the header; `trustedHosts` are
 * those of a reverse proxy (D40). Throws {@link HttpProblem}: 400 unless there is one `Host`, 403 for another host.
 */
export function checkHost(
  request: Pick<IncomingMessage, 'headersDistinct'>,
  port: number,
  authority: string | undefined,
  trustedHosts: readonly string[],
): void {
  const hosts = request.headersDistinct['host'] ?? [];
  if (hosts.length !== 1) throw new HttpProblem(400, 'A request must have one Host header.');
  const allowed = [...names.map((name) => `${name}:${port}`), ...trustedHosts.map((host) => host.toLowerCase())];
  const isOurs = [...hosts, ...(authority === undefined ? [] : [authority])].every((host) =>
    allowed.includes(host.toLowerCase()),
  );
  if (!isOurs) throw new HttpProblem(403, 'The Host header does not name this service.');
}

/**
 * Refuses what a browser sends for a web page, even with the token: no page is served here, so a page that got hold of
 * the token must not be able to use it. A program sends neither header. Throws {@link HttpProblem} 403.
 */
export function checkOrigin(headers: IncomingHttpHeaders, port: number): void {
  const { origin } = headers;
  const isOwn = origin === undefined || names.some((name) => origin.toLowerCase() === `http://${name}:${port}`);
  const site = headers['sec-fetch-site'];
  const isFromPage = site !== undefined && site !== 'none' && site !== 'same-origin';
  if (!isOwn || isFromPage) throw new HttpProblem(403, 'Requests of web pages are not answered.');
}

/**
 * Accepts the token as `Bearer base64(token)` or `Bearer token` (D5), compared in constant time. Else throws 401.
 * Whitespace around the encoded token is ignored: the Python client dtspy encodes a newline with it (D26).
 */
export function checkToken(headers: IncomingHttpHeaders, token: string): void {
  if (hasToken(headers, token)) return;
  throw new HttpProblem(401, 'The token is missing or wrong.', { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/**
 * Accepts the sharing token alone (D41). Throws 403 for the token of the API, with the remedy for a window of version
 * 0.1, which has no other; else 401.
 */
export function checkSharingToken(headers: IncomingHttpHeaders, sharingToken: string, token: string): void {
  if (hasToken(headers, sharingToken)) return;
  checkToken(headers, token);
  throw new HttpProblem(
    403,
    'This needs the sharing token of the local service. If a window of the editor shows this, reload the window to update its extension.',
  );
}

function hasToken(headers: IncomingHttpHeaders, token: string): boolean {
  const given = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const decoded = Buffer.from(given, 'base64').toString('utf8').trim();
  return [isSameText(decoded, token), isSameText(given, token)].includes(true);
}

/** Compares digests, which have one length whatever the texts are, so that the time taken tells nothing of either. */
function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
