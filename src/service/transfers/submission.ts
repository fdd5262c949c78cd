import * as fs from 'node:fs/promises';
import type { TransferRequest } from '../../contract/transfer.ts';
import type { Logger } from '../../core/util/logger.ts';
import { resourceOf, type CatalogFile } from '../catalog/catalogFile.ts';
import type { ServedDatabase, ServedDatabases } from '../catalog/databases.ts';
import { HttpProblem } from '../http/httpProblem.ts';
import type { TransferJournal } from './journal.ts';
import { describeWaiting, messageOf, type TransferFile, type TransferRecord } from './transferRecord.ts';

/** A checked submission: what the journal gets. */
export interface Submission {
  readonly record: TransferRecord;
  readonly files: readonly TransferFile[];
}

const namedIds = 20;

/** Checks a submission (§4.5) and describes its files. Throws {@link HttpProblem}: 404 for a database, 400 for the ids. */
export async function prepareSubmission(
  databases: ServedDatabases,
  request: TransferRequest,
  id: string,
  nowMs: number,
): Promise<Submission> {
  const source = mustFind(databases, request.source);
  const destination = mustFind(databases, request.destination);
  if (source === destination) throw wrongField('destination', 'The destination is the source.');
  checkIds(request.file_ids);
  const found = await source.catalog.filesByIds(request.file_ids);
  const unknown = request.file_ids.filter((fileId) => !found.has(fileId));
  if (unknown.length > 0) throw wrongField('file_ids', `Unknown file ids: ${listed(unknown)}.`);
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

function mustFind(databases: ServedDatabases, name: string): ServedDatabase {
  const database = databases.find(name);
  if (database === undefined) throw new HttpProblem(404, `There is no database "${name}".`);
  return database;
}

function checkIds(ids: readonly string[]): void {
  if (ids.length === 0) throw wrongField('file_ids', 'No file ids were given.');
  const seen = new Set<string>();
  const doubles = new Set<string>();
  for (const id of ids) (seen.has(id) ? doubles : seen).add(id);
  if (doubles.size > 0) throw wrongField('file_ids', `File ids given twice: ${listed([...doubles])}.`);
}

function listed(ids: readonly string[]): string {
  const named = ids.slice(0, namedIds).join(', ');
  return ids.length > namedIds ? `${named} and ${ids.length - namedIds} more` : named;
}

function wrongField(field: string, message: string): HttpProblem {
  return new HttpProblem(400, message, { errors: [{ message, location: `body.${field}` }] });
}
