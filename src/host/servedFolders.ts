import { mkdir } from 'node:fs/promises';
import { l10n, Uri, workspace } from 'vscode';
import type { ServedFolder, Settings } from './settings.ts';

/** The folders that the local service serves: those of the settings, else the workspace's, the samples, and a place for what arrives. */
export async function servedFolders(
  settings: Settings,
  extension: Uri,
  storage: Uri,
): Promise<readonly ServedFolder[]> {
  if (settings.servedFolders.length > 0) return settings.servedFolders;
  const received = Uri.joinPath(storage, 'received').fsPath;
  await mkdir(received, { recursive: true });
  const open = (workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ name, uri }) => ({ name, folder: uri.fsPath, organization: l10n.t('This workspace') }));
  const machine = l10n.t('This machine');
  return [
    ...open,
    { name: l10n.t('Sample Data'), folder: Uri.joinPath(extension, 'samples').fsPath, organization: machine },
    { name: l10n.t('Received Files'), folder: received, organization: machine },
  ];
}
