const allowedProtocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
const maxLinkLength = 2048;

const maxMailLength = 254;
const mailAddress = /^[\w.!'*+~-]{1,64}@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;

/**
 * Returns an address in normalized form; undefined if it must not be opened. Only absolute http, https and mailto links
 * of limited length are allowed, without spaces, control characters, user names or passwords. A mailto link may contain
 * only one plausible address. Both the page and the host perform this check.
 */
export function toOpenableLink(address: string): string | undefined {
  const trimmed = address.trim();
  if (trimmed.length > maxLinkLength || /[\p{Cc}\s]/u.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  if (!allowedProtocols.has(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  if (url.protocol === 'mailto:' && !isMailAddress(trimmed.slice('mailto:'.length))) return undefined;
  return url.href;
}

function isMailAddress(text: string): boolean {
  return text.length <= maxMailLength && mailAddress.test(text);
}
