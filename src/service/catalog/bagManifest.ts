import { listPackagePaths } from '../../core/util/fileId.ts';
import type { JsonObject } from '../../core/util/json.ts';
import { maxWarnings, type PackageContent } from './dataPackage.ts';

/** Name of the file that declares a folder to be a bag (BagIt, RFC 8493). */
export const bagName = 'bagit.txt';

const hashLengths: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha512: 128, sha256: 64 };

/** Names of the manifests of a bag's payload, the most useful last: the service computes SHA-256 anyway. */
export const bagManifestNames: readonly string[] = Object.keys(hashLengths).map((name) => `manifest-${name}.txt`);

/**
 * Parses a manifest of a bag's payload, which gives files their hashes, keyed by {@link toPayloadKey}. Programs
 * disagree on whether a percent sign in a path is encoded. A path that could have two hashes gets none.
 */
export function readBagManifest(text: string, name: string): PackageContent {
  const algorithm = name.replace(/^manifest-|\.txt$/g, '');
  const hashes = new Map<string, string | undefined>();
  const badLines: number[] = [];
  for (const [index, line] of splitLines(text).entries()) {
    const { hash, keys } = parseLine(line, hashLengths[algorithm]);
    if (keys.length === 0 && line.trim() !== '') badLines.push(index + 1);
    for (const key of keys) hashes.set(key, !hashes.has(key) || hashes.get(key) === hash ? hash : undefined);
  }
  const warnings = badLines
    .slice(0, maxWarnings)
    .map((line) => `line ${line} has no ${algorithm} hash and path of a file in data/`);
  return { metadata: toMetadata(hashes, algorithm), warnings };
}

function toMetadata(hashes: ReadonlyMap<string, string | undefined>, algorithm: string): Map<string, JsonObject> {
  const known = [...hashes].filter(([, hash]) => hash !== undefined);
  return new Map(known.map(([key, hash]) => [key, { hash: `${algorithm}:${hash}` }]));
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
