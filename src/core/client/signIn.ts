import type { SignInFailure } from '../model/reason.ts';

const outagePattern =
  /auth\w* error:? \(?5\d\d|connection (?:refused|reset)|dial tcp|no such host|timeout|deadline exceeded|\bEOF\b|invalid character|unexpected end of JSON|bad gateway|service unavailable/i;

/**
 * Patterns for error messages, each with the failure that it indicates; the first match applies. Outages come first,
 * because their messages may also mention the ORCID iD or the key.
 */
const failurePatterns: readonly (readonly [pattern: RegExp, failure: SignInFailure])[] = [
  [outagePattern, 'outage'],
  [/\bno (?:(?:providers\/|associated )?ORCIDs?|providers associated)\b/i, 'account'],
  [/\binvalid ORCID\b|\bno user ORCID\b/i, 'orcid'],
  [/auth\w* error:? \(?40[13]\b|illegal base64|invalid header field/i, 'key'],
  [/\b(?:token|key)\b.{0,40}\b(?:missing|wrong|invalid|unknown|expired|revoked|not accepted|not valid)\b/i, 'key'],
  [/\b(?:missing|wrong|invalid|unknown|expired|revoked)\b.{0,40}\b(?:token|key)\b/i, 'key'],
];

/**
 * Classifies a rejected sign-in by the message in a 401 or 403 response (D44: classify sign-in failures). Returns
 * undefined for any other status and for an unknown message. A 403 counts only if it refers to the account itself.
 */
export function classifySignIn(status: number, text: string): SignInFailure | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const failure = failurePatterns.find(([pattern]) => pattern.test(text))?.[1];
  return status === 401 || failure === 'account' ? failure : undefined;
}
