import * as nodePath from 'node:path';
import type { TransferRequest } from '../../contract/contract.ts';
import { folderField, folderNameRule, isFolderName } from '../../core/util/folderName.ts';
import type { Logger } from '../../core/util/logger.ts';
import { findNestedFiles } from '../../core/util/nestedFiles.ts';
import { toFileResource, type CatalogFile } from '../catalog/catalogFile.ts';
import {
  isReadOnly,
  mustFindBoth,
  type DatabaseLocation,
  type ServedDatabase,
  type ServedDatabases,
} from '../catalog/servedDatabases.ts';
import type { DatabaseRegistry } from '../databases/databaseRegistry.ts';
import { hasEntry, inspectFolder } from '../folderCalls.ts';
import {
  createFieldProblem,
  createFieldsProblem,
  createRepeatedIdsProblem,
  createUnknownIdsProblem,
  HttpProblem,
} from '../http/httpProblem.ts';
import { toQuotable } from '../http/quotable.ts';
import type { RcloneDaemon } from '../stores/rcloneDaemon.ts';
import { foldPath } from '../stores/storeBatches.ts';
import {
  describeAmount,
  formatTransferMessage,
  type TransferJournal,
  type TransferRecord,
  type TransferRecordFile,
} from './journal.ts';
import { isNameTaken } from './storeClaim.ts';
import { TransferFailure } from './transferErrors.ts';
import { describeNestedPaths, describeReadOnlyDatabase } from '../../core/util/sharedTexts.ts';

/** A valid submission, as the journal stores it. */
export interface PreparedSubmission {
  readonly record: TransferRecord;
  readonly files: readonly TransferRecordFile[];
}

const idListLocation = 'body.file_ids';

/**
 * Validates a submission (§4.5) and returns its record and files. Throws {@link HttpProblem}: 404, 403, 422, 409 (if
 * the destination has something with the folder's chosen name), or (if the source is unavailable) 500.
 */
export async function prepareSubmission(
  databases: ServedDatabases,
  daemon: RcloneDaemon,
  request: TransferRequest,
  id: string,
  nowMs: number,
): Promise<PreparedSubmission> {
  const folderName = getChosenName(request);
  const { source, destination } = mustFindBoth(databases, request);
  if (isReadOnly(destination)) {
    const message = `The database "${toQuotable(destination.document.name)}" is read-only. Select another destination.`;
    throw new HttpProblem(403, message, { errors: [{ message, location: 'body.destination' }] });
  }
  if (source === destination) {
    throw createFieldsProblem([createFieldProblem('body', ['destination'], 'must differ from the source')]);
  }
  const { folder } = destination.location;
  const [found, inspected, isTaken] = await Promise.all([
    source.catalog.filesByIds(request.file_ids),
    folder === undefined ? undefined : inspectFolder(folder),
    folderName !== undefined && isPresent(daemon, destination.location, folderName),
  ]);
  refuseIds(request.file_ids, found);
  const files = [...found.values()].map(toTransferFile);
  refuseNestedFiles(files);
  if (isTaken && folderName !== undefined) throw createTakenProblem(folderName, 'already exists at the destination');
  const amount = { fileCount: files.length, sizeBytes: files.reduce((sum, file) => sum + file.bytes, 0) };
  const record: TransferRecord = {
    id,
    orcid: request.orcid,
    sourceId: source.document.id,
    destinationId: destination.document.id,
    destinationPlace: inspected?.realPath,
    folderName,
    description: request.description,
    instructions: request.instructions,
    ...amount,
    createdAtMs: nowMs,
    status: 'staging',
    message: formatTransferMessage(id, `waiting to stage ${describeAmount(amount)}`),
    movedCount: 0,
    isCancelRequested: false,
  };
  return { record, files };
}

function getChosenName({ instructions }: TransferRequest): string | undefined {
  const name = instructions?.[folderField] ?? undefined;
  if (name === undefined || isFolderName(name)) return name;
  throw createFieldsProblem([createFieldProblem('body', ['instructions', folderField], folderNameRule)]);
}

async function isPresent(daemon: RcloneDaemon, { folder, remote }: DatabaseLocation, name: string): Promise<boolean> {
  if (remote !== undefined) return await isNameTaken(daemon, remote, name);
  return await hasEntry(nodePath.join(folder, name));
}

function createTakenProblem(name: string, reason: string): HttpProblem {
  const message = `The folder "${toQuotable(name)}" ${reason}. Choose another name.`;
  return new HttpProblem(409, message, { errors: [{ message, location: `body.instructions.${folderField}` }] });
}

