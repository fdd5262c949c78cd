import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

/** A warning or an error that was logged; `at` in milliseconds since 1970. */
export interface Trouble {
  readonly at: number;
  readonly level: 'warn' | 'error';
  readonly message: string;
}

const mostKept = 50;
const longestKept = 1000;

/** Passes everything on, and remembers the last warnings and errors, each cut to a thousand characters. */
export class RecentTroubles implements Logger {
  private readonly log: Logger;
  private readonly clock: Clock;
  private readonly kept: Trouble[] = [];

  constructor(log: Logger, clock: Clock) {
    this.log = log;
    this.clock = clock;
  }

  /** Oldest first. */
  get all(): readonly Trouble[] {
    return this.kept;
  }

  trace(message: string): void {
    this.log.trace(message);
  }

  debug(message: string): void {
    this.log.debug(message);
  }

  info(message: string): void {
    this.log.info(message);
  }

  warn(message: string): void {
    this.log.warn(message);
    this.keep('warn', message);
  }

  error(message: string): void {
    this.log.error(message);
    this.keep('error', message);
  }

  private keep(level: Trouble['level'], message: string): void {
    this.kept.push({ at: this.clock.now(), level, message: message.slice(0, longestKept) });
    this.kept.splice(0, this.kept.length - mostKept);
  }
}
