import { toPlainCell } from './text/plainCell.ts';

const barWidth = 20;
/** Minimum time between two plain lines, in milliseconds. */
const plainLineMs = 10_000;

/** Shows progress on a single line of a terminal, or as plain lines if the stream is not a terminal. */
export class ProgressLine {
  private readonly stream: NodeJS.WriteStream;
  private isShown = false;
  private lastText = '';
  /**
   * The time of the last plain line, in milliseconds since 1970. Initialized to the time of creation, so that short
   * operations print no line.
   */
  private lastAt = Date.now();

  constructor(stream: NodeJS.WriteStream) {
    this.stream = stream;
  }

  show(text: string, fraction?: number): void {
    const line = toPlainCell(text);
    if (this.stream.isTTY) this.draw(line, fraction);
    else this.writePlain(line);
  }

  /** Removes the line from the terminal, so that other text can be written. */
  clear(): void {
    if (this.isShown) this.stream.write('\r\u001B[K');
    this.isShown = false;
  }

  private draw(text: string, fraction: number | undefined): void {
    const line = `${fraction === undefined ? '' : `${formatBar(fraction)} `}${text}`;
    this.stream.write(`\r\u001B[K${line.slice(0, Math.max(10, this.stream.columns - 1))}`);
    this.isShown = true;
  }

  /** Writes a line if the text has changed, at most once every ten seconds. */
  private writePlain(text: string): void {
    const now = Date.now();
    if (text === this.lastText || now - this.lastAt < plainLineMs) return;
    this.lastText = text;
    this.lastAt = now;
    this.stream.write(`${text}\n`);
  }
}

function formatBar(fraction: number): string {
  const filled = Math.round(barWidth * Math.min(1, Math.max(0, fraction)));
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${Math.floor(100 * Math.min(1, fraction))}%`;
}
