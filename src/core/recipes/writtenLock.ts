import type { Hash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { parseJsonObject } from '../util/json.ts';
import { openRegularFile } from '../util/regularFile.ts';
import {
  addToChecksum,
  endChecksum,
  filesLine,
  formatLockedFile,
  startChecksum,
  storedSchema,
  type RecipeLock,
} from './lockFormat.ts';
import { maxRecipeFiles } from './recipeFile.ts';

/** Maximum size of a lock in bytes: about 500 for each of the files that a recipe can have. */
const maxLockBytes = 128 * 1024 * 1024;

type LockedFile = RecipeLock['files'][number];

/**
 * Reads a lock without ever holding its entire text in memory. Resolves to undefined unless the lock has exactly the
 * form that this version writes and a correct checksum. Rejects with the file system's error if the lock can't be read.
 */
export async function readWrittenLock(path: string): Promise<RecipeLock | undefined> {
  const reader = new LockReader();
  const file = await openRegularFile(path, maxLockBytes);
  const stream = file.createReadStream({ encoding: 'utf8', end: maxLockBytes });
  const lines = createInterface({ input: stream, crlfDelay: Infinity });
  try {
    for await (const line of lines) if (!reader.read(line)) return undefined;
    return reader.lock;
  } finally {
    stream.destroy();
  }
}

/** Reads a lock line by line. */
class LockReader {
  private readonly headLines: string[] = [];
  private readonly files: LockedFile[] = [];
  private readonly endLines: string[] = [];
  private head: RecipeLock | undefined;
  private checksum: Hash | undefined;
  private hasComma = true;

  /** Reads the next line. Returns false if the line shows that this version did not write the lock. */
  read(line: string): boolean {
    if (!this.checksum) return this.readHead(line);
    if (line.startsWith('    ')) return this.hasComma && this.endLines.length === 0 && this.readFile(line);
    this.endLines.push(line);
    return this.endLines.length <= 3;
  }

  /** The lock, once its last line has been read; undefined if the lock is incomplete or its checksum is wrong. */
  get lock(): RecipeLock | undefined {
    if (!this.head || !this.checksum || this.hasComma) return undefined;
    const end = ['  ],', `  "checksum": ${JSON.stringify(endChecksum(this.checksum))}`, '}'];
    const isCorrect = this.endLines.join('\n') === end.join('\n');
    return isCorrect ? { ...this.head, files: this.files } : undefined;
  }

  private readHead(line: string): boolean {
    if (line !== filesLine) return this.headLines.push(line) < 20;
    const text = `${this.headLines.join('\n')}"files":[],"checksum":""}`;
    const { data } = storedSchema.safeParse(parseJsonObject(text));
    if (!data) return false;
    const { version, recipe, service, from, to, transfer, files } = data;
    this.head = { version, recipe, service, from, to, transfer, files };
    this.checksum = startChecksum(this.head);
    return true;
  }

  private readFile(line: string): boolean {
    this.hasComma = line.endsWith(',');
    const text = line.slice(4, this.hasComma ? -1 : undefined);
    const file = parseJsonObject(text);
    const before = this.files.at(-1);
    if (this.files.length === maxRecipeFiles) return false;
    if (!file || !isLockedFile(file) || formatLockedFile(file) !== text) return false;
    if (before !== undefined && before.id >= file.id) return false;
    this.files.push(file);
    if (this.checksum) addToChecksum(this.checksum, text);
    return true;
  }
}

function isLockedFile(value: object): value is LockedFile {
  const { id, path, bytes, hash } = value as Record<keyof LockedFile, unknown>;
  const hasTexts = typeof id === 'string' && typeof path === 'string';
  return hasTexts && isOptional('number', bytes) && isOptional('string', hash);
}

function isOptional(type: 'number' | 'string', value: unknown): boolean {
  return value === undefined || typeof value === type;
}
