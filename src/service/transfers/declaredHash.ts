import type { DeclaredHash } from './fileJobs.ts';

const knownAlgorithms: ReadonlySet<string> = new Set(['md5', 'sha1', 'sha256', 'sha512']);

/** Understands `sha256:…` and the bare hex of MD5; another algorithm cannot be checked and is passed over. */
export function declaredHashOf(text: string | null | undefined): DeclaredHash | undefined {
  const stated = (text ?? '').toLowerCase();
  const [algorithm = '', hex = ''] = stated.includes(':') ? stated.split(':', 2) : ['md5', stated];
  const name = algorithm.replace('-', '');
  return hex !== '' && knownAlgorithms.has(name) ? { algorithm: name, hex } : undefined;
}
