import { findObstacle, type RecipePlan } from '../recipes/planRecipe.ts';
import type { TableProblem } from '../recipes/resolveFiles.ts';
import type { MatchGap } from '../tables/matchIndex.ts';
import type { RowDoubt } from '../tables/rowMatch.ts';
import {
  maxCells,
  maxColumns,
  maxRows,
  maxUnpackedBytes,
  type TableError,
  type TableErrorKind,
} from '../tables/tableError.ts';
import { describeNoTable, type Translator, type Wording } from './sharedSentences.ts';

interface TableWording extends Wording {
  readonly formatNumber: (value: number) => string;
  readonly formatSize: (sizeBytes: number) => string;
}

/** Maximum number of rows that are listed for each kind of doubt. */
const maxListed = 3;

/** Describes doubts about the rows of a table: one sentence for each kind, with the first rows and their values. */
export function describeDoubts({ l10n, toPlainLine }: Wording, doubts: readonly RowDoubt[]): string {
  const kinds = [...new Set(doubts.map(({ kind }) => kind))];
  const sentences = kinds.map((kind) => {
    const rows = doubts.filter((one) => one.kind === kind);
    const listed = rows.slice(0, maxListed).map(({ line, value }) => {
      const shown = toPlainLine(value);
      return shown === '' ? l10n.t('row {0}', line) : l10n.t('row {0} ({1})', line, shown);
    });
    const rest = rows.length - listed.length;
    const text = rest > 0 ? l10n.t('{0}, … ({1} more)', listed.join(', '), rest) : listed.join(', ');
    return doubtSentences[kind](l10n, text, rows[0]?.gap);
  });
  return sentences.join(' ');
}

type DoubtSentence = (l10n: Translator, rows: string, gap: MatchGap | undefined) => string;

const doubtSentences: Readonly<Record<RowDoubt['kind'], DoubtSentence>> = {
  rounded: (l10n, rows) => l10n.t('Numbers that a spreadsheet may have rounded (format IDs as text): {0}.', rows),
  formatted: (l10n, rows) =>
    l10n.t('Numbers that a spreadsheet shows with other text (format IDs as text): {0}.', rows),
  noValue: (l10n, rows) =>
    l10n.t('Formulas without values (open and save the workbook in a spreadsheet program): {0}.', rows),
  joinedRow: (l10n, rows) => l10n.t('Rows whose quotes may enclose other rows: {0}.', rows),
  longRow: (l10n, rows) => l10n.t('Rows that are longer than the header: {0}.', rows),
  empty: (l10n, rows) => l10n.t('Rows without a value: {0}.', rows),
  several: (l10n, rows) => l10n.t('Values that several files match: {0}.', rows),
  noHash: (l10n, rows, gap) => describeUncompared(l10n, rows, gap),
  partial: (l10n, rows) => l10n.t('Paths of which only the end matches, in another folder: {0}.', rows),
};

function describeUncompared(l10n: Translator, rows: string, gap: MatchGap | undefined): string {
  const { algorithm = '', isAll = true } = gap?.kind === 'noHash' ? gap : {};
  const name = algorithm.toUpperCase();
  return isAll
    ? l10n.t('Hashes that were not compared, because this database knows no {1}: {0}.', rows, name)
    : l10n.t(
        "Hashes that were not compared with all files, because this database doesn't know the {1} of each: {0}.",
        rows,
        name,
      );
}

/** Describes the doubts because of which nothing is sent for a recipe's table. */
export function describeRefusedTable(wording: Wording, { recipe, doubts = [] }: RecipePlan): string {
  const { l10n, toPlainLine } = wording;
  const blocking = doubts.filter(({ kind }) => kind !== 'partial');
  return l10n.t(
    "Some rows of the recipe's table {0} are in doubt. {1} Correct them, or leave them out with “doubts”: “leaveOut”.",
    toPlainLine(recipe.from.table?.file ?? ''),
    describeDoubts(wording, blocking),
  );
}

/** Lists the rows that a run leaves out, and those that need a second look. Omits those of a refused table. */
export function listTableDoubts(wording: Wording, plan: RecipePlan): readonly string[] {
  const { recipe, doubts = [] } = plan;
  const { l10n } = wording;
  if (findObstacle(plan) === 'doubts') return [];
  const mayLeaveOut = recipe.from.table?.doubts !== undefined;
  const leftOut = doubts.filter(({ kind }) => mayLeaveOut && kind !== 'partial');
  const others = doubts.filter(({ kind }) => !mayLeaveOut || kind === 'partial');
  return [
    ...(leftOut.length > 0 ? [l10n.t('Rows in doubt were left out. {0}', describeDoubts(wording, leftOut))] : []),
    ...(others.length > 0 ? [l10n.t('Rows in doubt: {0}', describeDoubts(wording, others))] : []),
  ];
}

/** Explains why a file can't be read as a table. */
export function describeTableError(wording: TableWording, { kind, format }: TableError, name: string): string {
  const { l10n, formatNumber, formatSize } = wording;
  const [columns, cells] = [formatNumber(maxColumns), formatNumber(maxCells)];
  const sentences: Readonly<Record<TableErrorKind, string>> = {
    notWorkbook: l10n.t("{0} is damaged or isn't a workbook (.xlsx, .xlsm, .ods).", name),
    unsupported: l10n.t("{0} has the format {1}, which can't be read. Save the table as XLSX or CSV.", name, format),
    encrypted: l10n.t('{0} is protected by a password. Save it without one.', name),
    unpacksTooLarge: l10n.t(
      '{0} is larger than {1} when unpacked. Save the sheet as CSV.',
      ...[name, formatSize(maxUnpackedBytes)],
    ),
    tooManyRows: l10n.t('{0} has more than {1} rows. Split the table.', name, formatNumber(maxRows)),
    tooManyCells: l10n.t(
      '{0} has more than {1} cells across all sheets, including empty cells. Save the sheet as CSV.',
      ...[name, cells],
    ),
    tooManyColumns: l10n.t(
      '{0} has more than {1} columns or {2} cells, including empty ones.',
      ...[name, columns, cells],
    ),
  };
  return sentences[kind];
}

/** Explains why a recipe's table can't be used. */
export function describeTableProblem(
  wording: TableWording,
  file: string,
  sheet: string,
  problem: TableProblem,
): string {
  const { l10n, toPlainLine } = wording;
  const name = toPlainLine(file);
  switch (problem.kind) {
    case 'missing':
      return l10n.t("The recipe's table {0} doesn't exist.", name);
    case 'unreadable':
      return l10n.t("The recipe's table {0} can't be read.", name);
    case 'tooLarge':
      return l10n.t("The recipe's table {0} is too large.", name);
    case 'noTable':
      return describeNoTable(l10n, name);
    case 'noSheet':
      return l10n.t("The recipe's table {0} has no sheet “{1}”.", name, toPlainLine(sheet));
    case 'noColumn':
      return l10n.t("The recipe's table {0} has no column “{1}”.", name, toPlainLine(problem.name));
    case 'sameColumns':
      return l10n.t("The recipe's table {0} has several columns “{1}”.", name, toPlainLine(problem.name));
    case 'invalid':
      return describeTableError(wording, problem.error, name);
  }
}
