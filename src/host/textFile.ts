import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { window, workspace, type Uri } from 'vscode';

/** Asks where to write a file; `kinds` are endings by what people call them. Undefined when the person left. */
export async function pickNewFile(
  title: string,
  suggested: Uri,
  kinds: Readonly<Record<string, string[]>>,
): Promise<Uri | undefined> {
  return await window.showSaveDialog({ title, defaultUri: suggested, filters: { ...kinds } });
}

/**
 * Writes a text that is made piece by piece. A file of this machine is written beside its final name and never held in
 * memory as a whole, so that a failure leaves an earlier one as it was; rejects then.
 */
export async function writeTextFile(file: Uri, pieces: Iterable<string>): Promise<void> {
  if (file.scheme !== 'file') {
    await workspace.fs.writeFile(file, new TextEncoder().encode([...pieces].join('')));
    return;
  }
  const beside = `${file.fsPath}.${randomUUID()}.part`;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(beside, { flags: 'wx' }));
    await rename(beside, file.fsPath);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
