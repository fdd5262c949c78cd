import { parseDeclaredHash } from '../util/declaredHash.ts';

/** The properties of a file that identify its content. */
export interface FileContent {
  /** The hash as a server declares it. */
  readonly hash?: string;
  readonly sizeBytes?: number;
}

/**
 * Returns a key that two files share if algorithm, hash and size are equal (D60: same content). Undefined if hash or
 * size is unknown, or if the file is empty: empty files have nothing in common.
 */
export function getContentKey({ hash, sizeBytes }: FileContent): string | undefined {
  if (sizeBytes === undefined || sizeBytes <= 0) return undefined;
  const declared = parseDeclaredHash(hash);
  return declared && `${declared.algorithm}:${declared.hex}:${sizeBytes}`;
}
