import { homedir } from 'node:os';
import { join } from 'node:path';
import { commands, l10n, Uri } from 'vscode';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { withProgress } from '../../editor/progress.ts';
import { pickNewFile, writeTextFile } from '../../editor/textFile.ts';
import { createConnectStep } from '../../notifications/nextSteps.ts';
import { plural } from '../../words/localeFormats.ts';
import { describeExportError, describeRecordProgress, describeUserData } from '../../words/userDataWords.ts';
import type { CommandServices } from '../services.ts';
import { getFileName } from './userDataFile.ts';

/**
 * Writes transfers, connections, served folders and stores, and the ORCID iD to a file. Doesn't write the API keys
 * (D65: user data file).
 */
export async function exportUserData(services: CommandServices): Promise<void> {
  if (isEmpty(services)) throw new CommandHint(l10n.t('There is no data to export yet.'), createConnectStep());
  const title = l10n.t('Export Data for Another Machine');
  const file = await pickNewFile(title, getSuggestedFile(), { JSON: ['json'] });
  if (!file) return;
  const written = await withProgress(title, async (signal, report) => {
    try {
      return await writeUserData(services, file, signal, report);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw new CommandFailure(l10n.t('Could not write {0}: {1}', getFileName(file), describeExportError(error)));
    }
  });
  if (written) reportExport(services, file, written);
}

interface WrittenData {
  /** The written entries. Only their counts are shown. */
  readonly data: Parameters<typeof describeUserData>[0];
  readonly laterCount: number;
  /** Number of transfers that were left out because an import would reject them. */
  readonly invalidCount: number;
}

async function writeUserData(
  { settings, commandLinePaths, log }: CommandServices,
  file: Uri,
  signal: AbortSignal,
  report: (message: string) => void,
): Promise<WrittenData> {
  const { readHistory } = await import('../../../core/userData/historyRecords.ts');
  const { formatUserData, selectExportable } = await import('../../../core/userData/formatUserData.ts');
  const onProgress = (done: number, total: number): void => report(describeRecordProgress(done, total));
  const { ledgerFolder } = commandLinePaths;
  const { transfers, laterCount } = await readHistory(['running', 'ended'], { ledgerFolder, log, signal, onProgress });
  const { connections, servedLocations: databases, orcid } = settings;
  const data = selectExportable({ connections, databases, transfers, ...(orcid !== '' && { orcid }) });
  let invalidCount = 0;
  const pieces = formatUserData(data, Date.now(), { onOmit: () => (invalidCount += 1) });
  await writeTextFile(file, stopWhenAborted(pieces, signal));
  const written = { length: transfers.length - invalidCount };
  return { data: { ...data, transfers: written }, laterCount, invalidCount };
}

function* stopWhenAborted(pieces: Iterable<string>, signal: AbortSignal): Generator<string> {
  for (const piece of pieces) {
    signal.throwIfAborted();
    yield piece;
  }
}

function reportExport({ notifications }: CommandServices, file: Uri, written: WrittenData): void {
  const { data, laterCount, invalidCount } = written;
  const text = l10n.t('Exported {0}. The file contains no API keys.', describeUserData(data));
  const invalid = plural(invalidCount, '{0} invalid transfer was left out.', '{0} invalid transfers were left out.');
  const later = plural(
    laterCount,
    '{0} transfer from a later version of the extension was left out.',
    '{0} transfers from a later version of the extension were left out.',
  );
  const open = { label: l10n.t('Open'), run: () => commands.executeCommand('vscode.open', file) };
  const notes = [laterCount > 0 ? later : undefined, invalidCount > 0 ? invalid : undefined];
  void notifications.info([text, ...notes].filter(Boolean).join(' '), open);
}

function isEmpty({ settings, transferStore }: CommandServices): boolean {
  const hasTransfers = transferStore.hasEarlier || transferStore.getAll().length > 0;
  const { connections, servedLocations, orcid } = settings;
  return !hasTransfers && connections.length === 0 && servedLocations.length === 0 && orcid === '';
}

function getSuggestedFile(): Uri {
  return Uri.file(join(homedir(), `data-transfer-${new Date().toISOString().slice(0, 10)}.json`));
}
