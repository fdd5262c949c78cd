import { escapeInvisible } from '../core/util/visibleText.ts';
import type { Logger } from '../core/util/logger.ts';

const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/**
 * Creates a logger that writes one line per entry and ignores trace and debug entries. Redacts secrets, replaces
 * control characters with spaces, and escapes invisible characters.
 */
export function createLineLogger(write: (line: string) => void, secrets: () => readonly string[]): Logger {
  const log = (level: string, message: string): void => {
    let text = message;
    for (const secret of secrets()) text = text.replaceAll(secret, '…');
    write(`${new Date().toISOString()} ${level} ${escapeInvisible(text.replaceAll(controlCharacters, ' '))}\n`);
  };
  return {
    trace: () => undefined,
    debug: () => undefined,
    info: (message) => log('info', message),
    warn: (message) => log('warn', message),
    error: (message) => log('error', message),
  };
}
