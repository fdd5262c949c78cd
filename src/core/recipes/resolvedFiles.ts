import type { Reason } from '../model/reason.ts';
import type { RecipeFile } from './recipeFile.ts';

/** The reason why a recipe's table can't be used. */
export type TableProblem = 'missing' | 'unreadable' | 'tooLarge' | 'noSheet' | 'noColumn';

/** The reason why a recipe's files could not be determined. */
export type ResolveFailure =
  { readonly kind: 'service'; readonly reason: Reason } | { readonly kind: 'table'; readonly problem: TableProblem };

/** The files that a recipe refers to, with the properties that the service currently reports. */
export interface ResolvedFiles {
  readonly files: readonly RecipeFile[];
  /** The IDs or table values that don't match exactly one file. */
  readonly missing: readonly string[];
  /** True if more files may exist, because a limit was reached or the search stalled. */
  readonly isCut: boolean;
  /** True if the search stopped after pages without new files, although more may follow (D9: paging). */
  readonly isStalled?: boolean;
  readonly failure?: ResolveFailure;
}

/** Creates the result for a failure, with no files. */
export function createFailure(failure: ResolveFailure): ResolvedFiles {
  return { files: [], missing: [], isCut: false, failure };
}
