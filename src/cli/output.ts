import { escapeInvisible } from '../core/util/visibleText.ts';
import { ProgressLine } from './progressLine.ts';
import { formatTable, type Column } from './text/table.ts';

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

  /**
   * Shows progress: a bar on a terminal, plain lines elsewhere. `fraction` is from 0 to 1; if absent, no bar is shown.
   */
  showProgress(text: string, fraction?: number): void {
    this.progressLine.show(text, fraction);
  }

  /** Removes the progress from a terminal. */
  hideProgress(): void {
    this.progressLine.clear();
  }
}
