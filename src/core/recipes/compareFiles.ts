import { parseDeclaredHash } from '../util/declaredHash.ts';
import type { RecipeFile } from './recipeFile.ts';

/** A file that is described differently than before. */
interface ChangedFile {
  readonly before: RecipeFile;
  readonly after: RecipeFile;
}

/** The difference between the files of a lock and those that were found. */
export interface LockDifference {
  readonly added: readonly RecipeFile[];
  readonly gone: readonly RecipeFile[];
  readonly changed: readonly ChangedFile[];
  readonly sameCount: number;
}

/**
 * Compares files by ID. A file has changed if its path, its size or its hash has. A size or hash that only one side
 * states proves nothing: a service may compute hashes later (D22: staged means hashed).
 */
export function compareFiles(before: readonly RecipeFile[], after: readonly RecipeFile[]): LockDifference {
  const earlier = new Map(before.map((file) => [file.id, file]));
  const later = new Set(after.map(({ id }) => id));
  const added = after.filter(({ id }) => !earlier.has(id));
  // Nearly all files are unchanged, and need no pair.
  const changed = after.flatMap((file) => {
    const one = earlier.get(file.id);
    return one && hasChanged({ before: one, after: file }) ? [{ before: one, after: file }] : [];
  });
  const gone = before.filter(({ id }) => !later.has(id));
  return { added, gone, changed, sameCount: after.length - added.length - changed.length };
}

/** Returns true if anything differs. */
export function hasDifference({ added, gone, changed }: LockDifference): boolean {
  return added.length + gone.length + changed.length > 0;
}

function hasChanged({ before, after }: ChangedFile): boolean {
  return before.path !== after.path || differs(before.bytes, after.bytes) || hasOtherHash(before.hash, after.hash);
}

/** Returns true if the hashes prove different content. Hashes of different algorithms prove nothing. */
function hasOtherHash(before: string | undefined, after: string | undefined): boolean {
  const [one, other] = [parseDeclaredHash(before), parseDeclaredHash(after)];
  if (one && other) return one.algorithm === other.algorithm && one.hex !== other.hex;
  return !one && !other && differs(before, after);
}

function differs<T>(before: T | undefined, after: T | undefined): boolean {
  return before !== undefined && after !== undefined && before !== after;
}
