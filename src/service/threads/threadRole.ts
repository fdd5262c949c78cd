import * as nodePath from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../core/util/logger.ts';

/** The task of a thread, which is its worker data. */
export interface ThreadRole {
  readonly role: 'catalogs' | 'reading' | 'files';
}

/** A line that a thread sends to the log of the main thread. */
export interface LoggedLine {
  readonly level: keyof Logger;
  readonly line: string;
}

/** Limits that keep V8's young generation small, because the threads mainly create short-lived objects. */
const resourceLimits = { maxYoungGenerationSizeMb: 24 } as const;

/** Starts a thread. All roles share one program, which is next to this module in both the sources and the build. */
export function startThread(role: ThreadRole['role']): Worker {
  const program = nodePath.join(import.meta.dirname, `thread${nodePath.extname(import.meta.filename)}`);
  return new Worker(program, { workerData: { role } satisfies ThreadRole, resourceLimits });
}
