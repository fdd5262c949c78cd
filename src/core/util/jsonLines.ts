import type { Steps } from './steps.ts';

type ValuePath = readonly (string | number)[];

const tokensPerStep = 1000;
const codes = {
  newline: 10,
  quote: 34,
  comma: 44,
  openList: 91,
  backslash: 92,
  closeList: 93,
  colon: 58,
  open: 123,
  close: 125,
};

/** Returns the 1-based line numbers of the values at `paths` in valid JSON, in ascending order. */
export function* findValueLines(text: string, paths: readonly ValuePath[]): Steps<readonly number[]> {
  if (paths.length === 0) return [];
  const search = new LineSearch(text, paths);
  for (let count = 1; search.readToken(); count++) if (count % tokensPerStep === 0) yield;
  return search.lines;
}

/** Finds the lines of values. Reads valid JSON token by token, without recursion. */
class LineSearch {
  readonly lines: number[] = [];
  private readonly text: string;
  private readonly wanted: ReadonlySet<string>;
  private readonly maxLevels: number;
  /** The path of the current value. */
  private readonly path: (string | number)[] = [];
  private offset = 0;
  private line = 1;
  private isNameNext = false;

  constructor(text: string, paths: readonly ValuePath[]) {
    this.text = text;
    this.wanted = new Set(paths.map(toText));
    this.maxLevels = paths.reduce((most, { length }) => Math.max(most, length), 0);
  }

  /** Reads the next token. Returns false at the end of the text. */
  readToken(): boolean {
    const code = this.text.charCodeAt(this.offset);
    if (code === codes.newline) this.line++;
    if (code === codes.open || code === codes.openList) this.enter(code);
    else if (code === codes.close || code === codes.closeList) this.path.pop();
    else if (code === codes.comma) this.goToNext();
    else if (code === codes.quote) this.readText();
    else if (code > codes.comma && code !== codes.colon) this.readLiteral();
    this.offset++;
    return this.offset < this.text.length;
  }

  private enter(code: number): void {
    this.check();
    this.isNameNext = code === codes.open;
    this.path.push(this.isNameNext ? '' : 0);
  }

  private goToNext(): void {
    const last = this.path.pop() ?? '';
    this.isNameNext = typeof last === 'string';
    this.path.push(typeof last === 'number' ? last + 1 : last);
  }

  private readText(): void {
    const start = this.offset;
    this.goToEndOfText();
    if (!this.isNameNext) return this.check();
    this.isNameNext = false;
    if (this.path.length > this.maxLevels) return;
    this.path[this.path.length - 1] = String(JSON.parse(this.text.slice(start, this.offset + 1)));
  }

  private goToEndOfText(): void {
    let code = 0;
    do {
      this.offset += code === codes.backslash ? 2 : 1;
      code = this.text.charCodeAt(this.offset);
    } while (code !== codes.quote && this.offset < this.text.length);
  }

  /** Reads a number, `true`, `false` or `null`. */
  private readLiteral(): void {
    this.check();
    while (/[\w.+-]/.test(this.text.charAt(this.offset + 1))) this.offset++;
  }

  private check(): void {
    if (this.path.length <= this.maxLevels && this.wanted.has(toText(this.path))) this.lines.push(this.line);
  }
}

function toText(path: ValuePath): string {
  return path.map((one) => `\n${String(one)}`).join('');
}
