import { createHash } from 'node:crypto';
import { chmod, readFile, stat } from 'node:fs/promises';
import { basename, join, dirname } from 'node:path';
import * as z from 'zod/mini';
import { isMissing } from '../util/errorCode.ts';
import { writeFileAtomically } from '../util/writeFileAtomically.ts';

import { sortRecipeFiles } from './recipeFile.ts';
import { recipeExtension } from './recipeNames.ts';

/** The format that this version reads and writes. */
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

const storedSchema = z.extend(lockSchema, { checksum: z.string() });

/** The record of the last run of a recipe, in the file beside it (D61: recipe and lock). */
export type RecipeLock = z.infer<typeof lockSchema>;

/**
 * The result of reading a lock. `edited`: someone changed it by hand, so that it proves nothing. `foreign`: it belongs to
 * another recipe. `newer`: a later version wrote it.
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

/** Reads the lock of a recipe. Rejects with the system's error if it can't be read. */
export async function readLock(recipePath: string): Promise<LockReadResult> {
  try {
    return parseLock(await readFile(getLockPath(recipePath), 'utf8'), basename(recipePath));
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
  const { data } = z.safeParse(storedSchema, value);
  if (!data) return { kind: 'broken' };
  const { checksum, ...lock } = data;
  if (lock.recipe !== recipeName) return { kind: 'foreign', recipe: lock.recipe };
  return { kind: checksum === getChecksum(lock) ? 'valid' : 'edited', lock };
}

/**
 * Replaces the lock of a recipe. The earlier one stays if that fails, for example because the disk is full. Rejects with
 * the system's error.
 */
export async function writeLock(recipePath: string, lock: RecipeLock): Promise<void> {
  const path = getLockPath(recipePath);
  await writeFileAtomically(path, formatLock(lock), true);
  // A lock is committed and shared like its recipe.
  const { mode } = await stat(join(dirname(recipePath), basename(recipePath)));
  await chmod(path, mode & 0o666);
}

/** Formats a lock with one file per line, sorted by ID, so that versions differ in few lines. */
function formatLock(lock: RecipeLock): string {
  const { files, ...head } = lock;
  const lines = Object.entries(head).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`);
  const rows = sortRecipeFiles(files).map((file) => `    ${formatFile(file)}`);
  const list = rows.length === 0 ? '[]' : `[\n${rows.join(',\n')}\n  ]`;
  return `{\n${lines.join('')}  "files": ${list},\n  "checksum": ${JSON.stringify(getChecksum(lock))}\n}\n`;
}

type LockedFile = RecipeLock['files'][number];

function formatFile({ id, path, bytes, hash }: LockedFile): string {
  return JSON.stringify({ id, path, bytes, hash });
}

/** Computes a checksum of the content, which does not depend on white space. */
function getChecksum({ version, recipe, service, from, to, transfer, files }: RecipeLock): string {
  const { name, address, version: serviceVersion } = service;
  const head = [version, recipe, name, address, serviceVersion, from, to, transfer.id, transfer.submitted];
  const hash = createHash('sha256').update(JSON.stringify(head));
  for (const file of sortRecipeFiles(files)) hash.update(`\n${formatFile(file)}`);
  return `sha256:${hash.digest('hex')}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
