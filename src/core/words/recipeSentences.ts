import type { StoreListing } from '../model/databaseModel.ts';
import type { Reason } from '../model/reason.ts';
import type { LockDifference, PlanObstacle, RecipePlan, UnmetExpectation } from '../recipes/planRecipe.ts';
import type { Recipe } from '../recipes/recipeSchema.ts';
import type { ResolveFailure } from '../recipes/resolveFiles.ts';
import { getFieldName, type RecipeProblem, type RecipeProblemKind } from '../recipes/recipeText.ts';
import type { LeftOutCounts } from '../util/leftOut.ts';
import { findNestedFiles } from '../util/nestedFiles.ts';
import { describeNestedFiles, type Wording } from './sharedSentences.ts';
import { describeRefusedTable, describeTableProblem, listTableDoubts } from './tableSentences.ts';

/** Describes a lock that was changed by hand. */
export function describeEditedLock({ l10n }: Wording): string {
  return l10n.t('The lock was changed after the last run, so it may not match what that run found.');
}

/** Describes a lock that belongs to another recipe. */
export function describeForeignLock({ l10n, toPlainLine }: Wording, recipe: string): string {
  return l10n.t('The lock belongs to {0}. Delete the lock, or give the recipe that name again.', toPlainLine(recipe));
}

interface PlanWording extends Wording {
  readonly plural: (count: number, one: string, other: string, ...others: readonly string[]) => string;
  readonly formatNumber: (value: number) => string;
  readonly formatFileCount: (count: number) => string;
  readonly formatSize: (sizeBytes: number) => string;
  readonly formatNames: (names: readonly string[]) => string;
  readonly formatDifference: (difference: LockDifference) => string;
  readonly describeReason: (reason: Reason) => string;
}

/** Describes why a plan can't be carried out. The period after a failure, a list or a difference is missing. */
export function describeObstacle(wording: PlanWording, plan: RecipePlan, obstacle: PlanObstacle): string {
  const { l10n, toPlainLine } = wording;
  const { recipe, failure, lockedDatabases, difference, unmet } = plan;
  switch (obstacle) {
    case 'failed':
      return failure ? describeFailure(wording, failure, recipe) : '';
    case 'missing':
      return describeMissing(wording, plan);
    case 'doubts':
      return describeRefusedTable(wording, plan);
    case 'otherDatabases':
      return l10n.t(
        'The lock is for a transfer from {0} to {1}. Run the recipe without the lock first.',
        toPlainLine(lockedDatabases?.from ?? ''),
        toPlainLine(lockedDatabases?.to ?? ''),
      );
    case 'differsFromLock':
      return difference
        ? l10n.t('The files differ from the lock: {0}', wording.formatDifference(difference))
        : l10n.t('The recipe has no usable lock.');
    case 'unmet':
      return unmet.map((one) => describeExpectation(wording, one)).join(' ');
    case 'stalled':
      return l10n.t(
        'The search stopped because three pages in a row had no new files; more may exist. Narrow the search.',
      );
    case 'tooMany':
      return l10n.t('The recipe finds more files than a transfer can include, or too many to filter. Narrow it down.');
    case 'noFiles':
      return l10n.t('The recipe finds no files.');
    case 'nested': {
      const nested = findNestedFiles(plan.files);
      return nested ? describeNestedFiles(wording, nested.outer.path, nested.inner.path) : '';
    }
    case 'noDestination':
      return l10n.t("The recipe has no destination (“to”), so it's only a saved search.");
  }
}

function describeFailure(wording: PlanWording, failure: ResolveFailure, { from: { table } }: Recipe): string {
  if (failure.kind === 'service') return wording.describeReason(failure.reason);
  return describeTableProblem(wording, table?.file ?? '', table?.sheet ?? '', failure.problem);
}

function describeMissing({ plural, formatNames }: PlanWording, { missing, recipe }: RecipePlan): string {
  const names = formatNames(missing);
  return recipe.from.table
    ? plural(
        missing.length,
        "{0} value in the recipe's table matches no file: {1}",
        "{0} values in the recipe's table match no file: {1}",
        names,
      )
    : plural(
        missing.length,
        'No file was found for {0} ID in the recipe: {1}',
        'No files were found for {0} IDs in the recipe: {1}',
        names,
      );
}

/** Describes an expectation that a recipe's files don't meet. The period after a list is missing. */
export function describeExpectation(wording: PlanWording, unmet: UnmetExpectation): string {
  const { l10n, plural, formatNumber, formatFileCount, formatSize, formatNames } = wording;
  if (unmet.kind === 'unknownSizes')
    return plural(unmet.count, 'The size of {0} file is unknown.', 'The sizes of {0} files are unknown.');
  if (unmet.kind === 'missingIds') return l10n.t('Expected but not found: {0}', formatNames(unmet.ids));
  const { kind, actual, limit, isAtLeast } = unmet;
  const [found, expected] = kind.endsWith('Files')
    ? [formatFileCount(actual), formatNumber(limit)]
    : [formatSize(actual), formatSize(limit)];
  if (kind.startsWith('few')) return l10n.t('{0} found, at least {1} expected.', found, expected);
  return isAtLeast
    ? l10n.t('At least {0} found, at most {1} expected.', found, expected)
    : l10n.t('{0} found, at most {1} expected.', found, expected);
}

