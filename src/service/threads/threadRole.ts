import * as nodePath from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from '../../core/util/logger.ts';

/** What a thread is for. */
export interface ThreadRole {
  readonly role: 'catalogues' | 'reading' | 'files';
}

/** A line for the log of the service, sent by a thread. */
export interface LoggedLine {
  readonly level: keyof Logger;
  readonly line: string;
}

/** What a thread makes is soon used up: swept often, it takes little room. In megabytes. */
const resourceLimits = { maxYoungGenerationSizeMb: 24 } as const;

/** Starts a thread. All of them run one program, which stands beside this module, in the sources as in what is built. */
export function startThread(role: ThreadRole['role']): Worker {
  const program = nodePath.join(import.meta.dirname, `thread${nodePath.extname(import.meta.filename)}`);
  return new Worker(program, { workerData: { role } satisfies ThreadRole, resourceLimits });
}
