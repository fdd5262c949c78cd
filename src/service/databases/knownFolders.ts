import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import * as z from 'zod/mini';
import type { Clock } from '../../core/util/clock.ts';
import { writeFileAtomically } from '../../core/util/durableFiles.ts';
import { getErrorCode, isMissing } from '../../core/util/errorFacts.ts';
import { parseJsonObject } from '../../core/util/json.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { DatabaseConfig } from '../config.ts';
import { inspectFolder } from '../folderCalls.ts';

const knownFolderSchema = z.object({
  /** The path of a folder, or `rclone:` followed by the remote of a store. */
  folder: z.string(),
  /** The path with links resolved when the folder was last found; absent for a store or a folder never found. */
  realFolder: z.optional(z.string()),
  id: z.string().check(z.regex(/^[a-z0-9][-a-z0-9_]*$/)),
  name: z.string(),
  /** The requested name; differs from `name` if a different folder or store already used the requested name. */
  wanted: z.string(),
  usedAtMs: z.number(),
});

const fileSchema = z.object({ folders: z.array(knownFolderSchema) });

type KnownFolder = z.infer<typeof knownFolderSchema>;

/** The ID and the name of a database, which stay the same while its folder does. */
export interface DatabaseIdentity {
  readonly id: string;
  readonly name: string;
}

interface KnownFoldersOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Stores IDs and names of databases, by which transfers find them after a restart (D25: durable transfers). */
export class KnownFolders {
  private readonly options: KnownFoldersOptions;
  private folders: KnownFolder[];

  private constructor(options: KnownFoldersOptions, folders: KnownFolder[]) {
    this.options = options;
    this.folders = folders;
  }

  /** Reads the file; renames an invalid one. Rejects if it can't be read: {@link save} would replace it. */
  static async open(options: KnownFoldersOptions): Promise<KnownFolders> {
    const text = await readIfPresent(options.file);
    if (text === undefined) return new KnownFolders(options, []);
    const result = z.safeParse(fileSchema, parseJsonObject(text));
    if (result.success) return new KnownFolders(options, result.data.folders);
    options.logger.warn(`The names of served folders could not be read; ${options.file} was renamed.`);
    await setAside(options.file);
    return new KnownFolders(options, []);
  }

  /**
   * Returns the ID and name of a folder or store. They are the stored ones, unless others are requested. A number is
   * appended to a name that is already in use. With `isExact`, the name is used as requested; another entry with that
   * name gets a new one the next time its folder or store is requested.
   */
  async identify(
    config: DatabaseConfig,
    isServed: (id: string) => boolean,
    isExact = false,
  ): Promise<DatabaseIdentity> {
    const known = await this.find(toLocation(config));
    if (config.id !== undefined && known.id !== config.id) this.assignId(known, config.id);
    if (isExact) this.assignName(known, config.name);
    else if (known.wanted !== config.name) known.name = await this.findFreeName(config.name, known, isServed);
    known.wanted = config.name;
    if (known.id === '') this.assignId(known, this.findFreeId(slugify(config.name)));
    known.usedAtMs = this.options.clock.now();
    return { id: known.id, name: known.name };
  }

  /** Returns the IDs of the configured folders and stores that are known. */
  async findIds(configs: readonly DatabaseConfig[]): Promise<string[]> {
    const ids: string[] = [];
    for (const location of configs.map(toLocation)) {
      const known = this.findByPath(location) ?? (await this.findByRealPath(await resolveRealPath(location)));
      if (known !== undefined) ids.push(known.id);
    }
    return ids;
  }

  /** Forgets unneeded databases last requested before `sinceMs` (since 1970). Returns their IDs. */
  forgetUnused(sinceMs: number, isNeeded: (id: string) => boolean): string[] {
    const unused = this.folders.filter(({ id, usedAtMs }) => usedAtMs < sinceMs && !isNeeded(id));
    this.folders = this.folders.filter((folder) => !unused.includes(folder));
    return unused.map(({ id }) => id);
  }

