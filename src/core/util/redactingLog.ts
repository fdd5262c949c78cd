import { escapeInvisible } from './escapeInvisible.ts';
import type { Logger } from './logger.ts';
import { redact } from './redact.ts';

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
