import { commands, l10n, Uri } from 'vscode';
import type { OpenConnection } from '../../../core/flows/openConnections.ts';
import {
  alignRows,
  countStatuses,
  formatMatches,
  getValueRows,
  listMatchRows,
  type MatchedTable,
} from '../../../core/tables/matchResult.ts';
import { findRoundedRows } from '../../../core/tables/tableColumns.ts';
import { CommandFailure, CommandHint, runCommand } from '../../editor/commandBoundary.ts';
import { pickNewFile, writeTextFile } from '../../editor/fileDialogs.ts';
import {
  describeLongValues,
  describeMatches,
  describeMatchFailure,
  describeRounding,
  describeShortening,
  describeSkippedFiles,
  describeTruncation,
} from '../../words/matchWords.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import type { CommandServices } from '../services.ts';

/** A matched table with its file, and the database that was searched. */
interface MatchReport extends MatchedTable {
  readonly session: OpenConnection;
  readonly file: Uri;
  readonly database: string;
}

/** Maximum number of characters that are shown in an editor. A longer result can only be saved. */
const maxShownCharacters = 20_000_000;

/**
 * Shows the result as a table. Lists the matching files in the search results and checks the unique matches. Offers to
 * save the table and to transfer the checked files.
 */
export async function showMatches(services: CommandServices, report: MatchReport): Promise<void> {
  listFiles(services, report);
  const isShown = await showTable(services, report);
  const remarks = [
    ...listRemarks(report),
    ...(isShown ? [] : [l10n.t('The table is too large to show. Save it instead.')]),
  ];
  const text = [describeMatches(countStatuses(report)), ...remarks].join(' ');
  const kind = report.index.uniqueFiles.length > 0 && remarks.length === 0 ? 'info' : 'warning';
  const [saveLabel, transferLabel] = [l10n.t('Save Table…'), l10n.t('Transfer Checked Files…')];
  const transferLabels = report.index.uniqueFiles.length > 0 ? [transferLabel] : [];
  const choice = await services.notifications.offer(kind, text, saveLabel, ...transferLabels);
  if (choice === saveLabel) await saveTable(services, report);
  else if (choice === transferLabel) runCommand('dataTransfer.transferCheckedFiles');
}

function listFiles({ searchFlow, settings }: CommandServices, { session, database, index }: MatchReport): void {
  const { files, uniqueFiles } = index;
  if (files.length === 0) return;
  const ids = files.map(({ id }) => id);
  searchFlow.openFound(session, { database, query: '', pageSize: settings.pageSize, ids }, files, uniqueFiles);
}

/** Shows the result with aligned columns in an editor. Resolves to false if the result is too long to be shown. */
async function showTable(services: CommandServices, report: MatchReport): Promise<boolean> {
  const result = {
    kind: 'match' as const,
    file: getResultName(report, 'txt'),
    identity: `${report.file.toString()} ${Date.now()}`,
    run: () => saveTable(services, report),
  };
  const pieces: string[] = [];
  let length = 0;
  for (const piece of alignRows(() => listMatchRows(report))) {
    length += piece.length;
    if (length > maxShownCharacters) {
      await services.documents.showResult(result);
      return false;
    }
    pieces.push(piece);
  }
  await services.documents.showResult(result, pieces.join(''));
  return true;
}

/** Saves the matched table in the given tab or, without a tab, the last one of this window. */
export async function saveMatchedTable({ documents }: CommandServices, document: Uri | undefined): Promise<void> {
  const result = documents.getResult('match', document);
  if (result) {
    await result.run();
    return;
  }
  const match = { label: l10n.t('Match Table…'), run: () => runCommand('dataTransfer.matchTable') };
  const text = document
    ? l10n.t('This result is no longer available. Match the table again.')
    : l10n.t('No table has been matched in this window.');
  throw new CommandHint(text, match);
}

/** Lists the limitations of a result, such as values that were not looked up, and warns about rounded numbers. */
function listRemarks(report: MatchReport): readonly string[] {
  const { index, table, column } = report;
  const [failure] = index.gaps.flatMap((gap) => (gap.kind === 'failed' ? [gap.reason] : []));
  const valueLines = new Set(getValueRows(report).map(({ line }) => line));
  const rounded = findRoundedRows(table, column).filter((line) => valueLines.has(line));
  return [
    failure && describeMatchFailure(failure),
    describeLongValues(index.gaps),
    describeTruncation(index.gaps),
    describeSkippedFiles(index.skippedFiles),
    index.shortenedCount > 0 ? describeShortening(index.shortenedCount) : undefined,
    rounded.length > 0 ? describeRounding(rounded) : undefined,
  ].filter((text) => text !== undefined);
}

async function saveTable({ notifications }: CommandServices, report: MatchReport): Promise<void> {
  const suggested = Uri.joinPath(report.file, '..', getResultName(report, 'csv'));
  const file = await pickNewFile(l10n.t('Save Table'), suggested, { CSV: ['csv'], TSV: ['tsv'] });
  if (!file) return;
  try {
    await writeTextFile(file, formatMatches(report, /\.tsv$/i.test(file.path) ? '\t' : ','));
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not write {0}: {1}', toPlainLine(file.path), describeError(error)));
  }
  const open = { label: l10n.t('Open'), run: () => commands.executeCommand('vscode.open', file) };
  void notifications.info(l10n.t('Saved the table.'), open);
}

function getResultName({ file }: MatchReport, extension: string): string {
  const name = file.path.split('/').at(-1) ?? '';
  return `${name.replace(/\.\w+$/, '')}-matched.${extension}`;
}
