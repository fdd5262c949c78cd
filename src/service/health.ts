import * as fs from 'node:fs/promises';
import type { Clock } from '../core/util/clock.ts';
import type { Logger } from '../core/util/logger.ts';

/** A database, as far as its readiness goes. */
interface CheckedDatabase {
  readonly document: { readonly id: string; readonly name: string };
  readonly catalog: { filesByIds(ids: readonly string[]): Promise<unknown> };
}

/** Dependencies of {@link Health}. */
interface HealthOptions {
  readonly databases: { list(): readonly CheckedDatabase[] };
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  isStopping(): boolean;
}

type Readiness = 'ready' | 'pending' | 'failed';

const checkLimitMs = 2_000;

/**
 * Tells whether the service is ready, to anybody (D40): so it names neither databases nor folders, which the log does.
 * A check that hangs is waited for once, however often somebody asks.
 */
export class Health {
  private readonly options: HealthOptions;
  private readonly pending = new Map<string, Promise<Readiness>>();
  private checking: Promise<readonly string[]> | undefined;
  private logged = '';

  constructor(options: HealthOptions) {
    this.options = options;
  }

  /** Returns why the service is not ready, a sentence each; empty where it is. Never rejects. */
  async problems(): Promise<readonly string[]> {
    if (this.options.isStopping()) return ['The service is stopping.'];
    this.checking ??= this.check().finally(() => (this.checking = undefined));
    return await this.checking;
  }

  private async check(): Promise<readonly string[]> {
    const databases = this.options.databases.list();
    const [storage, ...found] = await Promise.all([
      this.within('', async () => await this.checkStorage()),
      ...databases.map(async ({ document, catalog }) => {
        return await this.within(document.id, async () => await catalog.filesByIds([]));
      }),
    ]);
    const named = (wanted: Readiness): string[] =>
      databases.filter((_, index) => found[index] === wanted).map(({ document }) => document.name);
    this.log(storage, named('failed'), named('pending'));
    const count = (names: readonly string[], end: string): string[] =>
      names.length === 0 ? [] : [`${names.length} of ${databases.length} databases ${end}.`];
    return [
      ...(storage === 'ready' ? [] : ["The data folder can't be written to."]),
      ...count(named('failed'), "can't be read"),
      ...count(named('pending'), "can't be searched yet: the folder is still being read"),
    ];
  }

  private async checkStorage(): Promise<void> {
    const { dataFolder } = this.options;
    await fs.access(dataFolder, fs.constants.W_OK);
    const { bavail } = await fs.statfs(dataFolder);
    if (bavail === 0) throw new Error('The disk is full.');
  }

  /** Waits for a check for a time; one that takes longer is not started a second time. */
  private async within(key: string, check: () => Promise<unknown>): Promise<Readiness> {
    let running = this.pending.get(key);
    if (running === undefined) {
      running = check()
        .then(
          (): Readiness => 'ready',
          (): Readiness => 'failed',
        )
        .finally(() => this.pending.delete(key));
      this.pending.set(key, running);
    }
    return await new Promise((resolve) => {
      const timer = this.options.clock.after(checkLimitMs, () => resolve('pending'));
      void running.then((readiness) => {
        timer.dispose();
        resolve(readiness);
      });
    });
  }

  /** Logs the names once for each change. */
  private log(storage: Readiness | undefined, failed: readonly string[], pending: readonly string[]): void {
    const parts = [
      ...(storage === 'ready' ? [] : [`the data folder ${this.options.dataFolder} can't be written to`]),
      ...failed.map((name) => `the database ${name} can't be read`),
      ...pending.map((name) => `the database ${name} is still being read`),
    ];
    const line = parts.join('; ');
    if (line === this.logged) return;
    this.logged = line;
    if (line === '') this.options.logger.info('The service is ready.');
    else this.options.logger.warn(`The service is not ready: ${line}.`);
  }
}
