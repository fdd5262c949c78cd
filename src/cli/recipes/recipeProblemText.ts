import type { RecipeProblem } from '../../core/recipes/recipeProblem.ts';
import { describeRecipeProblem as describeProblem } from '../../core/words/recipeProblems.ts';
import { toPlainCell } from '../text/plainCell.ts';
import { fillIn, toClause } from '../text/sentences.ts';

const wording = {
  l10n: { t: (message: string, ...args: (string | number)[]) => fillIn(toClause(message), ...args) },
  toPlainLine: toPlainCell,
  formatNumber: String,
  describeNewerVersion: () => 'the recipe requires a later version of data-transfer',
};

/** Describes a problem and its position: `reads.transfer.json:3: unknown field "form"; did you mean "from"?`. */
export function describeRecipeProblem(file: string, problem: RecipeProblem): string {
  const { kind, range, nearest, expected = '' } = problem;
  const hasList = kind === 'unknownDatabase' && nearest === undefined && expected !== '';
  const databases = hasList ? `; it has: ${toPlainCell(expected)}` : '';
  return `${toPlainCell(file)}:${range.line}: ${describeProblem(wording, problem)}${databases}`;
}
