const allowedProtocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
const longestLink = 2048;

const longestMailAddress = 254;
const mailAddress = /^[\w.!'*+~-]{1,64}@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;

/**
 * The address in the form in which it may be opened, or undefined when it may not: only http, https and mailto,
 * nothing relative, no control characters, no user name or password in it. A mail link names one plausible address and
 * nothing else: no subject, no copies. Page and host both ask this.
 */
export function openableLink(address: string): string | undefined {
  const trimmed = address.trim();
  if (trimmed.length > longestLink || /[\p{Cc}\s]/u.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  if (!allowedProtocols.has(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  if (url.protocol === 'mailto:' && !isMailAddress(trimmed.slice('mailto:'.length))) return undefined;
  return url.href;
}

function isMailAddress(text: string): boolean {
  return text.length <= longestMailAddress && mailAddress.test(text);
}