  async save(): Promise<void> {
    await writeFileAtomically(this.options.file, `${JSON.stringify({ folders: this.folders }, undefined, 2)}\n`, true);
  }

  /** Finds or adds a folder's entry. A link to a known folder leads to that folder's entry. */
  private async find(folder: string): Promise<KnownFolder> {
    const realFolder = await resolveRealPath(folder);
    const existing = this.findByPath(folder) ?? (await this.findByRealPath(realFolder));
    const known = existing ?? { folder, id: '', name: '', wanted: '', usedAtMs: 0 };
    if (existing === undefined) this.folders.push(known);
    if (realFolder !== undefined) known.realFolder = realFolder;
    return known;
  }

  private findByPath(folder: string): KnownFolder | undefined {
    return this.folders.find((known) => known.folder === folder);
  }

  /** Finds an entry by its resolved path. Skips entries whose path now belongs to a different folder. */
  private async findByRealPath(realFolder: string | undefined): Promise<KnownFolder | undefined> {
    if (realFolder === undefined) return undefined;
    for (const known of this.folders.filter((other) => other.realFolder === realFolder)) {
      const current = await resolveRealPath(known.folder);
      if (current === undefined || current === realFolder) return known;
    }
    return undefined;
  }

  private assignId(known: KnownFolder, id: string): void {
    this.folders = this.folders.filter((other) => other === known || other.id !== id);
    known.id = id;
  }

  private assignName(known: KnownFolder, name: string): void {
    for (const other of this.folders) {
      if (other !== known && other.name === name) Object.assign(other, { name: '', wanted: '' });
    }
    known.name = name;
  }

  private findFreeId(slug: string): string {
    const taken = new Set(this.folders.map(({ id }) => id));
    let id = slug;
    for (let number = 2; taken.has(id); number += 1) id = `${slug}-${number}`;
    return id;
  }

  private async findFreeName(
    preferred: string,
    known: KnownFolder,
    isServed: (id: string) => boolean,
  ): Promise<string> {
    const others = this.folders.filter((other) => other !== known);
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? preferred : `${preferred} (${number})`;
      const owner = others.find((other) => other.name === name);
      if (owner === undefined) return name;
      if (isServed(owner.id) || (await exists(owner.folder))) continue;
      // The owner's folder may have been moved to this path; a moved folder should keep its name.
      this.assignName(known, name);
      return name;
    }
  }
}

/** Returns the text of a file, if it exists. An error is shown to the person who starts the service. */
async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await fs.readFile(file, 'utf8');
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw new Error(`the names of served folders in ${file} can't be read (${getErrorCode(cause)})`, { cause });
  }
}

/** Renames an invalid file to a name that is not in use, such as `databases.json.aside`. */
async function setAside(file: string): Promise<void> {
  const names = new Set(await fs.readdir(nodePath.dirname(file)));
  let aside = `${file}.aside`;
  for (let number = 2; names.has(nodePath.basename(aside)); number += 1) aside = `${file}.aside-${number}`;
  await fs.rename(file, aside);
}

const storePrefix = 'rclone:';

function toLocation({ folder, remote }: DatabaseConfig): string {
  return folder ?? storePrefix + remote;
}

/** Returns true for an existing folder and for every store, which keeps its name while unreachable. */
async function exists(folder: string): Promise<boolean> {
  return folder.startsWith(storePrefix) || (await resolveRealPath(folder)) !== undefined;
}

async function resolveRealPath(folder: string): Promise<string | undefined> {
  return nodePath.isAbsolute(folder) ? (await inspectFolder(folder)).realPath : undefined;
}

/** Converts a name to an ID: at most 60 lowercase letters, digits and hyphens (D20: folders as databases). */
function slugify(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return (
    plain
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'database'
  );
}
