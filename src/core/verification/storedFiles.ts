import type { FileEntry } from '../model/fileEntry.ts';
import type { TransferFile } from '../model/transferModel.ts';
import { parseDeclaredHash } from '../util/declaredHash.ts';
import { parseFileId } from '../util/fileId.ts';
import { getManifestNames, getTransferFolderName } from '../util/transferFolderNames.ts';
import type { FileOutcome, VerificationReport } from './verification.ts';
import type { ManifestFile } from './transferManifest.ts';

type KeyGetter = (file: ManifestFile) => string;

/** Properties that pair requested and listed files, most significant first; for a known path, only that. */
const keyGetters: readonly KeyGetter[] = [
  getPath,
  ({ path, sizeBytes, hash }) => JSON.stringify([getName(path), sizeBytes, hash]),
  ({ path, sizeBytes }) => JSON.stringify([getName(path), sizeBytes]),
  ({ path }) => getName(path),
];

/**
 * Compares the requested files of a transfer with those that the local service lists in the transfer's folder of a
 * store. Doesn't read the files: their hashes are those of the listing. `listed` may contain files of other folders.
 * Returns undefined if the manifest isn't listed, as before the end of a transfer. In the report, the request takes the
 * place of the manifest's content.
 */
export function compareStoredFiles(
  transferId: string,
  requested: readonly TransferFile[],
  listed: readonly FileEntry[],
  folder = getTransferFolderName(transferId),
): VerificationReport | undefined {
  const all = listed.flatMap((file) => toFolderFile(file, `${folder}/`) ?? []);
  const manifest = getManifestNames(transferId).find((name) => all.some(({ path }) => path === name));
  if (manifest === undefined) return undefined;
  const found = all.filter(({ path }) => path !== manifest);
  const files = requested.map(toRequestedFile);
  const pairs = pairFiles(files, found);
  const findings = files.flatMap((file) => {
    const pair = pairs.get(file);
    const outcome = compare(file, pair);
    return outcome.kind === 'intact' ? [] : [{ file: { ...file, path: pair?.path ?? file.path }, outcome }];
  });
  const known = new Set(pairs.values());
  const paths = found.filter((file) => !known.has(file)).map(({ path }) => path);
  return {
    manifest: { file: `${folder}/${manifest}`, files, problems: [], problemCount: 0 },
    intactCount: files.length - findings.length,
    findings,
    extra: { paths: paths.sort(), isTruncated: false, unreadableFolders: [] },
  };
}

/** Returns a listed file with its path relative to the folder; undefined if it is elsewhere. */
function toFolderFile({ path = '', sizeBytes, hash }: FileEntry, folder: string): ManifestFile | undefined {
  return path.startsWith(folder) ? toManifestFile(path.slice(folder.length), { sizeBytes, hash }) : undefined;
}

/** Returns a requested file with its path or, without one in its ID (D20: folders as databases), its name. */
function toRequestedFile({ id, name, sizeBytes, hash }: TransferFile): ManifestFile {
  const path = parseFileId(id) ?? '';
  return { ...toManifestFile(getName(path) === name ? path : name, { sizeBytes, hash }), id };
}

/** Creates a file. Normalizes the path to NFC, because some stores return names in a different Unicode form. */
function toManifestFile(
  path: string,
  { sizeBytes, hash }: { readonly [F in 'sizeBytes' | 'hash']: TransferFile[F] | undefined },
): ManifestFile {
  const declared = parseDeclaredHash(hash);
  const facts = { ...(sizeBytes !== undefined && { sizeBytes }), ...(declared && { hash: declared }) };
  return { path: path.normalize('NFC'), places: [path], ...facts };
}

function pairFiles(
  requested: readonly ManifestFile[],
  found: readonly ManifestFile[],
): ReadonlyMap<ManifestFile, ManifestFile> {
  const pairs = new Map<ManifestFile, ManifestFile>();
  const rest = new Set(found);
  for (const getKey of keyGetters) {
    const byKey = groupByKey(rest, getKey);
    for (const file of requested) {
      const isUnpaired = !pairs.has(file) && (getKey === getPath || !file.path.includes('/'));
      const pair = isUnpaired ? byKey.get(getKey(file))?.pop() : undefined;
      if (!pair) continue;
      pairs.set(file, pair);
      rest.delete(pair);
    }
  }
  return pairs;
}

function groupByKey(files: Iterable<ManifestFile>, getKey: KeyGetter): ReadonlyMap<string, ManifestFile[]> {
  const groups = new Map<string, ManifestFile[]>();
  for (const file of files) {
    const group = groups.get(getKey(file));
    if (group) group.push(file);
    else groups.set(getKey(file), [file]);
  }
  return groups;
}

function compare({ sizeBytes, hash }: ManifestFile, found: ManifestFile | undefined): FileOutcome {
  if (!found) return { kind: 'missing' };
  if (sizeBytes !== undefined && found.sizeBytes !== undefined && sizeBytes !== found.sizeBytes)
    return { kind: 'size', stated: sizeBytes, found: found.sizeBytes };
  if (!hash || found.hash?.algorithm !== hash.algorithm) return { kind: 'notCompared' };
  const { algorithm, hex: stated } = hash;
  return found.hash.hex === stated ? { kind: 'intact' } : { kind: 'hash', algorithm, stated, found: found.hash.hex };
}

function getPath({ path }: ManifestFile): string {
  return path;
}

function getName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
