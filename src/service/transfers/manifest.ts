import * as fs from 'node:fs';
import type { DatabaseDocument } from '../../contract/database.ts';
import type { JsonObject } from '../../core/util/json.ts';
import { parseOrcid } from '../../core/util/userIdentity.ts';
import { getTransferFolderName, manifestName, getAlternateManifestName } from '../../core/util/transferFolderNames.ts';
import { getErrorCode, isMissing } from '../../core/util/errorFacts.ts';
import { BadFile } from './fileJobs.ts';
import { DestinationFolders } from './destinationFolders.ts';
import { findSystemCode, toTransferError, TransferFailure, type FileAttempts } from './transferErrors.ts';
import { isManifestOf } from './transferLeftovers.ts';
import { createAttempt, createConflict, getPartPath, publishPart, removePart } from './partFiles.ts';
import type { TransferRecordFile, TransferRecord } from './journal.ts';

/** Number of resources to serialize at a time. A transfer can have too many files to serialize all of them at once. */
const pieceSize = 500;

const typicalResourceBytes = 1_000;

/** Generates the text of the Data Package that describes the transferred files (D24: destination layout). */
function* generateManifest(manifest: JsonObject, files: readonly TransferRecordFile[]): Generator<string> {
  const head = JSON.stringify(manifest, undefined, 2);
  yield `${head.slice(0, head.lastIndexOf('\n'))},\n  "resources": [\n`;
  const names = new Map<string, number>();
  for (let start = 0; start < files.length; start += pieceSize) {
    const lines = files
      .slice(start, start + pieceSize)
      .map((file) => `    ${JSON.stringify(toManifestResource(file, names))}`);
    yield `${start === 0 ? '' : ',\n'}${lines.join(',\n')}`;
  }
  yield '\n  ]\n}\n';
}

function buildManifestHead(
  record: TransferRecord,
  source: DatabaseDocument,
  destination: DatabaseDocument,
): JsonObject {
  return {
    profile: 'data-package',
    name: 'manifest',
    id: record.id,
    created: new Date(record.createdAtMs).toISOString(),
    keywords: ['dts', 'manifest'],
    description: record.description,
    instructions: record.instructions,
    // Users of the local service may be known by their login name only.
    orcid: parseOrcid(record.orcid) && record.orcid,
    source: { id: source.id, name: source.name },
    destination: { id: destination.id, name: destination.name },
  };
}

function toManifestResource(file: TransferRecordFile, names: Map<string, number>): JsonObject {
  const { resource, path, bytes, sha256 = '', storeHash = `sha256:${sha256}` } = file;
  return { ...resource, name: findFreeName(resource.name ?? 'file', names), path, bytes, hash: storeHash };
}

/**
 * Returns a name that is unique within the Data Package and adds it to `names`, which counts the suffixes tried for
 * each name.
 */
function findFreeName(name: string, names: Map<string, number>): string {
  let number = names.get(name) ?? 0;
  let free = name;
  while (names.has(free)) free = `${name}-${++number + 1}`;
  names.set(name, number);
  names.set(free, names.get(free) ?? 0);
  return free;
}

/** Returns the manifest's name, which differs from the usual one if a transferred file or folder has that name. */
export function chooseManifestName(transferId: string, files: readonly TransferRecordFile[]): string {
  const isTaken = files.some((file) => toFoldedName(file.path.split('/', 1)[0] ?? '') === manifestName);
  return isTaken ? getAlternateManifestName(transferId) : manifestName;
}

/** Folds the case of a name approximately as case-insensitive file systems do, including letters such as `ſ`. */
function toFoldedName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

interface ManifestContent {
  readonly record: TransferRecord;
  readonly source: DatabaseDocument;
  readonly destination: DatabaseDocument;
  readonly files: readonly TransferRecordFile[];
}

/** Generates the text of a transfer's manifest, piece by piece. */
export function generateTransferManifest({ record, source, destination, files }: ManifestContent): Iterable<string> {
  return generateManifest(buildManifestHead(record, source, destination), files);
}

interface ManifestOptions {
  readonly attempts: FileAttempts;
  /** Rejects if a file is missing. */
  requireFiles(): Promise<void>;
}

/**
 * Writes the manifest to the transfer's folder in `root` under a temporary name, and gives it its final name if all files
 * are there. Replaces the manifest of an earlier attempt, but no other file (D24: destination layout).
 * Throws a `TransferFailure` or `TransferSuspension` if the file system fails, or what `requireFiles` throws.
 */
export async function writeManifest(
  content: ManifestContent,
  root: string,
  { attempts, requireFiles }: ManifestOptions,
): Promise<void> {
  const { record, files } = content;
  const name = chooseManifestName(record.id, files);
  try {
    const folders = new DestinationFolders(root, getTransferFolderName(record.id), record.destinationPlace);
    const folder = folders.ensureFolder('.');
    const finalPath = `${folder}/${name}`;
    const part = getPartPath(finalPath, createAttempt(), record.id);
    try {
      await fs.promises.writeFile(part, generateTransferManifest(content), { flush: true, flag: 'wx' });
      await requireFiles();
      folders.checkUnmoved(folder);
      await removeEarlier(finalPath, record.id);
      publishPart(part, finalPath, () => isPresent(finalPath));
    } catch (error) {
      removePart(part);
      throw error;
    }
  } catch (error) {
    if (error instanceof BadFile) throw new TransferFailure(`could not write ${name}: ${error.message}`);
    const code = getErrorCode(error);
    if (findSystemCode(code) === undefined) throw error;
    const bytes = files.length * typicalResourceBytes;
    throw await toTransferError({ operation: 'write', code }, { path: name, root, bytes }, attempts);
  }
}

/** Removes the manifest that an earlier attempt wrote before it was killed. Another program's file remains. */
async function removeEarlier(path: string, transferId: string): Promise<void> {
  try {
    if (await isManifestOf(path, transferId)) await fs.promises.rm(path, { force: true });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isPresent(path: string): false {
  if (fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw createConflict();
  return false;
}
