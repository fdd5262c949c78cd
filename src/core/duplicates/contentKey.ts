import { parseDeclaredHash } from '../util/declaredHash.ts';

/** The properties of a file that identify its content. */
export interface FileContent {
  /** The hash exactly as the server declares it. */
  readonly hash?: string;
  readonly sizeBytes?: number;
}

/**
 * Returns a key that two files share if they have the same hash algorithm, hash and size (D60: same content). Returns
 * undefined if the hash or size is unknown, or if the file is empty, because empty files don't count as copies of each
 * other.
 */
export function getContentKey({ hash, sizeBytes }: FileContent): string | undefined {
  if (sizeBytes === undefined || sizeBytes <= 0) return undefined;
  const declared = parseDeclaredHash(hash);
  return declared && `${declared.algorithm}:${declared.hex}:${sizeBytes}`;
}
