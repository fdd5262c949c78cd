import * as fs from 'node:fs/promises';
import type { TransferRequest } from '../../contract/transfer.ts';
import type { Logger } from '../../core/util/logger.ts';
import { resourceOf, type CatalogFile } from '../catalog/catalogFile.ts';
import type { ServedDatabase, ServedDatabases } from '../catalog/databases.ts';
import { mustFindBoth } from '../databases/findDatabase.ts';
import { HttpProblem, wrongFields } from '../http/httpProblem.ts';
import { fieldProblemAt } from '../http/issues.ts';
import { quotable } from '../http/quotable.ts';
import { repeatedIds, unknownIds } from '../http/unknownIds.ts';
import type { TransferJournal } from './journal.ts';
import { describeWaiting, messageOf, type TransferFile, type TransferRecord } from './transferRecord.ts';

/** A checked submission: what the journal gets. */
export interface Submission {
  readonly record: TransferRecord;
  readonly files: readonly TransferFile[];
}

const idList = 'body.file_ids';

/**
 * Checks a submission (§4.5) and describes its files. Throws {@link HttpProblem}: 404 for what is unknown, 403 for a
 * read-only destination, else 422.
 */
export async function prepareSubmission(
  databases: ServedDatabases,
  request: TransferRequest,
  id: string,
  nowMs: number,
): Promise<Submission> {
  const { source, destination } = mustFindBoth(databases, request);
  refuseReadOnly(destination);
  if (source === destination) {
    throw wrongFields([fieldProblemAt('body', ['destination'], 'must be another database than the source')]);
  }
  refuseRepeated(request.file_ids);
  const found = await source.catalog.filesByIds(request.file_ids);
  const unknown = placedIds(request.file_ids, (fileId) => !found.has(fileId));
  if (unknown.length > 0) throw unknownIds(unknown, idList);
  refuseSameFiles(request.file_ids, found);
  const files = [...found.values()].map(transferFileOf);
  const sizeBytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const place = await fs.realpath(destination.folder).catch(() => undefined);
  const record: TransferRecord = {
    id,
    orcid: request.orcid,
    sourceId: source.document.id,
    destinationId: destination.document.id,
    ...(place === undefined ? {} : { destinationPlace: place }),
    ...(request.description === undefined ? {} : { description: request.description }),
    ...(request.instructions === undefined ? {} : { instructions: request.instructions }),
    fileCount: files.length,
    sizeBytes,
    createdAtMs: nowMs,
    status: 'staging',
    message: messageOf(id, describeWaiting(files.length, sizeBytes)),
    movedCount: 0,
    isCancelRequested: false,
  };
  return { record, files };
}

/** Writes a submission down; resolves when it is on disk (D25). Throws {@link HttpProblem} 500 when it cannot be written. */
export async function addTo(journal: TransferJournal, submission: Submission, logger: Logger): Promise<void> {
  try {
    await journal.add(submission.record, submission.files);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    logger.error(`The journal cannot be written: ${why}`);
    throw new HttpProblem(500, `The transfer is not accepted: the journal of transfers cannot be written (${why}).`);
  }
}

function transferFileOf(file: CatalogFile, position: number): TransferFile {
  return { position, path: file.path, resource: resourceOf(file), bytes: file.bytes, isLanded: false };
}

/** Throws {@link HttpProblem} 403 for a destination that is served to be read only (D43). */
function refuseReadOnly({ document }: ServedDatabase): void {
  if (document['readOnly'] !== true) return;
  const message = `The database "${quotable(document.name)}" is read-only. Choose another destination.`;
  throw new HttpProblem(403, message, { errors: [{ message, location: 'body.destination' }] });
}

function refuseRepeated(ids: readonly string[]): void {
  const seen = new Set<string>();
  const named = new Set<string>();
  const repeated = placedIds(ids, (id) => {
    const isFirst = !seen.has(id);
    seen.add(id);
    if (isFirst || named.has(id)) return false;
    named.add(id);
    return true;
  });
  if (repeated.length > 0) throw repeatedIds(repeated, idList);
}

/** Returns the ids that a check picks, each with its place in the request. */
function placedIds(ids: readonly string[], isPicked: (id: string) => boolean): { id: string; location: string }[] {
  return ids.flatMap((id, index) => (isPicked(id) ? [{ id, location: `${idList}.${index}` }] : []));
}

/** Refuses a file that is named twice: by its path and by the id that its Data Package declares (D20). */
function refuseSameFiles(ids: readonly string[], found: ReadonlyMap<string, CatalogFile>): void {
  const seen = new Set<string>();
  const repeated = placedIds(ids, (id) => {
    const path = found.get(id)?.path;
    if (path === undefined || seen.has(path)) return path !== undefined;
    seen.add(path);
    return false;
  });
  if (repeated.length > 0) throw repeatedIds(repeated, idList);
}
