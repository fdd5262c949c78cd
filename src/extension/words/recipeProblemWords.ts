import { l10n } from 'vscode';
import type { RecipeProblem } from '../../core/recipes/recipeProblem.ts';
import { describeRecipeProblem as describeProblem } from '../../core/words/recipeProblems.ts';
import { formatNumber } from './localeFormats.ts';
import { toPlainText } from './plainText.ts';

const maxLength = 60;

const wording = {
  l10n,
  toPlainLine: (text: string) => toPlainText(text, maxLength),
  formatNumber,
  describeNewerVersion: () => l10n.t('This recipe requires a later version of the extension.'),
};

/** Describes a problem with a recipe. */
export function describeRecipeProblem(problem: RecipeProblem): string {
  return describeProblem(wording, problem);
}
