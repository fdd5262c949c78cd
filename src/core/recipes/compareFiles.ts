import { parseDeclaredHash } from '../util/declaredHash.ts';
import type { RecipeFile } from './recipeFile.ts';

/** A file whose path, size or hash has changed. */
interface ChangedFile {
  readonly before: RecipeFile;
  readonly after: RecipeFile;
}

/** The difference between the files in a lock and the files that were found. */
export interface LockDifference {
  readonly added: readonly RecipeFile[];
  readonly gone: readonly RecipeFile[];
  readonly changed: readonly ChangedFile[];
  readonly sameCount: number;
}

/**
 * Compares files by ID. A file has changed if its path, size or hash differs. Ignores a size or hash that is known on
 * only one side, because a service may compute hashes later (D22: staged means hashed).
 */
export function compareFiles(before: readonly RecipeFile[], after: readonly RecipeFile[]): LockDifference {
  const earlier = new Map(before.map((file) => [file.id, file]));
  const later = new Set(after.map(({ id }) => id));
  const added = after.filter(({ id }) => !earlier.has(id));
  // Creates pairs only for changed files, because nearly all files are unchanged.
  const changed = after.flatMap((file) => {
    const one = earlier.get(file.id);
    return one && hasChanged({ before: one, after: file }) ? [{ before: one, after: file }] : [];
  });
  const gone = before.filter(({ id }) => !later.has(id));
  return { added, gone, changed, sameCount: after.length - added.length - changed.length };
}

/** Returns true if files were added, removed or changed. */
export function hasDifference({ added, gone, changed }: LockDifference): boolean {
  return added.length + gone.length + changed.length > 0;
}

function hasChanged({ before, after }: ChangedFile): boolean {
  return before.path !== after.path || differs(before.bytes, after.bytes) || hasOtherHash(before.hash, after.hash);
}

/**
 * Returns true if both hashes are known and differ. Returns false for hashes from different algorithms, which can't be
 * compared.
 */
function hasOtherHash(before: string | undefined, after: string | undefined): boolean {
  const [one, other] = [parseDeclaredHash(before), parseDeclaredHash(after)];
  if (one && other) return one.algorithm === other.algorithm && one.hex !== other.hex;
  return !one && !other && differs(before, after);
}

function differs<T>(before: T | undefined, after: T | undefined): boolean {
  return before !== undefined && after !== undefined && before !== after;
}
