import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';

/** Writes a file beside its name, for its owner only, and renames it: a reader sees the old text or the new, never a part. */
export async function writeBeside(file: string, text: string): Promise<void> {
  const beside = `${file}.${randomUUID()}.part`;
  try {
    await fs.writeFile(beside, text, { flag: 'wx', mode: 0o600, flush: true });
    await fs.rename(beside, file);
  } catch (error) {
    await fs.rm(beside, { force: true });
    throw error;
  }
}
