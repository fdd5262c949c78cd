import { commands, l10n, Range, type Uri } from 'vscode';
import type { Connection } from '../../../core/model/connection.ts';
import { compareConnections } from '../../../core/userData/compareConnections.ts';
import { compareHistory } from '../../../core/userData/compareHistory.ts';
import { readHistory, type RecordWork } from '../../../core/userData/historyRecords.ts';
import type { ParsedUserData } from '../../../core/userData/parseUserData.ts';
import { runStepsInTurns } from '../../../core/util/steps.ts';
import { pickFile } from '../../editor/openDialogs.ts';
import { withProgress } from '../../editor/progress.ts';
import { runCommand } from '../../editor/commandBoundary.ts';
import type { NotificationAction, Notifications } from '../../editor/notifications.ts';
import {
  describeInvalidLines,
  describeLeftOutTransfers,
  describeRecordProgress,
  describeSecretLines,
  describeUserData,
} from '../../words/userDataWords.ts';
import type { CommandServices } from '../services.ts';
import { applyImports, type ImportedData } from './applyImports.ts';
import { chooseImports, hasOffer, type ImportOffer } from './importChoice.ts';
import { compareServedEntries } from './servedEntries.ts';
import { getFileName, readUserDataFile } from './userDataFile.ts';

/**
 * Asks for a user data file, and imports the entries that the user selects from it. Nothing changes until the user has
 * made that selection (D65: user data file).
 */
export async function importUserData(services: CommandServices): Promise<void> {
  const file = await pickFile(l10n.t('Import Data from Another Machine'), 'JSON', ['json']);
  if (!file) return;
  const name = getFileName(file);
  const found = await runWithRecords(services, l10n.t('Reading {0}', name), async (work) => {
    const parsed = await readUserDataFile(file, work.signal);
    warnAboutSecrets(services.notifications, file, parsed.secretLines);
    return { parsed, offer: await compare(services, parsed, work) };
  });
  if (!found) return;
  const { parsed, offer } = found;
  if (!hasOffer(offer)) {
    void services.notifications.info(
      join(
        l10n.t("Nothing to import from {0}: its entries are already on this machine or can't be used here.", name),
        parsed,
      ),
    );
    return;
  }
  const items = await chooseImports(offer, name);
  if (!items) return;
  const title = l10n.t('Importing from {0}', name);
  const imported = await runWithRecords(services, title, (work) =>
    applyImports(services, { offer, items, name }, work),
  );
  if (imported) reportImport(services.notifications, imported, parsed);
}

/**
 * Runs an operation that reads or writes records, and shows its progress in a notification. Resolves to undefined if
 * the user cancels.
 */
async function runWithRecords<T>(
  { commandLinePaths, log }: CommandServices,
  title: string,
  operation: (work: RecordWork) => Promise<T>,
): Promise<T | undefined> {
  const { ledgerFolder } = commandLinePaths;
  return await withProgress(title, async (signal, report) => {
    const onProgress = (done: number, total: number): void => report(describeRecordProgress(done, total));
    try {
      return await operation({ ledgerFolder, log, signal, onProgress });
    } catch (error) {
      if (signal.aborted && error === signal.reason) return undefined;
      throw error;
    }
  });
}

async function compare(services: CommandServices, { data }: ParsedUserData, work: RecordWork): Promise<ImportOffer> {
  const { settings } = services;
  const connections = compareConnections(data.connections, settings.connections);
  const ids = new Map(connections.map(({ fileId, connection }) => [fileId, connection.id]));
  const stored = await readHistory(['running', 'ended'], work);
  const history = await runStepsInTurns(compareHistory(data.transfers, stored.transfers, ids), work.signal);
  const databases = await compareServedEntries(services, data.databases);
  const replaced = settings.orcid;
  const isOrcidNew = data.orcid !== undefined && data.orcid !== replaced;
  return { history, connections, databases, ...(isOrcidNew && { orcid: { value: data.orcid, replaced } }) };
}

function warnAboutSecrets(notifications: Notifications, file: Uri, lines: readonly number[]): void {
  const [first] = lines;
  if (first === undefined) return;
  const selection = new Range(first - 1, 0, first - 1, 0);
  const open = (): unknown => commands.executeCommand('vscode.open', file, { selection });
  void notifications.warning(describeSecretLines(getFileName(file), lines), { label: l10n.t('Open'), run: open });
}

function reportImport(notifications: Notifications, imported: ImportedData, parsed: ParsedUserData): void {
  const { connections, leftOutCount } = imported;
  const added = describeUserData(imported);
  const texts = [
    added === '' ? '' : l10n.t('Imported {0}.', added),
    leftOutCount === 0 ? '' : describeLeftOutTransfers(leftOutCount),
  ].filter(Boolean);
  const text = texts.length === 0 ? describeLoneVariable() : texts.join(' ');
  void notifications.info(join(text, parsed), ...connections.slice(0, 1).map(createKeyStep));
}

function describeLoneVariable(): string {
  return l10n.t('Nothing was imported. To import an environment variable, also select its connection.');
}

function createKeyStep({ id }: Connection): NotificationAction {
  return { label: l10n.t('Set API Key…'), run: () => runCommand('dataTransfer.setApiKey', { kind: 'connection', id }) };
}

/** Returns the text, followed by a sentence about the invalid entries that were skipped, if any. */
function join(text: string, { invalidLines }: ParsedUserData): string {
  return invalidLines.length === 0 ? text : `${text} ${describeInvalidLines(invalidLines)}`;
}
