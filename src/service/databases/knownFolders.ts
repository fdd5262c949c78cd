import * as fs from 'node:fs/promises';
import * as z from 'zod/mini';
import type { Clock } from '../../core/util/clock.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { DatabaseConfig } from '../config.ts';
import { writeBeside } from '../writeBeside.ts';
import { slugOf } from './slug.ts';

const knownFolderSchema = z.object({
  folder: z.string(),
  /** Where it led to when it was last asked for, links resolved. */
  realFolder: z.optional(z.string()),
  id: z.string().check(z.regex(/^[a-z0-9][-a-z0-9_]*$/)),
  name: z.string(),
  /** The name that was asked for; the one it got differs where another folder had it. */
  wanted: z.string(),
  usedAtMs: z.number(),
});

const fileSchema = z.object({ folders: z.array(knownFolderSchema) });

type KnownFolder = z.infer<typeof knownFolderSchema>;

/** How a folder is called as a database. */
export interface Identity {
  readonly id: string;
  readonly name: string;
}

/** What {@link KnownFolders} need. */
interface KnownFoldersOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Remembers the id and the name of every folder that was ever served, in a file: the order in which folders come does
 * not change what they are called, and transfers find their databases after a restart (D20, D25).
 */
export class KnownFolders {
  private readonly options: KnownFoldersOptions;
  private folders: KnownFolder[];

  private constructor(options: KnownFoldersOptions, folders: KnownFolder[]) {
    this.options = options;
    this.folders = folders;
  }

  /** Reads the file; one that cannot be understood is set aside, and ids begin anew. */
  static async open(options: KnownFoldersOptions): Promise<KnownFolders> {
    const text = await fs.readFile(options.file, 'utf8').catch(() => undefined);
    if (text === undefined) return new KnownFolders(options, []);
    const result = z.safeParse(fileSchema, parseJson(text));
    if (result.success) return new KnownFolders(options, result.data.folders);
    options.logger.warn(`The names of served folders could not be read; ${options.file} was set aside.`);
    await fs.rename(options.file, `${options.file}.aside`);
    return new KnownFolders(options, []);
  }

  /**
   * How a folder is called: what was decided when it first came, or, for a new folder or a new wish, what is free now.
   * With `isExact` the wish counts as it is, and whoever else had that name is called anew when it comes again.
   */
  async identify(wish: DatabaseConfig, isServed: (id: string) => boolean, isExact = false): Promise<Identity> {
    const known = await this.find(wish.folder);
    if (wish.id !== undefined && known.id !== wish.id) this.giveId(known, wish.id);
    if (isExact) this.takeName(known, wish.name);
    else if (known.wanted !== wish.name) known.name = await this.freeName(wish.name, known, isServed);
    known.wanted = wish.name;
    if (known.id === '') this.giveId(known, this.freeId(slugOf(wish.name)));
    known.usedAtMs = this.options.clock.now();
    return { id: known.id, name: known.name };
  }

  /** Forgets folders that nobody asked for since a time (milliseconds since 1970), and returns their ids. */
  forgetUnused(sinceMs: number, isNeeded: (id: string) => boolean): string[] {
    const unused = this.folders.filter(({ id, usedAtMs }) => usedAtMs < sinceMs && !isNeeded(id));
    this.folders = this.folders.filter((folder) => !unused.includes(folder));
    return unused.map(({ id }) => id);
  }

  /** Resolves when what was decided is on disk. */
  async save(): Promise<void> {
    await writeBeside(this.options.file, `${JSON.stringify({ folders: this.folders }, undefined, 2)}\n`);
  }

  /** The entry of a folder, by its path, or by where it leads: a link to a known folder is that folder. */
  private async find(folder: string): Promise<KnownFolder> {
    const realFolder = await realPathOf(folder);
    const found = this.folders.find((known) => known.folder === folder) ?? (await this.findByPlace(realFolder));
    const known = found ?? { folder, id: '', name: '', wanted: '', usedAtMs: 0 };
    if (found === undefined) this.folders.push(known);
    if (realFolder !== undefined) known.realFolder = realFolder;
    return known;
  }

  /** Not where another folder stands now at the path of the entry: that one would be taken for this one. */
  private async findByPlace(realFolder: string | undefined): Promise<KnownFolder | undefined> {
    if (realFolder === undefined) return undefined;
    for (const known of this.folders.filter((other) => other.realFolder === realFolder)) {
      const current = await realPathOf(known.folder);
      if (current === undefined || current === realFolder) return known;
    }
    return undefined;
  }

  private giveId(known: KnownFolder, id: string): void {
    this.folders = this.folders.filter((other) => other === known || other.id !== id);
    known.id = id;
  }

  private takeName(known: KnownFolder, name: string): void {
    for (const other of this.folders) {
      if (other !== known && other.name === name) Object.assign(other, { name: '', wanted: '' });
    }
    known.name = name;
  }

  private freeId(slug: string): string {
    const taken = new Set(this.folders.map(({ id }) => id));
    let id = slug;
    for (let number = 2; taken.has(id); number += 1) id = `${slug}-${number}`;
    return id;
  }

  private async freeName(wanted: string, known: KnownFolder, isServed: (id: string) => boolean): Promise<string> {
    const others = this.folders.filter((other) => other !== known);
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? wanted : `${wanted} (${number})`;
      const owner = others.find((other) => other.name === name);
      if (owner === undefined) return name;
      if (isServed(owner.id) || (await isThere(owner.folder))) continue;
      // A folder that was moved comes again under another path, and should find its name free.
      this.takeName(known, name);
      return name;
    }
  }
}

async function realPathOf(folder: string): Promise<string | undefined> {
  return await fs.realpath(folder).catch(() => undefined);
}

async function isThere(folder: string): Promise<boolean> {
  return await fs.access(folder).then(
    () => true,
    () => false,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
