import { homedir } from 'node:os';
import { join } from 'node:path';
import { commands, l10n, Uri, workspace } from 'vscode';
import { transfersAsCsv, transfersAsJson } from '../../core/model/transferExport.ts';
import { CommandFailure } from '../../host/commandBoundary.ts';
import { connectionName } from '../../host/connectionName.ts';
import type { Notices } from '../../host/notices.ts';
import { pickNewFile, writeTextFile } from '../../host/textFile.ts';
import { plainLine, plural } from '../../host/words.ts';
import type { AskTransferParts } from './askTransfer.ts';
import type { ConnectionParts } from '../connections/connections.ts';

/** What the command needs. */
export interface ExportHistoryParts extends ConnectionParts, AskTransferParts {
  readonly notices: Notices;
}

/** Asks for a file and writes every transfer that is known into it: as a table where its name ends in `.csv`, else as JSON. */
export async function exportTransferHistory(parts: ExportHistoryParts): Promise<void> {
  const { transferFlow, transferStore, notices } = parts;
  await transferFlow.loadFinished();
  const transfers = transferStore.all();
  if (transfers.length === 0) throw new CommandFailure(l10n.t('There are no transfers to export.'));
  const file = await pickNewFile(l10n.t('Export Transfer History'), suggestedFile(), {
    [l10n.t('Table (CSV)')]: ['csv'],
    [l10n.t('JSON, with all files')]: ['json'],
  });
  if (!file) return;
  const write = file.path.toLowerCase().endsWith('.csv') ? transfersAsCsv : transfersAsJson;
  const context = { connectionName: (id: string) => connectionName(parts, id) || id };
  try {
    await writeTextFile(file, write(transfers, context));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(l10n.t('Could not export the history to {0}: {1}', plainLine(file.path), plainLine(why)));
  }
  const text = plural(transfers.length, 'Exported {0} transfer.', 'Exported {0} transfers.');
  void notices.info(text, { label: l10n.t('Open'), run: () => commands.executeCommand('vscode.open', file) });
}

function suggestedFile(): Uri {
  const [folder] = workspace.workspaceFolders ?? [];
  const name = `transfers-${new Date().toISOString().slice(0, 10)}.csv`;
  return folder ? Uri.joinPath(folder.uri, name) : Uri.file(join(homedir(), name));
}
