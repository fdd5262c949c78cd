import { parseJsonObject } from '../../core/util/json.ts';
import type { LeftOutKind } from '../../core/util/leftOut.ts';
import {
  deniedCause,
  describeStoreFailure,
  ErrorOutput,
  findStoreCause,
  lostCause,
  missingFolderCause,
} from '../../core/util/remote.ts';
import { findHiddenPath, isUncounted, type LeftOutName } from '../catalog/catalogFile.ts';

/** Matches debug messages about options, which rclone logs as text even if it is to log JSON. */
const notePattern = /^[\d/]+ [\d:]+ (?:DEBUG|INFO|NOTICE)/;

/** Matches the last message of a failed listing, which is text in rclone 1.60. */
const endPattern = /(?:^| )Failed to (?:lsjson|backend)/;

const folderPrefix = 'error listing: ';

const maxMessageLength = 8_192;

/** Maximum number of folders that are listed again, because each is part of a command. */
const maxRepeated = 100;

const manyMissingCause = `over ${maxRepeated} of its folders vanished or were cut off; serve a folder that changes less`;

/** The folders to list again, each once: a missing one may be back, and the listing of another one was cut off. */
export class RepeatedFolders {
  private readonly reports = new Set<string>();
  private current: readonly string[] = [];
  private next: string[] = [];

  /** Returns the folders to list again now, relative to the listed one, which is the empty path. */
  take(): readonly string[] {
    this.current = this.next;
    this.next = [];
    return this.current;
  }

  /** Adds a folder that a listing lacks. Returns false if it can't be listed again. */
  add(folder: string, cause: string): boolean {
    if (this.has(folder, cause) || this.reports.size >= maxRepeated) return false;
    this.reports.add(`${cause}:${folder}`);
    // What was listed in a folder on the way must not be listed again.
    const below = this.current.filter((one) => folder === '' || one.startsWith(`${folder}/`));
    this.next.push(...(below.length > 0 ? below : [folder]));
    return true;
  }

  /** Returns true if an object in the current listing is to be listed, and not only near a folder that is listed again. */
  includes(path: string): boolean {
    const { current } = this;
    return current.length === 0 || current.some((folder) => folder === '' || path.startsWith(`${folder}/`));
  }

  /** Returns true if a listing has already lacked the folder for the same cause. */
  has(folder: string, cause: string): boolean {
    return this.reports.has(`${cause}:${folder}`);
  }
}

/** Reads rclone's log of a listing: excluded names, unreadable folders, and other errors. */
export class ListingLog {
  private readonly under: string;
  private readonly leftOut: LeftOutName[];
  private readonly repeated: RepeatedFolders;
  private readonly output = new ErrorOutput();
  private hasFailed = false;
  private hasSkipped = false;
  private hasEnded = false;
  private hasManyMissing = false;

  /**
   * Creates a log for a listing of `under`. Appends to `leftOut` and `repeated`. A folder that is missing again is one
   * that can't be read, because the listing has just found its name.
   */
  constructor(under: string, leftOut: LeftOutName[], repeated: RepeatedFolders) {
    this.under = under;
    this.leftOut = leftOut;
    this.repeated = repeated;
  }

  /** True for a listing that lacks only subfolders that can't be read, or folders to list again. */
  get isComplete(): boolean {
    return this.hasEnded && !this.hasFailed;
  }

  /** Returns why the listing of a remote is incomplete, as a clause. */
  describeFailure(remote: string): string {
    return this.hasManyMissing ? manyMissingCause : describeStoreFailure(this.output.toString(), remote);
  }

  async read(output: AsyncIterable<string>): Promise<void> {
    for await (const lines of splitLines(output)) for (const line of lines) this.add(line);
  }

  private add(line: string): void {
    if (notePattern.test(line)) return;
    const { msg = line, level, object } = parseJsonObject(line) ?? {};
    if (typeof msg !== 'string') return;
    const text = removeNames(msg);
    if (msg === 'Excluded') this.addExcluded(String(object));
    else if (msg.startsWith(folderPrefix)) this.addFolder(String(object), text);
    else if (endPattern.test(msg)) this.end(text);
    else if (level === undefined) this.output.add(`${text}\n`);
    else if (level === 'error' || level === 'critical') this.fail(text);
  }

  private addFolder(folder: string, text: string): void {
    const isSkipped = this.canContinueWithout(folder, findStoreCause(text));
    if (!isSkipped) this.fail(text);
    this.hasSkipped ||= isSkipped;
  }

  private canContinueWithout(folder: string, cause: string | undefined): boolean {
    if (cause === lostCause) return this.repeated.add(folder, cause);
    if ((cause !== missingFolderCause && cause !== deniedCause) || (folder === '' && this.under === '')) return false;
    if (cause === deniedCause || this.repeated.has(folder, cause)) this.leaveOut(folder, 'unreadable');
    else if (folder !== '') this.hasManyMissing ||= !this.repeated.add(folder, cause);
    return !this.hasManyMissing;
  }

  private addExcluded(name: string): void {
    // Links that lead back are excluded as well, and are counted elsewhere.
    if (this.repeated.includes(name) && /(?:^|\/)\./.test(name)) this.leaveOut(name, 'hidden');
  }

  private end(text: string): void {
    const cause = findStoreCause(text);
    this.hasEnded =
      cause === missingFolderCause
        ? this.hasSkipped || this.under !== ''
        : this.hasSkipped && (cause === deniedCause || cause === lostCause);
    if (!this.hasEnded) this.fail(text);
  }

  private fail(text: string): void {
    this.hasFailed = true;
    this.output.add(`${text}\n`);
  }

  private leaveOut(name: string, kind: LeftOutKind): void {
    const path = [this.under, name].filter((part) => part !== '').join('/');
    if (!isUncounted(path)) this.leftOut.push({ path: findHiddenPath(path) ?? path, kind });
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
