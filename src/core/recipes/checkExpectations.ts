import { sumUpFiles } from './recipeFile.ts';
import type { Recipe, RecipeRange } from './recipeSchema.ts';
import type { ResolvedFiles } from './resolvedFiles.ts';

/** An expectation that the files don't meet. */
export type UnmetExpectation =
  | {
      readonly kind: 'fewFiles' | 'manyFiles' | 'fewBytes' | 'manyBytes';
      readonly limit: number;
      readonly actual: number;
      /** True if more files may exist, or some sizes are unknown, so `actual` may be too small. */
      readonly isAtLeast?: true;
    }
  /** Some file sizes are unknown, so the total size can't be checked. */
  | { readonly kind: 'unknownSizes'; readonly count: number }
  | { readonly kind: 'missingIds'; readonly ids: readonly string[] };

/**
 * Returns the expectations of a recipe that the files don't meet. Nothing may be sent unless the result is empty. If
 * files were left out, ignores lower limits and expected IDs, because the omitted files may meet them.
 */
export function checkExpectations(
  expect: Recipe['expect'],
  { files, isCut }: Pick<ResolvedFiles, 'files' | 'isCut'>,
): readonly UnmetExpectation[] {
  const { bytes, unknownCount } = sumUpFiles(files);
  const found = new Set(files.map(({ id }) => id));
  const missing = isCut ? [] : (expect?.ids?.filter((id) => !found.has(id)) ?? []);
  return [
    ...checkRange(expect?.files, { actual: files.length, isAtLeast: isCut }, 'fewFiles', 'manyFiles'),
    ...checkRange(expect?.bytes, { actual: bytes, isAtLeast: isCut || unknownCount > 0 }, 'fewBytes', 'manyBytes'),
    ...(expect?.bytes && unknownCount > 0 ? [{ kind: 'unknownSizes', count: unknownCount } as const] : []),
    ...(missing.length > 0 ? [{ kind: 'missingIds', ids: missing } as const] : []),
  ];
}

function checkRange(
  { least = 0, most = Infinity }: RecipeRange = {},
  { actual, isAtLeast }: { readonly actual: number; readonly isAtLeast: boolean },
  few: 'fewFiles' | 'fewBytes',
  many: 'manyFiles' | 'manyBytes',
): readonly UnmetExpectation[] {
  // A minimum may reach the lower limit after all.
  if (actual < least && !isAtLeast) return [{ kind: few, limit: least, actual }];
  return actual > most ? [{ kind: many, limit: most, actual, ...(isAtLeast && { isAtLeast }) }] : [];
}
