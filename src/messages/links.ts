const allowedProtocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
const longestLink = 2048;

/**
 * The address in the form in which it may be opened, or undefined when it may not: only http, https and mailto,
 * nothing relative, no control characters, no user name or password in it. Page and host both ask this.
 */
export function openableLink(address: string): string | undefined {
  const trimmed = address.trim();
  if (trimmed.length > longestLink || /[\p{Cc}\s]/u.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  if (!allowedProtocols.has(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.href;
}
