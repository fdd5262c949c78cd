import type { Worker } from 'node:worker_threads';
import type { Logger } from '../../core/util/logger.ts';
import type { CatalogHandlers } from './catalogHandlers.ts';
import { databaseClosingCode, DatabaseUnavailableError } from './databaseUnavailableError.ts';
import { ThreadCalls } from '../threads/threadCalls.ts';
import { startThread, type LoggedLine } from '../threads/threadRole.ts';

/** A running catalog thread, and the calls to it. */
export interface CatalogRun {
  readonly worker: Worker;
  readonly calls: ThreadCalls<CatalogHandlers>;
}

/**
 * Runs all catalogs on a single separate thread, so that a long search does not block the main thread. The thread
 * starts on demand.
 */
export class CatalogThread {
  private readonly logger: Logger;
  private current: CatalogRun | undefined;

  constructor(logger: Logger) {
    this.logger = logger;
  }

  /** Returns the running thread. If there is none, for example after a crash, starts one with no open catalogs. */
  ensureRunning(): CatalogRun {
    this.current ??= this.start();
    return this.current;
  }

  /** Terminates the thread. Close its catalogs first. */
  async end(): Promise<void> {
    const run = this.current;
    this.current = undefined;
    run?.calls.fail(new DatabaseUnavailableError('The catalogs are closed.', databaseClosingCode));
    await run?.worker.terminate();
  }

  private start(): CatalogRun {
    const worker = startThread('catalogs');
    const run: CatalogRun = { worker, calls: new ThreadCalls<CatalogHandlers>(worker) };
    worker.on('message', (message: unknown) => {
      if (isLoggedLine(message)) this.logger[message.level](message.line);
    });
    worker.on('error', (error: unknown) => this.logger.error(`The catalog thread crashed: ${String(error)}`));
    worker.once('exit', () => {
      run.calls.fail(new Error('The catalog thread exited.'));
      if (this.current === run) this.current = undefined;
    });
    return run;
  }
}

function isLoggedLine(message: unknown): message is LoggedLine {
  return typeof message === 'object' && message !== null && 'level' in message;
}
