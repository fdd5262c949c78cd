import * as fs from 'node:fs/promises';
import { cannotBeRead, toSentence } from '../core/util/sharedTexts.ts';
import { settlesWithin, type Clock } from '../core/util/clock.ts';
import { getErrorCode } from '../core/util/errorFacts.ts';
import { toFreeBytes } from '../core/util/fileSystem.ts';
import type { Logger } from '../core/util/logger.ts';
import { databaseScanningCode, stoppingCause } from './catalog/databaseUnavailableError.ts';

interface CheckedDatabase {
  readonly document: { readonly id: string; readonly name: string };
  readonly catalog: { filesByIds(ids: readonly string[]): Promise<unknown> };
}

interface HealthOptions {
  readonly databases: { list(): readonly CheckedDatabase[] };
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  isStopping(): boolean;
}

type Readiness = 'ready' | 'pending' | 'failed';

const checkLimitMs = 2_000;

/** Checks whether the service is ready (D40: administered service). Database names appear only in the log. */
export class Health {
  private readonly options: HealthOptions;
  private readonly pending = new Map<string, Promise<Readiness>>();
  private checking: Promise<readonly string[]> | undefined;
  private logged = '';

  constructor(options: HealthOptions) {
    this.options = options;
  }

  /** Returns the reasons why the service is not ready, one sentence each; empty if it is ready. Never rejects. */
  async findProblems(): Promise<readonly string[]> {
    if (this.options.isStopping()) return [toSentence(stoppingCause)];
    this.checking ??= this.check().finally(() => (this.checking = undefined));
    return await this.checking;
  }

  private async check(): Promise<readonly string[]> {
    const databases = this.options.databases.list();
    const [storage, ...readiness] = await Promise.all([
      this.runWithinLimit('', () => this.checkStorage()),
      ...databases.map(({ document, catalog }) => this.runWithinLimit(document.id, () => catalog.filesByIds([]))),
    ]);
    const listNames = (state: Readiness): string[] =>
      databases.filter((_, index) => readiness[index] === state).map(({ document }) => document.name);
    const [failed, pending] = [listNames('failed'), listNames('pending')];
    this.log(storage, failed, pending);
    const count = (names: readonly string[], problem: string): string[] =>
      names.length === 0 ? [] : [`${names.length} of ${databases.length} databases ${problem}.`];
    return [
      ...(storage === 'ready' ? [] : ["The data folder can't be written to."]),
      ...count(failed, cannotBeRead),
      ...count(pending, "can't be searched yet: still being scanned, or not responding"),
    ];
  }

  private async checkStorage(): Promise<void> {
    const { dataFolder } = this.options;
    await fs.access(dataFolder, fs.constants.W_OK);
    if (toFreeBytes(await fs.statfs(dataFolder)) === 0) throw new Error('ENOSPC');
  }

  /** Returns `pending` after the limit. If an earlier run of the check hasn't settled, waits for that one. */
  private async runWithinLimit(key: string, check: () => Promise<unknown>): Promise<Readiness> {
    const running = this.pending.get(key) ?? this.run(key, check);
    return (await settlesWithin(this.options.clock, checkLimitMs, running)) ? await running : 'pending';
  }

  private run(key: string, check: () => Promise<unknown>): Promise<Readiness> {
    const running = check()
      .then(() => 'ready' as const)
      .catch((error: unknown) => (isFirstScan(error) ? ('pending' as const) : ('failed' as const)))
      .finally(() => this.pending.delete(key));
    this.pending.set(key, running);
    return running;
  }

  /** Logs the problems, with names, if they have changed. */
  private log(storage: Readiness | undefined, failed: readonly string[], pending: readonly string[]): void {
    const parts = [
      ...(storage === 'ready' ? [] : [`the data folder ${this.options.dataFolder} can't be written to`]),
      ...failed.map((name) => `the database ${name} can't be read`),
      ...pending.map((name) => `the database ${name} is still being scanned, or not responding`),
    ];
    const line = parts.join('; ');
    if (line === this.logged) return;
    this.logged = line;
    if (line === '') this.options.logger.info('The service is ready.');
    else this.options.logger.warn(`The service is not ready: ${line}.`);
  }
}

function isFirstScan(error: unknown): boolean {
  return error instanceof Error && getErrorCode(error.cause) === databaseScanningCode;
}
