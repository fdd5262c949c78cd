import type { TokenScheme } from '../model/connection.ts';

const printable = /^[\x20-\x7e]*$/;

/** Whether a token may stand in a header: printable ASCII only, so no line break and nothing ambiguous (D5). */
export function canStandInHeader(token: string): boolean {
  return printable.test(token);
}

/** The value of the `Authorization` header (D5): the token in padded standard base64, or as it is. */
export function authorizationOf(token: string, scheme: TokenScheme = 'base64'): string {
  return `Bearer ${scheme === 'plain' ? token : Buffer.from(token, 'utf8').toString('base64')}`;
}
