import { createHash, type Hash } from 'node:crypto';
import * as z from 'zod/mini';
import { sortRecipeFiles } from './recipeFile.ts';

/** The version of the lock format that this program reads and writes. */
export const lockVersion = 1;

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
export const storedSchema = z.extend(lockSchema, { checksum: z.string() });

/** The record of a recipe's last accepted run, stored in a file next to the recipe (D61: recipe and lock). */
export type RecipeLock = z.infer<typeof lockSchema>;

/** The line that opens the list of files in a lock. */
export const filesLine = '  "files": [';

/** Formats a lock with one file per line, sorted by ID, so that diffs between its versions are small. */
export function formatLock(lock: RecipeLock): string {
  const { files, ...head } = lock;
  const lines = Object.entries(head).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`);
  const rows = sortRecipeFiles(files).map((file) => `    ${formatLockedFile(file)}`);
  const list = rows.length === 0 ? '[]' : `[\n${rows.join(',\n')}\n  ]`;
  return `{\n${lines.join('')}  "files": ${list},\n  "checksum": ${JSON.stringify(getChecksum(lock))}\n}\n`;
}

/** Formats one of the files in a lock. */
export function formatLockedFile({ id, path, bytes, hash }: RecipeLock['files'][number]): string {
  return JSON.stringify({ id, path, bytes, hash });
}

/** Computes the checksum of a lock's content. The formatting and the order of the files do not affect it. */
export function getChecksum(lock: RecipeLock): string {
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
