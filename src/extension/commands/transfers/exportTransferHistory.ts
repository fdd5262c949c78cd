import { homedir } from 'node:os';
import { join } from 'node:path';
import { commands, l10n, Uri, workspace } from 'vscode';
import { exportAsCsv, exportAsJson } from '../../../core/model/transferExport.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { getConnectionName } from '../../editor/connectionFacts.ts';
import { pickNewFile, writeTextFile } from '../../editor/fileDialogs.ts';
import { createTransferStep } from '../../notifications/nextSteps.ts';
import { plural } from '../../words/localeFormats.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';

/**
 * Writes all transfers to a file that the user selects. Writes CSV if the file's name ends in `.csv`, and JSON
 * otherwise.
 */
export async function exportTransferHistory(services: CommandServices): Promise<void> {
  const { transferFlow, transferStore, notifications } = services;
  await transferFlow.loadFinished();
  const transfers = transferStore.getAll();
  if (transfers.length === 0) throw new CommandHint(l10n.t('There are no transfers to export.'), createTransferStep());
  const file = await pickNewFile(l10n.t('Export Transfer History'), getSuggestedFile(), {
    [l10n.t('Table (CSV)')]: ['csv'],
    [l10n.t('JSON (with file lists)')]: ['json'],
  });
  if (!file) return;
  const write = file.path.toLowerCase().endsWith('.csv') ? exportAsCsv : exportAsJson;
  const context = { getConnectionName: (id: string) => getConnectionName(services, id) };
  try {
    await writeTextFile(file, write(transfers, context));
  } catch (error) {
    throw new CommandFailure(
      l10n.t('Could not export the history to {0}: {1}', toPlainLine(file.path), describeError(error)),
    );
  }
  const text = plural(transfers.length, 'Exported {0} transfer.', 'Exported {0} transfers.');
  void notifications.info(text, { label: l10n.t('Open'), run: () => commands.executeCommand('vscode.open', file) });
}

function getSuggestedFile(): Uri {
  const [folder] = workspace.workspaceFolders ?? [];
  const name = `transfers-${new Date().toISOString().slice(0, 10)}.csv`;
  return folder ? Uri.joinPath(folder.uri, name) : Uri.file(join(homedir(), name));
}
