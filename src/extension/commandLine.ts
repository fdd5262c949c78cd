import { join } from 'node:path';
import { l10n, workspace, type Disposable, type ExtensionContext } from 'vscode';
import { toStoredId } from '../core/transfers/recordFiles.ts';
import type { EditorServices } from './features/services.ts';
import {
  setTerminalVariables,
  writeConnections,
  writeLaunchers,
  type CommandLineConnections,
} from './editor/commandLineFiles.ts';
import type { LedgerLocation } from './editor/ledgerLocation.ts';
import { localConnectionId } from './editor/machine.ts';
import { getLocalServiceName } from './words/serviceNames.ts';

/** Makes the `data-transfer` command available in the editor's terminals, with the connections of this window. */
export function provideCommandLine(
  context: ExtensionContext,
  editor: EditorServices,
  { alias }: LedgerLocation,
): Disposable {
  const { environmentVariableCollection: variables } = context;
  const { commandLinePaths: paths } = editor;
  const report = (error: unknown): void => editor.log.warn(`Could not write command-line files: ${String(error)}`);
  const write = (): void => void writeConnections(paths, getConnections(editor, alias)).catch(report);
  variables.description = l10n.t('Adds the {0} command to terminals.', '`data-transfer`');
  setTerminalVariables(variables, paths);
  void writeLaunchers(paths).catch(report);
  write();
  return workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration('dataTransfer')) write();
  });
}

/** Returns the connections for the command line. The local service's ID is the one that the ledger uses. */
function getConnections(
  { settings, serviceFolders }: EditorServices,
  alias: LedgerLocation['alias'],
): CommandLineConnections {
  const serviceFile = join(serviceFolders.dataFolder, 'service.json');
  const local = { id: toStoredId(alias, localConnectionId), name: getLocalServiceName(), serviceFile };
  return { orcid: settings.orcid, connections: settings.connections, local };
}
