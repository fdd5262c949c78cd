/** Where a path of a Data Package leads: to a file within the package, to an address, or nowhere it may lead to. */
export type PackagePath = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'remote' | 'unsafe' };

const remote = /^(?:[a-z][a-z0-9+.-]*:\/\/|(?:file|data|urn|mailto|javascript):)/i;
const absolute = /^(?:\/|[a-z]:)/i;

/**
 * Reads a path as the standard has it: relative, parted by `/`, never upwards. Percent signs are part of the name.
 * Undefined when it is no text.
 */
export function packagePath(path: unknown): PackagePath | undefined {
  if (typeof path !== 'string' || path === '') return undefined;
  if (remote.test(path)) return { kind: 'remote' };
  const parts = path.split('/').filter((part) => part !== '.' && part !== '');
  const leadsOut = absolute.test(path) || /[\\\0]/.test(path) || parts.includes('..');
  return leadsOut || parts.length === 0 ? { kind: 'unsafe' } : { kind: 'file', path: parts.join('/') };
}

/**
 * Reads a path of a manifest that the local service wrote for a landing folder (D24): the name of a file as its system
 * has it. Where that is not Windows, a colon or a backslash in it means nothing else.
 */
export function landedPath(path: unknown): PackagePath | undefined {
  if (process.platform === 'win32' || typeof path !== 'string' || path.includes('//')) return packagePath(path);
  const leadsOut = path === '' || path.startsWith('/') || path.includes('\0');
  const parts = path.split('/').filter((part) => part !== '.' && part !== '');
  return leadsOut || parts.length === 0 || parts.includes('..')
    ? packagePath(path)
    : { kind: 'file', path: parts.join('/') };
}
