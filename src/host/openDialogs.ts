import { l10n, window, type Uri } from 'vscode';

/** Asks for a folder; undefined when the person left. */
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

/** Asks for a file of one of these kinds, given by the endings of their names; undefined when the person left. */
export async function pickFile(title: string, kind: string, endings: readonly string[]): Promise<Uri | undefined> {
  const [file] =
    (await window.showOpenDialog({ title, canSelectMany: false, filters: { [kind]: [...endings] } })) ?? [];
  return file;
}
