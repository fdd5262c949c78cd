import { createHash, type Hash } from 'node:crypto';
import { chmod, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod/mini';
import { openRegularFile, readRegularFile, writeFileAtomically } from '../util/durableFiles.ts';
import { isMissing } from '../util/errorFacts.ts';
import { isJsonObject, parseJsonObject } from '../util/json.ts';
import { validate } from '../util/jsonObject.ts';
import { maxRecipeFiles, sortRecipeFiles } from './recipeFile.ts';
import { recipeExtension } from './recipeNames.ts';

/** Maximum size in bytes of a lock that isn't exactly as written, which is parsed as a whole. */
const maxEditedBytes = 64 * 1024 * 1024;

/**
 * The result of reading a lock. `broken`: not a valid lock. `newer`: written by a later version. `foreign`: belongs to
 * another recipe. `edited`: the checksum is wrong, so the content can't be trusted.
 */
export type LockReadResult =
  | { readonly kind: 'none' }
  | { readonly kind: 'broken' | 'newer' }
  | { readonly kind: 'foreign'; readonly recipe: string }
  | { readonly kind: 'edited' | 'valid'; readonly lock: RecipeLock };

/** Returns the path of a recipe's lock: `reads.transfer.lock.json` for `reads.transfer.json`. */
export function getLockPath(recipePath: string): string {
  return recipePath.slice(0, -recipeExtension.length) + recipeExtension.replace('.json', '.lock.json');
}

/** Reads a recipe's lock. Rejects with the file system's error if the lock can't be read. */
export async function readLock(recipePath: string): Promise<LockReadResult> {
  const [path, name] = [getLockPath(recipePath), basename(recipePath)];
  try {
    // Tries the faster reader first, because a lock may have 100,000 files and is rarely edited.
    const lock = await readWrittenLock(path);
    return lock ? checkName(lock, name) : parseLock(await readRegularFile(path, maxEditedBytes), name);
  } catch (error) {
    if (isMissing(error)) return { kind: 'none' };
    throw error;
  }
}

/** Parses a lock. Never throws. */
function parseLock(text: string, recipeName: string): LockReadResult {
  const value = parseJson(text);
  const version = z.safeParse(z.looseObject({ version: z.number() }), value);
  if (version.data && version.data.version > lockVersion) return { kind: 'newer' };
  if (hasMoreFilesThan(value, maxRecipeFiles)) return { kind: 'broken' };
  const data = validate(storedSchema, value)?.data;
  if (!data) return { kind: 'broken' };
  const { checksum, ...lock } = data;
  const result = checkName(lock, recipeName);
  return result.kind === 'valid' && checksum !== getChecksum(lock) ? { ...result, kind: 'edited' } : result;
}

function checkName(lock: RecipeLock, recipeName: string): LockReadResult & { readonly kind: 'foreign' | 'valid' } {
  return lock.recipe === recipeName ? { kind: 'valid', lock } : { kind: 'foreign', recipe: lock.recipe };
}

/**
 * Replaces a recipe's lock. If the lock can't be written, for example because the disk is full, keeps the earlier lock
 * and rejects with the file system's error.
 */
export async function writeLock(recipePath: string, lock: RecipeLock): Promise<void> {
  const path = getLockPath(recipePath);
  await writeFileAtomically(path, formatLock(lock), true);
  await copyPermissions(recipePath, path).catch(() => undefined);
}

/** Gives a lock the permissions of its recipe, because both are committed and shared. */
async function copyPermissions(recipePath: string, lockPath: string): Promise<void> {
  const { mode } = await stat(recipePath);
  await chmod(lockPath, mode & 0o666);
}

function hasMoreFilesThan(value: unknown, limit: number): boolean {
  const { files } = isJsonObject(value) ? value : {};
  return Array.isArray(files) && files.length > limit;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** The version of the lock format that this program reads and writes. */
const lockVersion = 1;

const lockSchema = z.strictObject({
  version: z.literal(lockVersion),
  recipe: z.string(),
  service: z.strictObject({ name: z.string(), address: z.string(), version: z.string() }),
  from: z.string(),
  to: z.string(),
  transfer: z.strictObject({ id: z.string(), submitted: z.string() }),
  files: z.array(
    z.strictObject({
      id: z.string(),
      path: z.string(),
      bytes: z.exactOptional(z.number()),
      hash: z.exactOptional(z.string()),
    }),
  ),
});

/** The schema of a stored lock, which includes the checksum of its content. */
const storedSchema = z.extend(lockSchema, { checksum: z.string() });

/** The record of a recipe's last accepted run, stored in a file next to the recipe (D61: recipe and lock). */
export type RecipeLock = z.infer<typeof lockSchema>;

/** The line that opens the list of files in a lock. */
const filesLine = '  "files": [';

/** Number of lines before the files that no written lock reaches. */
const headLineLimit = 20;

/** Formats a lock with one file per line, sorted by ID, so that diffs between its versions are small. */
export function formatLock(lock: RecipeLock): string {
  const { files, ...head } = lock;
  const lines = Object.entries(head).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`);
  const rows = sortRecipeFiles(files).map((file) => `    ${formatLockedFile(file)}`);
  const list = rows.length === 0 ? '[]' : `[\n${rows.join(',\n')}\n  ]`;
  return `{\n${lines.join('')}  "files": ${list},\n  "checksum": ${JSON.stringify(getChecksum(lock))}\n}\n`;
}

function formatLockedFile({ id, path, bytes, hash }: RecipeLock['files'][number]): string {
  return JSON.stringify({ id, path, bytes, hash });
}

/** Computes the checksum of a lock's content. The formatting and the order of the files do not affect it. */
function getChecksum(lock: RecipeLock): string {
  const hash = startChecksum(lock);
  for (const file of sortRecipeFiles(lock.files)) addToChecksum(hash, formatLockedFile(file));
  return endChecksum(hash);
}

/** Returns an unfinished checksum of a lock. The caller must add the lock's files to it, sorted by ID. */
export function startChecksum({ version, recipe, service, from, to, transfer }: RecipeLock): Hash {
  const { name, address, version: serviceVersion } = service;
  const head = [version, recipe, name, address, serviceVersion, from, to, transfer.id, transfer.submitted];
  return createHash('sha256').update(JSON.stringify(head));
}

/** Adds a formatted file to a checksum. */
export function addToChecksum(hash: Hash, file: string): void {
  hash.update(`\n${file}`);
}

/** Returns a checksum in its stored form: `sha256:` and hexadecimal digits. */
export function endChecksum(hash: Hash): string {
  return `sha256:${hash.digest('hex')}`;
}

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
    if (!this.checksum) return this.readHeadLine(line);
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

  private readHeadLine(line: string): boolean {
    if (line !== filesLine) return this.headLines.push(line) < headLineLimit;
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
