import { join } from 'node:path';
import { l10n, workspace, type Disposable, type ExtensionContext } from 'vscode';
import { toStoredId } from '../core/ledger/connectionAlias.ts';
import type { EditorServices } from './commands/services.ts';
import {
  setTerminalVariables,
  writeConnections,
  writeLaunchers,
  type CommandLineConnections,
} from './editor/commandLineFiles.ts';
import type { LedgerPlace } from './editor/ledgerPlace.ts';
import { localConnectionId } from './editor/machine.ts';
import { getLocalServiceName } from './words/serviceNames.ts';

/** Makes the command `data-transfer` available in the editor's terminals, with the connections of this window. */
export function provideCommandLine(
  context: ExtensionContext,
  editor: EditorServices,
  { alias }: LedgerPlace,
): Disposable {
  const { environmentVariableCollection: variables } = context;
  const { commandLinePlaces: places } = editor;
  const report = (error: unknown): void => editor.log.warn(`The command line is not available: ${String(error)}`);
  const write = (): void => void writeConnections(places, getConnections(editor, alias)).catch(report);
  variables.description = l10n.t('Adds the command {0} to terminals.', '`data-transfer`');
  setTerminalVariables(variables, places);
  void writeLaunchers(places).catch(report);
  write();
  return workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration('dataTransfer')) write();
  });
}

/** The command line uses the ID of the local service that the ledger has. */
function getConnections(
  { settings, servicePlaces }: EditorServices,
  alias: LedgerPlace['alias'],
): CommandLineConnections {
  const serviceFile = join(servicePlaces.dataFolder, 'service.json');
  const local = { id: toStoredId(alias, localConnectionId), name: getLocalServiceName(), serviceFile };
  return { orcid: settings.orcid, connections: settings.connections, local };
}
