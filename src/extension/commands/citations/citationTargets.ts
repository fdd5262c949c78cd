import { homedir } from 'node:os';
import { join } from 'node:path';
import { commands, l10n, Uri, window, workspace } from 'vscode';
import { citationFileNames, type CitationFormat } from '../../../core/citations/citationFormats.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import { pickNewFile, writeTextFile } from '../../editor/fileDialogs.ts';
import { getCitationFormatName } from '../../words/citationWords.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';

/** Replaces the selections in the active text editor with the given text. */
export async function insertText(text: string): Promise<void> {
  const editor = window.activeTextEditor;
  const isInserted = await editor?.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
  if (!isInserted)
    throw new CommandFailure(l10n.t('Could not insert the citations into the editor. Copy them instead.'));
}

/** Asks for a file, and writes citations to it. */
export async function saveCitations(
  { notifications }: CommandServices,
  format: CitationFormat,
  text: string,
): Promise<void> {
  const name = citationFileNames[format];
  const kinds = { [getCitationFormatName(format)]: [name.replace(/^.*\./, '')] };
  const file = await pickNewFile(l10n.t('Save Citations'), getSuggestedFile(name), kinds);
  if (!file) return;
  try {
    await writeTextFile(file, [text]);
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not write {0}: {1}', toPlainLine(file.path), describeError(error)));
  }
  const open = { label: l10n.t('Open'), run: () => commands.executeCommand('vscode.open', file) };
  void notifications.info(l10n.t('Saved the citations.'), open);
}

function getSuggestedFile(name: string): Uri {
  const [folder] = workspace.workspaceFolders ?? [];
  return folder ? Uri.joinPath(folder.uri, name) : Uri.file(join(homedir(), name));
}
