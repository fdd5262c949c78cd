import { parseJsonObject } from '../../core/util/json.ts';
import type { LeftOutKind } from '../../core/util/leftOut.ts';
import { deniedCause, ErrorOutput, findStoreCause, missingFolderCause } from '../../core/util/remote.ts';
import { findHiddenPath, isUncounted, type LeftOutName } from '../catalog/catalogFile.ts';

/** Matches debug messages about options, which rclone logs as text even if it is to log JSON. */
const notePattern = /^[\d/]+ [\d:]+ (?:DEBUG|INFO|NOTICE)/;

/** Matches the last message of a failed listing, which is text in rclone 1.60. */
const endPattern = /(?:^| )Failed to (?:lsjson|backend)/;

const folderPrefix = 'error listing: ';

const maxMessageLength = 8_192;

/** Reads rclone's log of a listing: excluded names, unreadable folders, and other errors. */
export class ListingLog {
  /** The folders that were missing when rclone listed them, relative to the listed one. */
  readonly missing: string[] = [];
  private readonly under: string;
  private readonly leftOut: LeftOutName[];
  private readonly isRepeated: boolean;
  private readonly output = new ErrorOutput();
  private hasFailed = false;
  private hasSkipped = false;
  private hasEnded = false;

  /**
   * Creates a log for a listing of `under`. Appends to `leftOut`. In a repeated listing, a folder that is missing is one
   * that can't be read, because another listing has just found its name.
   */
  constructor(under: string, leftOut: LeftOutName[], isRepeated = false) {
    this.under = under;
    this.leftOut = leftOut;
    this.isRepeated = isRepeated;
  }

  /** True for a listing that lacks only subfolders that are missing or can't be read. */
  get isComplete(): boolean {
    return this.hasEnded && !this.hasFailed;
  }

  /** The error messages, without names. */
  get errors(): string {
    return this.output.toString();
  }

  async read(output: AsyncIterable<string>): Promise<void> {
    for await (const lines of splitLines(output)) for (const line of lines) this.add(line);
  }

  private add(line: string): void {
    if (notePattern.test(line)) return;
    const { msg = line, level, object } = parseJsonObject(line) ?? {};
    if (typeof msg !== 'string') return;
    const text = removeNames(msg);
    if (msg === 'Excluded') this.leaveOut(String(object), 'hidden');
    else if (msg.startsWith(folderPrefix)) this.addFolder(String(object), text);
    else if (endPattern.test(msg)) this.end(text);
    else if (level === undefined) this.output.add(`${text}\n`);
    else if (level === 'error' || level === 'critical') this.fail(text);
  }

  private addFolder(folder: string, text: string): void {
    const cause = findStoreCause(text);
    const isSkipped = (folder !== '' || this.under !== '') && (cause === missingFolderCause || cause === deniedCause);
    if (!isSkipped) this.fail(text);
    else if (cause === deniedCause || (this.isRepeated && folder !== '')) this.leaveOut(folder, 'unreadable');
    else if (folder !== '') this.missing.push(folder);
    this.hasSkipped ||= isSkipped;
  }

  private end(text: string): void {
    const cause = findStoreCause(text);
    this.hasEnded =
      cause === missingFolderCause ? this.hasSkipped || this.under !== '' : this.hasSkipped && cause === deniedCause;
    if (!this.hasEnded) this.fail(text);
  }

  private fail(text: string): void {
    this.hasFailed = true;
    this.output.add(`${text}\n`);
  }

  private leaveOut(name: string, kind: LeftOutKind): void {
    const path = [this.under, name].filter((part) => part !== '').join('/');
    // Links that lead back are excluded as well, and are counted elsewhere.
    if (isUncounted(path) || (kind === 'hidden' && !/(?:^|\/)\./.test(name))) return;
    this.leftOut.push({ path: findHiddenPath(path) ?? path, kind });
  }
}

/** Removes quoted names, which can contain the words by which causes are found. */
function removeNames(text: string): string {
  return text.slice(0, maxMessageLength).replace(/"(?:[^"\\]|\\.)*(?:"|$)/gs, '""');
}

/** Splits output at line feeds; other line breaks can be part of a name. */
export async function* splitLines(output: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const piece of output) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
  yield [rest];
}
