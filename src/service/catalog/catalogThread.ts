import * as nodePath from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../core/util/logger.ts';
import type { CatalogAnswers } from './catalogAnswers.ts';
import { ThreadCalls } from './threadCalls.ts';
import { threadLimits, type LoggedLine, type ThreadRole } from './threadRole.ts';

/** A run of the thread. */
export interface CatalogRun {
  readonly calls: ThreadCalls<CatalogAnswers>;
}

interface OwnedRun extends CatalogRun {
  readonly worker: Worker;
}

/** Beside this module, in the sources as in what is built of them. */
function programFile(): string {
  const ending = nodePath.extname(import.meta.filename);
  return nodePath.join(import.meta.dirname, `thread${ending}`);
}

/** The thread that all catalogues live in: searching a large one keeps nobody from being answered. Started when needed. */
export class CatalogThread {
  private readonly logger: Logger;
  private current: OwnedRun | undefined;

  constructor(logger: Logger) {
    this.logger = logger;
  }

  /** The thread as it runs now; another one after it broke, which knows no catalogue yet. */
  run(): CatalogRun {
    this.current ??= this.begin();
    return this.current;
  }

  /** Ends the thread; catalogues that are to be kept well are closed before. */
  async end(): Promise<void> {
    const run = this.current;
    this.current = undefined;
    run?.calls.break(new Error('The catalogues are closed.'));
    await run?.worker.terminate();
  }

  private begin(): OwnedRun {
    const program = programFile();
    const workerData: ThreadRole = { role: 'catalogues', program };
    const worker = new Worker(program, { workerData, resourceLimits: threadLimits });
    const run: OwnedRun = { worker, calls: new ThreadCalls<CatalogAnswers>(worker) };
    worker.on('message', (message: unknown) => this.log(message));
    worker.on('error', (error: unknown) => {
      this.logger.error(`The thread of the catalogues broke: ${String(error)}`);
    });
    worker.once('exit', () => {
      run.calls.break(new Error('The thread of the catalogues ended.'));
      if (this.current === run) this.current = undefined;
    });
    return run;
  }

  private log(message: unknown): void {
    if (isLoggedLine(message)) this.logger[message.level](message.line);
  }
}

function isLoggedLine(message: unknown): message is LoggedLine {
  return typeof message === 'object' && message !== null && 'level' in message;
}
