import type { Logger } from './logger.ts';
import { redact } from './redact.ts';

/** Passes everything on without what looks like a secret: header values, passwords in addresses. */
export class RedactingLog implements Logger {
  private readonly log: Logger;

  constructor(log: Logger) {
    this.log = log;
  }

  trace(message: string): void {
    this.log.trace(redact(message));
  }

  debug(message: string): void {
    this.log.debug(redact(message));
  }

  info(message: string): void {
    this.log.info(redact(message));
  }

  warn(message: string): void {
    this.log.warn(redact(message));
  }

  error(message: string): void {
    this.log.error(redact(message));
  }
}
