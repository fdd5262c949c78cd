import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { HttpProblem } from './httpProblem.ts';

/** Refuses a request whose `Host` is not this service on loopback: a web page elsewhere that was re-bound to it (D26). */
export function checkHost(headers: IncomingHttpHeaders, port: number): void {
  const host = headers.host?.toLowerCase() ?? '';
  const allowed = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  if (!allowed.includes(host)) throw new HttpProblem(403, 'The Host header does not name this service.');
}

/** Accepts the token as `Bearer base64(token)` or `Bearer token` (D5), compared in constant time. Else throws 401. */
export function checkToken(headers: IncomingHttpHeaders, token: string): void {
  const given = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  const encoded = Buffer.from(token, 'utf8').toString('base64');
  const isKnown = given !== undefined && [sameText(given, encoded), sameText(given, token)].includes(true);
  if (!isKnown) {
    throw new HttpProblem(401, 'The token is missing or wrong.', { headers: { 'WWW-Authenticate': 'Bearer' } });
  }
}

function sameText(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
