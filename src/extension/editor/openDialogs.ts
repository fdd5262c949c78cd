import { l10n, window, type Uri } from 'vscode';

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
