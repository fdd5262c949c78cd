import type { TokenScheme } from '../model/connection.ts';

const printable = /^[\x20-\x7e]*$/;

/** Returns true if a token can be sent in a header: it must be printable ASCII (D5: token encoding). */
export function isHeaderSafe(token: string): boolean {
  return printable.test(token);
}

/** Formats the `Authorization` header with the token in padded standard base64 or unchanged (D5: token encoding). */
export function formatAuthorization(token: string, scheme: TokenScheme = 'base64'): string {
  return `Bearer ${scheme === 'plain' ? token : Buffer.from(token, 'utf8').toString('base64')}`;
}
