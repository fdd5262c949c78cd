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
