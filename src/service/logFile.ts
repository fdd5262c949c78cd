import { appendFileSync, renameSync, statSync, writeFileSync } from 'node:fs';

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
