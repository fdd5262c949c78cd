import type { Logger } from '../../core/util/logger.ts';

/** What a thread is for, and the file of the program that all of them run. */
export interface ThreadRole {
  readonly role: 'catalogues' | 'reading';
  readonly program: string;
}

/** A line for the log of the service, sent by a thread. */
export interface LoggedLine {
  readonly level: keyof Logger;
  readonly line: string;
}

/** What a thread makes is soon used up: swept often, it takes little room. In megabytes. */
export const threadLimits = { maxYoungGenerationSizeMb: 24 } as const;
