import { chmod, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import * as z from 'zod/mini';
import { isMissing } from '../util/errorFacts.ts';
import { isJsonObject } from '../util/json.ts';
import { readRegularFile } from '../util/regularFile.ts';
import { validate } from '../util/validate.ts';
import { writeFileAtomically } from '../util/durableFiles.ts';
import { formatLock, getChecksum, lockVersion, storedSchema, type RecipeLock } from './lockFormat.ts';
import { recipeExtension } from './recipeNames.ts';
import { maxRecipeFiles } from './recipeFile.ts';
import { readWrittenLock } from './writtenLock.ts';

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
