import { listPackagePaths } from '../../core/util/fileId.ts';
import type { JsonObject } from '../../core/util/json.ts';
import { maxChars, maxWarnings, type PackageContent, type PackageFolder } from './dataPackage.ts';

/** Name of the file that declares a folder to be a bag (BagIt, RFC 8493). */
export const bagName = 'bagit.txt';

/** Names of the manifests of a bag's payload, cheapest to compare first: the service computes SHA-256 anyway. */
export const bagManifestNames: readonly string[] = ['sha256', 'sha512', 'sha1', 'md5'].map(
  (algorithm) => `manifest-${algorithm}.txt`,
);

/**
 * Parses the manifest of a bag's payload, which gives files their hashes. Programs disagree on whether a percent sign
 * in a path is encoded, and on Unicode normalization, so the file that exists decides.
 */
export function readBagManifest(
  text: string,
  name: string,
  { hasFile = () => true }: PackageFolder = {},
): PackageContent {
  const algorithm = name.replace(/^manifest-|\.txt$/g, '');
  const metadata = new Map<string, JsonObject>();
  const warnings: string[] = [];
  let left = maxChars;
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    const [, hash = '', written = ''] = /^([0-9a-f]+)[ \t]+\*?(\S.*)$/i.exec(line) ?? [];
    const path = findPayloadFile(written, hasFile);
    if (path !== undefined) {
      left -= path.length + hash.length;
      if (left >= 0) metadata.set(path, { hash: `${algorithm}:${hash.toLowerCase()}` });
    } else if (line.trim() !== '' && warnings.length < maxWarnings) {
      warnings.push(`line ${index + 1} has no hash and path of a file in data/`);
    }
  }
  return { metadata, warnings: left < 0 ? [...warnings, 'it is longer than allowed'] : warnings };
}

function findPayloadFile(written: string, hasFile: (path: string) => boolean): string | undefined {
  const paths = listPackagePaths(written).filter((path) => path.startsWith('data/'));
  if (/^[\w/ .-]*$/.test(written)) return paths[0];
  const possible = paths.flatMap((path) => [path, path.normalize('NFC'), path.normalize('NFD')]);
  return possible.find(hasFile) ?? paths[0];
}
