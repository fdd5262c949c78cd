import type { Writable } from 'node:stream';

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
