import { parseDeclaredHash } from '../util/declaredHash.ts';
import type { RecipeFile } from './recipeFile.ts';

/** A file that is described differently than before. */
export interface ChangedFile {
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

/** Compares files by ID. A file has changed if its path, its size or its hash has. */
export function compareFiles(before: readonly RecipeFile[], after: readonly RecipeFile[]): LockDifference {
  const earlier = new Map(before.map((file) => [file.id, file]));
  const later = new Set(after.map(({ id }) => id));
  const both = after.flatMap((file) => {
    const one = earlier.get(file.id);
    return one ? [{ before: one, after: file }] : [];
  });
  const changed = both.filter(hasChanged);
  return {
    added: after.filter(({ id }) => !earlier.has(id)),
    gone: before.filter(({ id }) => !later.has(id)),
    changed,
    sameCount: both.length - changed.length,
  };
}

/** Returns true if anything differs. */
export function hasDifference({ added, gone, changed }: LockDifference): boolean {
  return added.length + gone.length + changed.length > 0;
}

function hasChanged({ before, after }: ChangedFile): boolean {
  return before.path !== after.path || before.bytes !== after.bytes || normalize(before) !== normalize(after);
}

/** One digest can be written with or without its algorithm. */
function normalize({ hash }: RecipeFile): string | undefined {
  const declared = parseDeclaredHash(hash);
  return declared ? `${declared.algorithm}:${declared.hex}` : hash;
}
