import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '../util/createFolder.ts';
import { parseJsonObject, type JsonObject } from '../util/json.ts';
import { writeFileAtomically } from '../util/durableFiles.ts';

/** Exchanges messages between windows as small files, each containing a JSON object. */
export class WindowMessages {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async createFolder(): Promise<void> {
    await createFolder(this.folder, 0o700);
  }

  async listNames(): Promise<readonly string[]> {
    return await readdir(this.folder);
  }

  /** Returns the content of a file; an empty object if the file is missing or invalid. */
  async read(name: string): Promise<JsonObject> {
    const text = await readFile(join(this.folder, name), 'utf8').catch(() => '');
    return parseJsonObject(text) ?? {};
  }

  async write(name: string, content: JsonObject): Promise<void> {
    await this.createFolder();
    await writeFileAtomically(join(this.folder, name), JSON.stringify(content));
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.folder, name), { force: true });
  }
}