/** A folder that a transfer may still write to, in one of the destinations. */
interface UsedFolder {
  readonly destinationId: string;
  readonly destinationPlace?: string | undefined;
  readonly folderName?: string | undefined;
  /** Present for an ended transfer: the name of the manifest to remove, if any, along with the unfinished files. */
  readonly manifestName?: string;
}

/** Throws {@link HttpProblem} 409 if a transfer still using its folder has this name at this destination. */
export function refuseUsedFolder({ folderName, ...record }: UsedFolder, used: Iterable<UsedFolder>): void {
  if (folderName === undefined) return;
  const { destinationId, destinationPlace } = record;
  for (const one of used) {
    const isSameName = one.folderName !== undefined && foldPath(one.folderName) === foldPath(folderName);
    const isSamePlace = destinationPlace !== undefined && one.destinationPlace === destinationPlace;
    if (!isSameName || !(isSamePlace || one.destinationId === destinationId)) continue;
    const isEnded = one.manifestName !== undefined;
    const state = isEnded ? 'whose unfinished files are still being removed' : 'that is not finished';
    throw createTakenProblem(folderName, `belongs to a transfer ${state}`);
  }
}

/** Writes a submission to disk (D25: durable transfers). Throws {@link HttpProblem} 500 if that fails. */
export async function writeSubmission(
  journal: TransferJournal,
  submission: PreparedSubmission,
  logger: Logger,
): Promise<void> {
  try {
    await journal.add(submission.record, submission.files);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.error(`The journal cannot be written: ${reason}`);
    throw new HttpProblem(500, `The transfer was not accepted: the transfer journal cannot be written (${reason}).`);
  }
}

/**
 * Describes a file for the journal. Leaves out its cached hash, because staging would treat it as a declared one, and
 * the fields of its folder, which would be in the journal and the manifest once for each file.
 */
function toTransferFile(file: CatalogFile, position: number): TransferRecordFile {
  const resource = toFileResource({ ...file, sha256: undefined, folderFields: undefined });
  return { position, path: file.path, resource, bytes: file.bytes, isTransferred: false };
}

/**
 * Throws {@link HttpProblem} if IDs are repeated or unknown, or if a file is requested both by its path and by its
 * declared ID (D20: folders as databases). Lists each repeated ID at its second occurrence, and each unknown ID at its
 * first.
 */
function refuseIds(ids: readonly string[], found: ReadonlyMap<string, CatalogFile>): void {
  const counts = new Map<string, number>();
  const [repeated, unknown]: [LocatedId[], LocatedId[]] = [[], []];
  for (const [index, id] of ids.entries()) {
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    const located = { id, location: `${idListLocation}.${index}` };
    if (count === 2) repeated.push(located);
    if (count === 1 && !found.has(id)) unknown.push(located);
  }
  if (repeated.length > 0) throw createRepeatedIdsProblem(repeated, unknown, idListLocation);
  if (unknown.length > 0) throw createUnknownIdsProblem(unknown, idListLocation);
  const paths = new Set<string | undefined>();
  const same = ids.flatMap((id, index) => {
    const isFirst = paths.size < paths.add(found.get(id)?.path).size;
    return isFirst ? [] : { id, location: `${idListLocation}.${index}` };
  });
  if (same.length > 0) throw createRepeatedIdsProblem(same, [], idListLocation);
}

function refuseNestedFiles(files: readonly TransferRecordFile[]): void {
  const nested = findNestedFiles(files);
  if (nested === undefined) return;
  const { outer, inner } = nested;
  const message = describeNestedPaths(`"${toQuotable(outer.path)}"`, `"${toQuotable(inner.path)}"`);
  const errors = [outer, inner].map(({ position }) => ({ message, location: `${idListLocation}.${position}` }));
  throw new HttpProblem(422, message, { errors });
}

interface LocatedId {
  readonly id: string;
  readonly location: string;
}

/** The two databases of a transfer. */
interface ServedPair {
  readonly source: ServedDatabase;
  readonly destination: ServedDatabase;
}

/** Returns the databases of a transfer; undefined unless both are served. */
export function findServedPair(
  databases: DatabaseRegistry,
  { sourceId, destinationId }: TransferRecord,
): ServedPair | undefined {
  const [source, destination] = [sourceId, destinationId].map((id) => databases.findById(id));
  return source && destination && { source, destination };
}

/** Throws {@link TransferFailure} if the destination is now read-only (D43: read-only databases). */
export function checkWritable(databases: DatabaseRegistry, record: TransferRecord): void {
  const destination = findServedPair(databases, record)?.destination;
  if (destination === undefined || !isReadOnly(destination)) return;
  throw new TransferFailure(describeReadOnlyDatabase(`"${toQuotable(destination.document.name)}"`));
}
