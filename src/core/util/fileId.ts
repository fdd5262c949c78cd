/** The target of a path in a data package: a file in the package, a URL, or an unsafe path. */
type PackagePath = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'remote' | 'unsafe' };

const remote = /^(?:[a-z][a-z0-9+.-]*:\/\/|(?:file|data|urn|mailto|javascript):)/i;
const absolute = /^(?:\/|[a-z]:)/i;

/**
 * Parses a path as defined by the Data Package standard. Doesn't decode percent escapes. Returns undefined if `path` is
 * empty or not a string.
 */
export function parsePackagePath(path: unknown): PackagePath | undefined {
  if (typeof path !== 'string' || path === '') return undefined;
  if (remote.test(path)) return { kind: 'remote' };
  const parts = path.split('/').filter((part) => part !== '.' && part !== '');
  const isUnsafe = absolute.test(path) || /[\\\0]/.test(path) || parts.includes('..');
  return isUnsafe || parts.length === 0 ? { kind: 'unsafe' } : { kind: 'file', path: parts.join('/') };
}

/**
 * Returns the files that a path of a data package may mean, most likely first: its own path, and for a path with
 * backslashes (of Windows) or percent escapes (of a URL) the path without them. Returns none for a path that is not a
 * file of the package.
 */
export function listPackagePaths(path: unknown): readonly string[] {
  if (typeof path !== 'string') return [];
  const plain = path.replaceAll('\\', '/');
  const ways = /[\\%]/.test(path) ? [path, plain, decodePath(path), decodePath(plain)] : [path];
  const written = ways.map(parsePackagePath);
  return [...new Set(written.flatMap((place) => (place?.kind === 'file' ? [place.path] : [])))];
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * Parses a path in a local service's manifest. Accepts any file name that the file system allows (D24: destination
 * layout).
 */
export function parseManifestPath(path: unknown): PackagePath | undefined {
  if (process.platform === 'win32' || typeof path !== 'string' || path.includes('//')) return parsePackagePath(path);
  const isUnsafe = path === '' || path.startsWith('/') || path.includes('\0');
  const parts = path.split('/').filter((part) => part !== '.' && part !== '');
  return isUnsafe || parts.length === 0 || parts.includes('..')
    ? parsePackagePath(path)
    : { kind: 'file', path: parts.join('/') };
}

/** Returns the ID for a file's path. Percent-encodes `%` and `,`, so that IDs can be joined by commas (§4.4). */
export function toFileId(path: string): string {
  return path.replaceAll('%', '%25').replaceAll(',', '%2C');
}

/** Returns the path for an ID; undefined for an ID that {@link toFileId} cannot return. */
export function parseFileId(id: string): string | undefined {
  const path = id.replaceAll('%2C', ',').replaceAll('%25', '%');
  return toFileId(path) === id ? path : undefined;
}
