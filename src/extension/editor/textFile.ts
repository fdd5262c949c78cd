import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { window, workspace, type Uri } from 'vscode';

/**
 * Lets the user select a file to save to. `kinds` maps labels to file extensions. Resolves to undefined if the user
 * cancels.
 */
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
