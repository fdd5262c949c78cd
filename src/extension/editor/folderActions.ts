import { commands, env, l10n, UIKind, Uri, window, workspace } from 'vscode';

/** An action for a folder on this machine. */
interface FolderAction {
  readonly label: string;
  run(): unknown;
}

/** Lists the actions that show a folder. Actions that stay in this window come first. */
export function listRevealActions(folder: string): readonly FolderAction[] {
  const uri = Uri.file(folder);
  const run = (id: string, ...rest: unknown[]) => {
    return async (): Promise<unknown> => await commands.executeCommand(id, uri, ...rest);
  };
  const isInWorkspace = workspace.getWorkspaceFolder(uri) !== undefined;
  const hasFileManager = env.uiKind === UIKind.Desktop && env.remoteName === undefined;
  return [
    ...(isInWorkspace ? [{ label: l10n.t('Reveal in Explorer View'), run: run('revealInExplorer') }] : []),
    ...(hasFileManager ? [{ label: l10n.t('Reveal in File Manager'), run: run('revealFileInOS') }] : []),
    { label: l10n.t('Open Folder in New Window'), run: run('vscode.openFolder', { forceNewWindow: true }) },
  ];
}

/** Creates the action that opens a terminal in a folder. */
export function createTerminalAction(folder: string): FolderAction {
  const run = (): void => window.createTerminal({ cwd: Uri.file(folder) }).show();
  return { label: l10n.t('Open in Terminal'), run };
}
