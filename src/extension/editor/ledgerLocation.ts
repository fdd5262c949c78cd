import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { needsImport, readImportMarker } from '../../core/transfers/importMarker.ts';
import type { ImportRequest } from '../../core/transfers/ledgerImport.ts';
import type { ConnectionAlias } from '../../core/transfers/recordFiles.ts';
import { getUserLedgerFolder } from '../../core/transfers/recordFolders.ts';
import { systemClock as clock } from '../../core/util/clock.ts';
import { createFolder } from '../../core/util/createFolder.ts';
import type { Logger } from '../../core/util/logger.ts';
import { localConnectionId } from './machine.ts';

/** The folder of transfer records that this window uses. */
export interface LedgerLocation {
  readonly folder: string;
  /** Maps this editor's ID of the local service to that in shared records. Absent without shared records. */
  readonly alias?: ConnectionAlias;
  readonly log: EarlyLog;
}

/**
 * Opens the folder of records that all of the user's windows share (D63: shared ledger folder). If necessary, first
 * imports the records from the editor's own storage. Falls back to that storage if the shared folder can't be used or
 * the import fails, unless an earlier import has succeeded. Never rejects.
 */
export async function openLedgerLocation(
  storageFolder: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<LedgerLocation> {
  const own = join(storageFolder, 'transfers');
  const log = new EarlyLog();
  try {
    return await openShared(storageFolder, own, getUserLedgerFolder(environment, process.platform), log);
  } catch (error) {
    log.warn(`The shared transfer records can't be used; this editor uses ${own}: ${String(error)}`);
    return { folder: own, log };
  }
}

async function openShared(storageFolder: string, own: string, folder: string, log: EarlyLog): Promise<LedgerLocation> {
  const alias = { id: localConnectionId, storedId: getStoredLocalId(storageFolder) };
  try {
    await createFolder(folder, 0o700);
    await access(folder, constants.R_OK | constants.W_OK);
    if (await needsImport(own, folder)) await importOwn({ source: own, target: folder, alias }, log);
  } catch (error) {
    // After an earlier import, the window's own records are outdated.
    if (!(await readImportMarker(own, folder))) throw error;
    log.warn(`Could not access ${folder}, or import the transfer records in ${own} into it: ${String(error)}`);
  }
  return { folder, alias, log };
}

/** Imports the window's own records. Loads the import code on demand, because few windows need it. */
async function importOwn(request: Pick<ImportRequest, 'source' | 'target' | 'alias'>, log: EarlyLog): Promise<void> {
  const { importRecords } = await import('../../core/transfers/ledgerImport.ts');
  await importRecords({ ...request, clock, log });
  log.info(`The transfer records in ${request.source} were copied to ${request.target}`);
}

function getStoredLocalId(storageFolder: string): string {
  return `${localConnectionId}:${createHash('sha256').update(storageFolder).digest('hex').slice(0, 8)}`;
}

type Level = keyof Logger;

/** Buffers messages until the log is created, which happens when the extension starts. */
class EarlyLog implements Logger {
  private readonly entries: { readonly level: Level; readonly message: string }[] = [];
  readonly trace = this.createWriter('trace');
  readonly debug = this.createWriter('debug');
  readonly info = this.createWriter('info');
  readonly warn = this.createWriter('warn');
  readonly error = this.createWriter('error');

  writeTo(log: Logger): void {
    for (const { level, message } of this.entries.splice(0)) log[level](message);
  }

  private createWriter(level: Level): (message: string) => void {
    return (message) => void this.entries.push({ level, message });
  }
}
