import { listPackagePaths } from '../../core/util/fileId.ts';
import type { JsonObject } from '../../core/util/json.ts';
import { maxChars, maxWarnings, type PackageContent } from './dataPackage.ts';

/** Name of the file that declares a folder to be a bag (BagIt, RFC 8493). */
export const bagName = 'bagit.txt';

const hashLengths: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha512: 128, sha256: 64 };

/** Names of the manifests of a bag's payload, the most useful last: the service computes SHA-256 anyway. */
export const bagManifestNames: readonly string[] = Object.keys(hashLengths).map((name) => `manifest-${name}.txt`);

/**
 * Parses a manifest of a bag's payload, which gives files their hashes, keyed by {@link toPayloadKey}. Programs disagree
 * on whether a percent sign in a path is encoded. A path that could have two hashes gets none.
 */
export function readBagManifest(text: string, name: string): PackageContent {
  const algorithm = name.replace(/^manifest-|\.txt$/g, '');
  const metadata = new Map<string, JsonObject>();
  const warnings: string[] = [];
  const ambiguous = new Set<string>();
  let left = maxChars;
  for (const [index, line] of splitLines(text).entries()) {
    const { hash, keys } = parseLine(line, hashLengths[algorithm]);
    if (keys.length === 0 && line.trim() !== '' && warnings.length < maxWarnings)
      warnings.push(`line ${index + 1} has no ${algorithm} hash and path of a file in data/`);
    for (const key of keys) {
      left -= key.length + hash.length;
      const known = metadata.get(key)?.['hash'];
      if (known !== undefined && known !== `${algorithm}:${hash}`) ambiguous.add(key);
      else if (left >= 0) metadata.set(key, { hash: `${algorithm}:${hash}` });
    }
  }
  for (const key of ambiguous) metadata.delete(key);
  return { metadata, warnings: left < 0 ? [...warnings, 'it is longer than allowed'] : warnings };
}

function splitLines(text: string): readonly string[] {
  return text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
}

function parseLine(line: string, length = 0): { readonly hash: string; readonly keys: readonly string[] } {
  const [, hash = '', written = ''] = /^([0-9a-f]+)[ \t]+\*?(\S.*)$/i.exec(line) ?? [];
  if (hash.length !== length) return { hash, keys: [] };
  const keys = listPackagePaths(written).filter((path) => path.startsWith('data/'));
  return { hash: hash.toLowerCase(), keys: [...new Set(keys.map(toPayloadKey))] };
}

/** Returns the key of a file in a bag, which doesn't depend on the Unicode normalization of its path. */
export function toPayloadKey(path: string): string {
  return path.normalize('NFC');
}
