import type { SignInFailure } from '../model/reason.ts';

const outage =
  /auth\w* error:? \(?5\d\d|connection (?:refused|reset)|dial tcp|no such host|timeout|deadline exceeded|\bEOF\b|invalid character|unexpected end of JSON|bad gateway|service unavailable/i;

/** The first match counts: a lookup that failed may name the ORCID iD, or the key, that it was made for. */
const causes: readonly (readonly [pattern: RegExp, failure: SignInFailure])[] = [
  [outage, 'outage'],
  [/\bno (?:providers\/|associated )?ORCIDs?\b/i, 'account'],
  [/\binvalid ORCID\b|\bno user ORCID\b/i, 'orcid'],
  [/auth\w* error:? \(?40[13]\b|illegal base64|invalid header field/i, 'key'],
  [/\b(?:token|key)\b.{0,40}\b(?:missing|wrong|invalid|unknown|expired|revoked|not accepted|not valid)\b/i, 'key'],
  [/\b(?:missing|wrong|invalid|unknown|expired|revoked)\b.{0,40}\b(?:token|key)\b/i, 'key'],
];

/**
 * Tells from the text of a 401 or 403 why a sign-in was rejected (D44). Returns undefined where the text doesn't tell. A
 * 403 forbids many things; only one about the account itself is a rejected sign-in.
 */
export function classifySignIn(status: number, said: string): SignInFailure | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const failure = causes.find(([pattern]) => pattern.test(said))?.[1];
  return status === 401 || failure === 'account' ? failure : undefined;
}
