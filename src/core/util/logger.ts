import type { Clock } from './clock.ts';
import { redact } from './redact.ts';
import { escapeInvisible } from './visibleText.ts';

/** Writes log messages, like VS Code's `LogOutputChannel`. Callers must not pass secrets. */
export interface Logger {
  trace(message: string): void;
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Returns a log that redacts likely secrets and escapes invisible characters in all messages. */
export function createRedactingLog(log: Logger): Logger {
  const forward =
    (level: keyof Logger) =>
    (message: string): void =>
      log[level](escapeInvisible(redact(message)));
  return {
    trace: forward('trace'),
    debug: forward('debug'),
    info: forward('info'),
    warn: forward('warn'),
    error: forward('error'),
  };
}

/** A logged warning or error; `at` is in milliseconds since 1970. */
export interface LoggedProblem {
  readonly at: number;
  readonly level: 'warn' | 'error';
  readonly message: string;
}

const maxEntries = 50;
const maxMessageLength = 1000;

/** Forwards all messages, and stores the most recent warnings and errors, each truncated to a thousand characters. */
export class RecentProblems implements Logger {
  private readonly log: Logger;
  private readonly clock: Clock;
  private readonly entries: LoggedProblem[] = [];

  constructor(log: Logger, clock: Clock) {
    this.log = log;
    this.clock = clock;
  }

  /** The stored problems, oldest first. */
  get all(): readonly LoggedProblem[] {
    return this.entries;
  }

  readonly trace = (message: string): void => this.log.trace(message);
  readonly debug = (message: string): void => this.log.debug(message);
  readonly info = (message: string): void => this.log.info(message);

  warn(message: string): void {
    this.log.warn(message);
    this.add('warn', message);
  }

  error(message: string): void {
    this.log.error(message);
    this.add('error', message);
  }

  private add(level: LoggedProblem['level'], message: string): void {
    this.entries.push({ at: this.clock.now(), level, message: message.slice(0, maxMessageLength) });
    this.entries.splice(0, this.entries.length - maxEntries);
  }
}