interface OmissionWording extends Wording {
  /** Describes what a listing leaves out of the folder of a recipe or, without one, of all files of its database. */
  readonly describeLeftOutNames: (from: Recipe['from'], leftOut: LeftOutCounts) => readonly string[];
  readonly describeListing: (listing: StoreListing) => string | undefined;
}

/**
 * Describes the rows of a recipe's table in doubt, or what the listing leaves out of a folder or of all files, and a
 * listing that is old or incomplete.
 */
export function listOmissions(wording: OmissionWording, plan: RecipePlan): readonly string[] {
  const { recipe, listing } = plan;
  const omitted = recipe.from.table ? listTableDoubts(wording, plan) : listLeftOutNames(wording, plan);
  return [...omitted, (listing && wording.describeListing(listing)) ?? []].flat();
}

function listLeftOutNames(wording: OmissionWording, { recipe: { from }, leftOut }: RecipePlan): readonly string[] {
  if (!leftOut || (from.folder === undefined && Object.keys(leftOut).length === 0)) return [];
  return wording.describeLeftOutNames(from, leftOut);
}

interface ProblemWording extends Wording {
  readonly formatNumber: (value: number) => string;
  /** Describes a recipe that requires a later version of the program. */
  readonly describeNewerVersion: () => string;
}

/** Returns a sentence about a problem with a recipe. Adds the most similar name, if there is one. */
export function describeRecipeProblem(wording: ProblemWording, problem: RecipeProblem): string {
  const { l10n, toPlainLine } = wording;
  const { kind, path, nearest, expected = '' } = problem;
  const sentence = sentences[kind](wording, toPlainLine(getFieldName(path)), expected);
  return nearest === undefined ? sentence : l10n.t('{0} Did you mean “{1}”?', sentence, toPlainLine(nearest));
}

type Sentence = (wording: ProblemWording, field: string, expected: string) => string;

const sentences: Readonly<Record<RecipeProblemKind, Sentence>> = {
  syntax: ({ l10n }) => l10n.t('Invalid JSON.'),
  tooLarge: ({ l10n }) => l10n.t('This recipe is too large.'),
  notObject: ({ l10n }) => l10n.t("A recipe must be a JSON object that isn't nested too deeply."),
  newerVersion: ({ describeNewerVersion }) => describeNewerVersion(),
  secret: ({ l10n }) =>
    l10n.t("A recipe can't contain a key, token, or password. Remove it, and get a new one if the recipe was shared."),
  unknownField: ({ l10n }, field) => l10n.t('Unknown field “{0}”.', field),
  repeatedField: ({ l10n }, field) => l10n.t('The “{0}” field is repeated.', field),
  missingField: ({ l10n }, field) => l10n.t('The “{0}” field is missing.', field),
  wrongType: ({ l10n }, field, expected) => l10n.t('“{0}” must be of type {1}.', field, expected),
  wrongValue: ({ l10n }, field, expected) => l10n.t('“{0}” must be one of: {1}.', field, expected),
  empty: ({ l10n }, field) => l10n.t('“{0}” must not be empty.', field),
  tooLong: ({ l10n }, field, expected) => l10n.t('“{0}” is too long. The maximum length is {1}.', field, expected),
  wrongNumber: ({ l10n, formatNumber }, field) =>
    l10n.t('“{0}” must be an integer from 0 to {1}.', field, formatNumber(Number.MAX_SAFE_INTEGER)),
  wrongRange: ({ l10n }) => l10n.t('“least” must not exceed “most”.'),
  sourceCount: ({ l10n }) => l10n.t('“from” must contain exactly one of “search”, “ids”, “folder”, or “table”.'),
  wrongFolderName: ({ l10n }, field) =>
    l10n.t(
      '“{0}” must be a plain name of at most 80 letters, digits, spaces and . _ - + = @, not a reserved one.',
      field,
    ),
  outsideFolder: ({ l10n }) => l10n.t("The file must be in the recipe's folder or a subfolder."),
  followUpPlace: ({ l10n }) => l10n.t('Name it in “then” of the recipe, not in its instructions.'),
  followUpCount: ({ l10n }) => l10n.t('Give either “sbatch” or “program”.'),
  sameDatabase: ({ l10n }) => l10n.t('Source and destination must be different databases.'),
  unknownDatabase: ({ l10n }) => l10n.t('The service has no such database.'),
  unknownId: ({ l10n }) => l10n.t('No file with this ID was found in the database.'),
  readOnlyDatabase: ({ l10n }) => l10n.t('This database is read-only.'),
  unknownParameter: ({ l10n }) => l10n.t('The database has no such search parameter.'),
};
