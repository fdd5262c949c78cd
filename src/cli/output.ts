import { escapeInvisible, toSafeLine } from '../core/util/visibleText.ts';

export { toSafeLine as toPlainCell };

/** A column of a table. `getText` returns the text of the column's cell in a row; numbers are right-aligned. */
export interface Column<T> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly getText: (row: T) => string | undefined;
}

/** Formats rows as a table with aligned columns. Converts each cell to plain text on one line. */
export function formatTable<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const cells = rows.map((row) => columns.map(({ getText }) => toSafeLine(getText(row) ?? '')));
  const lines = [columns.map(({ title }) => title), ...cells];
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, line[index]?.length ?? 0), 0),
  );
  return lines.map((line) => formatLine(columns, line, widths)).join('');
}

function formatLine<T>(columns: readonly Column<T>[], line: readonly string[], widths: readonly number[]): string {
  const padded = columns.map(({ isNumber }, index) => {
    const [cell = '', width = 0] = [line[index], widths[index]];
    return isNumber ? cell.padStart(width) : cell.padEnd(width);
  });
  return `${padded.join('  ').trimEnd()}\n`;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Formats a number of bytes with a decimal unit: `1.5 MB`. */
export function formatBytes(sizeBytes: number): string {
  const power = sizeBytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(sizeBytes) / 3));
  const amount = sizeBytes / 1000 ** power;
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[power] ?? ''}`;
}

/** Formats a count with its noun: `1 file`, `2 files`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const barWidth = 20;
/** Minimum time between two plain lines, in milliseconds. */
const plainLineMs = 10_000;

/** Shows progress on one line of a terminal, or as plain lines if the stream is not a terminal. */
class ProgressLine {
  private readonly stream: NodeJS.WriteStream;
  private isShown = false;
  private lastText = '';
  /** Time of the last plain line in ms since 1970; begins with the creation, so that short operations print none. */
  private lastAt = Date.now();

  constructor(stream: NodeJS.WriteStream) {
    this.stream = stream;
  }

  show(text: string, fraction?: number): void {
    const line = toSafeLine(text);
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

/** The output streams of the process. */
interface OutputStreams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** A result as a table, and the note to print if it has no rows. */
interface TableContent<T> {
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly emptyNote: string;
}

/** Writes results to standard output, and everything else to standard error. */
export class Output {
  private readonly streams: OutputStreams;
  private readonly isJson: boolean;
  private readonly progressLine: ProgressLine;

  constructor(streams: OutputStreams, isJson: boolean) {
    this.streams = streams;
    this.isJson = isJson;
    this.progressLine = new ProgressLine(streams.stderr);
  }

  /** Prints the result: one JSON document with `--json`, otherwise the text that `toText` returns. */
  print(document: object, toText: () => string): void {
    this.progressLine.clear();
    this.streams.stdout.write(this.isJson ? `${escapeInvisible(JSON.stringify(document))}\n` : toText());
  }

  /** Prints the result: one JSON document with `--json`, otherwise a table. */
  printTable<T>(document: object, { columns, rows, emptyNote }: TableContent<T>): void {
    this.print(document, () => formatTable(columns, rows));
    if (rows.length === 0 && !this.isJson) this.note(emptyNote);
  }

  /** Writes text to standard output, even with `--json`. On a terminal, escapes control characters. */
  write(text: string): void {
    this.progressLine.clear();
    const { stdout } = this.streams;
    stdout.write(stdout.isTTY ? text.split('\r\n').map(escapeInvisible).join('\r\n') : text);
  }

  /** Prints a line to standard error. */
  note(line: string): void {
    this.progressLine.clear();
    this.streams.stderr.write(`${line}\n`);
  }

  /** Prints lines to standard error, except with `--json`, whose document contains the same facts. */
  explain(lines: readonly string[]): void {
    if (!this.isJson) for (const line of lines) this.note(line);
  }

  /** Shows progress: a bar on a terminal if there is a `fraction` from 0 to 1, plain lines elsewhere. */
  showProgress(text: string, fraction?: number): void {
    this.progressLine.show(text, fraction);
  }

  /** Removes the progress from a terminal. */
  hideProgress(): void {
    this.progressLine.clear();
  }
}
