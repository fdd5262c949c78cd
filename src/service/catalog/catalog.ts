import type { Logger } from '../../core/util/logger.ts';
import { HttpProblem } from '../http/httpProblem.ts';
import type { CatalogAnswers } from './catalogAnswers.ts';
import type { CatalogFile, HashedFile, ReadFile } from './catalogFile.ts';
import type { CatalogRun, CatalogThread } from './catalogThread.ts';
import type { FolderCatalogPlan } from './folderCatalog.ts';
import { folderTroubleCode } from './folderTrouble.ts';
import type { SearchPage } from './searchPage.ts';
import type { CatalogSearch } from './searchSql.ts';

/** What a catalogue needs to know and have. */
interface CatalogOptions extends FolderCatalogPlan {
  readonly thread: CatalogThread;
  readonly logger: Logger;
}

type Method = Exclude<keyof CatalogAnswers, 'open'>;
type RestOf<M extends Method> = Parameters<CatalogAnswers[M]> extends [string, ...infer R] ? R : never;

/** The files of one database, kept in step with its folder (D20): what others see of it, from outside its thread. */
export class Catalog {
  private readonly options: CatalogOptions;
  private isClosed = false;
  private opened: { readonly run: CatalogRun; readonly whenDone: Promise<void> } | undefined;

  constructor(options: CatalogOptions) {
    this.options = options;
  }

  /** Begins the first scan; searches wait for it. Rejects when the catalogue cannot be opened. */
  async start(): Promise<void> {
    await this.open();
  }

  /** One page of a search. Throws {@link HttpProblem} 500 while the folder is not there or cannot be read. */
  async search(wanted: CatalogSearch): Promise<SearchPage> {
    return await this.ask('search', wanted);
  }

  /** The files that have these ids, in the order asked; unknown ids are left out. Throws as {@link search} does. */
  async filesByIds(ids: Iterable<string>): Promise<Map<string, CatalogFile>> {
    const asked = [...ids];
    const files = await this.ask('filesByIds', asked);
    const found = new Map<string, CatalogFile>();
    for (const [index, id] of asked.entries()) {
      const file = files[index];
      if (file !== undefined) found.set(id, { ...file, id });
    }
    return found;
  }

  /**
   * What is held of the files at these paths: their hash, and what they were when it was taken (D22). Never rejects:
   * without it the files are only read once more.
   */
  async heldHashes(paths: readonly string[]): Promise<readonly (HashedFile | undefined)[]> {
    return (await this.quietly('heldHashes', paths)) ?? [];
  }

  /** Keeps the hashes of files that were read whole (D22). Never rejects, for the same reason. */
  async holdHashes(files: readonly ReadFile[]): Promise<void> {
    await this.quietly('holdHashes', files);
  }

  /** What changes at this folder and below is not looked at, until it is settled: a transfer writes there. Never rejects. */
  async unsettle(under: string): Promise<void> {
    await this.quietly('unsettle', under);
  }

  /** Looks at a folder as it is now, and from now on at what changes there again: searches wait for it. Never rejects. */
  async settle(under: string): Promise<void> {
    await this.quietly('settle', under);
  }

  /** Looks at the folder again, or only at one folder in it. Never rejects. */
  async rescan(under = ''): Promise<void> {
    await this.quietly('rescan', under);
  }

  /** Ends the watching, waits for a scan to stop, and closes the file. Searches reject from then on. */
  async close(): Promise<void> {
    const { opened } = this;
    this.isClosed = true;
    this.opened = undefined;
    await opened?.run.calls.ask('close', this.options.file).catch(() => undefined);
  }

  private async ask<M extends Method>(method: M, ...rest: RestOf<M>): Promise<Awaited<ReturnType<CatalogAnswers[M]>>> {
    const run = await this.open();
    try {
      return await run.calls.ask(method, ...([this.options.file, ...rest] as unknown as Parameters<CatalogAnswers[M]>));
    } catch (error) {
      const isTrouble = error instanceof Error && 'code' in error && error.code === folderTroubleCode;
      throw isTrouble ? new HttpProblem(500, error.message) : error;
    }
  }

  private async quietly<M extends Method>(
    method: M,
    ...rest: RestOf<M>
  ): Promise<Awaited<ReturnType<CatalogAnswers[M]>> | undefined> {
    try {
      return await this.ask(method, ...rest);
    } catch (error) {
      this.options.logger.warn(`The catalogue of ${this.options.name}: ${String(error)}`);
      return undefined;
    }
  }

  /** Opens the catalogue in the thread that runs now, where that has not been done. */
  private async open(): Promise<CatalogRun> {
    if (this.isClosed) throw new Error(`The catalogue of ${this.options.name} is closed.`);
    const run = this.options.thread.run();
    if (this.opened?.run !== run) {
      const { name, folder, file, textMode } = this.options;
      const plan = { name, folder, file, ...(textMode === undefined ? {} : { textMode }) };
      this.opened = { run, whenDone: run.calls.ask('open', file, plan) };
    }
    const { opened } = this;
    try {
      await opened.whenDone;
      return run;
    } catch (error) {
      if (this.opened === opened) this.opened = undefined;
      throw error;
    }
  }
}
