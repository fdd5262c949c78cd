import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../util/json.ts';

/** Small files by which windows say something to each other, each a JSON object. */
export class WindowNotes {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the folder, where it is not there yet. */
  async make(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  async names(): Promise<readonly string[]> {
    return await readdir(this.folder);
  }

  /** What a file says; nothing where it is gone or is none of ours. */
  async read(name: string): Promise<JsonObject> {
    try {
      const value: unknown = JSON.parse(await readFile(join(this.folder, name), 'utf8'));
      return isJsonObject(value) ? value : {};
    } catch {
      return {};
    }
  }

  /** Renamed into place, so that nobody reads half of it. */
  async write(name: string, what: JsonObject): Promise<void> {
    await this.make();
    const beside = join(this.folder, `${name}.new`);
    await writeFile(beside, JSON.stringify(what), { mode: 0o600 });
    await rename(beside, join(this.folder, name));
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.folder, name), { force: true });
  }
}
