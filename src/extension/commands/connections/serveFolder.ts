import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { commands, l10n, workspace, type Uri } from 'vscode';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { pickFolder } from '../../editor/fileDialogs.ts';
import { containsPath, type ServiceFolders } from '../../localService/servedFolders.ts';
import { toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';
import { serveLocation } from './serveLocation.ts';

/** Serves a folder as a database. Asks for a name and, unless it is given, for the folder. */
export async function serveFolder(services: CommandServices, given: Uri | undefined): Promise<void> {
  const title = l10n.t('Serve a Folder as a Database');
  const uri = given ?? (await pickFolder(title));
  if (!uri) return;
  const folder = await requireServableFolder(services.serviceFolders, uri);
  const prompt = l10n.t('Database name for {0}', toPlainLine(folder));
  await serveLocation(services, { name: basename(folder), folder }, { title, prompt });
}

/** Returns the path of a folder. Throws a {@link CommandFailure} if the folder can't be served. */
async function requireServableFolder(serviceFolders: ServiceFolders, uri: Uri): Promise<string> {
  const name = toPlainLine(uri.scheme === 'file' ? uri.fsPath : uri.toString(true));
  if (uri.scheme !== 'file') {
    throw new CommandFailure(l10n.t("{0} isn't on this machine. Only folders on this machine can be served.", name));
  }
  if (!workspace.isTrusted && workspace.getWorkspaceFolder(uri)) {
    throw new CommandHint(
      l10n.t('{0} is in an untrusted workspace. To serve this folder, trust the workspace.', name),
      {
        label: l10n.t('Manage Workspace Trust'),
        run: () => commands.executeCommand('workbench.trust.manage'),
      },
    );
  }
  const found = await stat(uri.fsPath).catch(() => undefined);
  if (!found) throw new CommandFailure(l10n.t("The folder {0} doesn't exist or can't be accessed.", name));
  if (!found.isDirectory()) throw new CommandFailure(l10n.t("{0} isn't a folder.", name));
  const [containsData, isInData] = await Promise.all([
    containsPath(uri.fsPath, serviceFolders.dataFolder),
    containsPath(serviceFolders.dataFolder, uri.fsPath),
  ]);
  if (containsData || isInData) {
    throw new CommandFailure(l10n.t('{0} contains local service data. Select another folder.', name));
  }
  return uri.fsPath;
}
