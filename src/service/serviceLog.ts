import { appendFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import type { Logger } from '../core/util/logger.ts';
import { escapeInvisible, joinLines } from '../core/util/visibleText.ts';

/**
 * Creates a logger that writes one line per entry and ignores trace and debug entries. Redacts secrets, replaces
 * control characters with spaces, and escapes invisible characters.
 */
export function createLineLogger(write: (line: string) => void, secrets: () => readonly string[]): Logger {
  const log = (level: string, message: string): void => {
    let text = message;
    for (const secret of secrets()) text = text.replaceAll(secret, '…');
    write(`${new Date().toISOString()} ${level} ${escapeInvisible(joinLines(text))}\n`);
  };
  return {
    trace: () => undefined,
    debug: () => undefined,
    info: (message) => log('info', message),
    warn: (message) => log('warn', message),
    error: (message) => log('error', message),
  };
}

const maxUnreadLength = 256 * 1024;

/**
 * Returns a function that writes lines to a stream. Drops lines while the reader is too far behind. Once the reader has
 * caught up, calls `onResume` with the number of dropped lines.
 */
export function createLineOutput(stream: Writable, onResume: (droppedCount: number) => void): (line: string) => void {
  let droppedCount = 0;
  const resume = (): void => {
    const count = droppedCount;
    droppedCount = 0;
    onResume(count);
  };
  return (line) => {
    if (droppedCount === 0 && stream.writableLength < maxUnreadLength) {
      stream.write(line);
      return;
    }
    if (droppedCount === 0) stream.once('drain', resume);
    droppedCount += 1;
  };
}

const maxBytes = 1024 * 1024;

/** Returns a function that appends to a log file of at most 1 MiB. A full file is renamed to `<file>.old`. */
export function openLogFile(file: string): (line: string) => void {
  let sizeBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  // Synchronous, so that the last lines before a crash are saved.
  return (line) => {
    const bytes = Buffer.byteLength(line);
    try {
      if (sizeBytes + bytes > maxBytes) {
        setAside(file);
        sizeBytes = 0;
      }
      appendFileSync(file, line, { mode: 0o600 });
      sizeBytes += bytes;
    } catch {
      // The disk may be full, for example; there is nowhere else to report the error.
    }
  };
}

/** Renames a full log file. Empties it if that fails, because new lines matter more than old ones. */
function setAside(file: string): void {
  try {
    renameSync(file, `${file}.old`);
  } catch {
    writeFileSync(file, '', { mode: 0o600 });
  }
}
