import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { commands, env, l10n, UIKind, Uri, window, workspace } from 'vscode';
import { describeError, toPlainLine } from '../words/plainText.ts';
import { CommandFailure } from './commandBoundary.ts';
import type { Notifications } from './notifications.ts';

/** Lets the user select a folder. Resolves to undefined if the user cancels. */
export async function pickFolder(title: string): Promise<Uri | undefined> {
  const [folder] =
    (await window.showOpenDialog({
      title,
      openLabel: l10n.t('Select Folder'),
      canSelectFiles: false,
      canSelectFolders: true,
      canSelectMany: false,
    })) ?? [];
  return folder;
}

/** Lets the user select a file with one of the given extensions. Resolves to undefined if the user cancels. */
export async function pickFile(
  title: string,
  kind: string,
  fileExtensions: readonly string[],
): Promise<Uri | undefined> {
  const [file] =
    (await window.showOpenDialog({ title, canSelectMany: false, filters: { [kind]: [...fileExtensions] } })) ?? [];
  return file;
}

/** Lets the user select a file to save to. `kinds`: file extensions by label. Undefined if canceled. */
export async function pickNewFile(
  title: string,
  suggested: Uri,
  kinds: Readonly<Record<string, string[]>>,
): Promise<Uri | undefined> {
  return await window.showSaveDialog({ title, defaultUri: suggested, filters: { ...kinds } });
}

/**
 * Writes text to a file. Writes a local file in chunks under a temporary name and renames it at the end, so that a
 * failure doesn't damage an existing file. Rejects if writing fails.
 */
export async function writeTextFile(file: Uri, pieces: Iterable<string>): Promise<void> {
  if (file.scheme !== 'file') {
    await workspace.fs.writeFile(file, new TextEncoder().encode([...pieces].join('')));
    return;
  }
  const temporary = `${file.fsPath}.${randomUUID()}.part`;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(temporary, { flags: 'wx' }));
    await rename(temporary, file.fsPath);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** A result that can be saved as a file. */
interface SavableResult {
  /** The title of the dialog. */
  readonly title: string;
  readonly suggested: Uri;
  /** File extensions by label. */
  readonly kinds: Readonly<Record<string, string[]>>;
  /** Says that the result was saved. */
  readonly savedText: string;
  /** Returns the content for a file, whose name tells the format. */
  format(file: Uri): Iterable<string>;
}

/** Lets the user save a result, and offers to open the file. Rejects with a message for the user if writing fails. */
export async function saveResult(notifications: Notifications, result: SavableResult): Promise<void> {
  const file = await pickNewFile(result.title, result.suggested, result.kinds);
  if (!file) return;
  try {
    await writeTextFile(file, result.format(file));
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not write {0}: {1}', toPlainLine(file.path), describeError(error)));
  }
  void notifications.info(result.savedText, createOpenAction(file));
}

function createOpenAction(file: Uri): FolderAction {
  return { label: l10n.t('Open'), run: () => commands.executeCommand('vscode.open', file) };
}

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
