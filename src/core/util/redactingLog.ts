import { escapeInvisible } from './escapeInvisible.ts';
import type { Logger } from './logger.ts';
import { redact } from './redact.ts';

/**
 * Passes everything on without what looks like a secret (header values, passwords in addresses), and with control and
 * direction characters escaped.
 */
export class RedactingLog implements Logger {
  private readonly log: Logger;

  constructor(log: Logger) {
    this.log = log;
  }

  trace(message: string): void {
    this.log.trace(makeLoggable(message));
  }

  debug(message: string): void {
    this.log.debug(makeLoggable(message));
  }

  info(message: string): void {
    this.log.info(makeLoggable(message));
  }

  warn(message: string): void {
    this.log.warn(makeLoggable(message));
  }

  error(message: string): void {
    this.log.error(makeLoggable(message));
  }
}

function makeLoggable(message: string): string {
  return escapeInvisible(redact(message));
}
