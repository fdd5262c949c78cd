import { randomUUID } from 'node:crypto';
import { env, l10n, Uri, type WebviewPanel } from 'vscode';
import type { SearchStore } from '../../../core/search/searchStore.ts';
import { TableRows, type GridColumn } from '../../../core/search/tableRows.ts';
import { countColumns } from '../../../core/tables/dataTable.ts';
import type { MatchedTable } from '../../../core/tables/rowMatch.ts';
import { formatMatches, listMatchedRows, type MatchedRow } from '../../../core/tables/tableMatch.ts';
import { Emitter, Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { Logger } from '../../../core/util/logger.ts';
import { toShortLine } from '../../../core/util/visibleText.ts';
import type { TableFacts, TablePageState } from '../../../webviews/messages/tableMessages.ts';
import { showFailure, type runCommand } from '../../editor/commandBoundary.ts';
import { saveResult } from '../../editor/fileDialogs.ts';
import type { Notifications } from '../../editor/notifications.ts';
import { describeColumn, describeRowMatch, describeShownPart } from '../../words/matchWords.ts';
import {
  createSaveButton,
  createTransferButton,
  describeChecked,
  describeHiddenRows,
  getProblemsLabel,
  getRowFilterLabel,
} from '../../words/tableWords.ts';
import { TablePages, type TableAction, type TableSource } from './gridPanel.ts';

/** The result of a match. */
interface MatchReport {
  readonly file: Uri;
  readonly matched: MatchedTable;
  /** The search that lists the files; undefined if there are none. */
  readonly searchKey: string | undefined;
  readonly connectionId: string;
  /** The number of rows by result. */
  readonly summary: string;
  readonly kind: 'info' | 'warning';
  readonly remarks: readonly string[];
}

interface MatchServices {
  readonly extensionUri: Uri;
  readonly log: Logger;
  readonly notifications: Notifications;
  readonly store: SearchStore;
  readonly run: typeof runCommand;
}

/** Maximum numbers of rows and columns of the user's table that are shown. The saved table has all of them. */
const maxRows = 200_000;
const maxColumns = 20;

/** Maximum length of a cell in UTF-16 code units. */
const maxCellLength = 200;

/** The rows of a matched table, each with its result and a file. */
export class MatchSource implements TableSource<MatchedRow> {
  readonly rows: TableRows<MatchedRow>;
  /** Undefined if the result isn't available in this window. */
  readonly report: MatchReport | undefined;
  private readonly lifetime = new Lifetime();
  private readonly services: MatchServices;
  private readonly changed = this.lifetime.track(new Emitter<void>());
  private untaken: readonly MatchedRow[];
  private readonly part: string | undefined;

  readonly onDidChange = this.changed.event;

  constructor(services: MatchServices, report: MatchReport | undefined) {
    this.services = services;
    this.report = report;
    const rows = report ? listMatchedRows(report.matched, maxRows + 1) : [];
    const columns = report ? listShownColumns(report.matched) : [];
    this.untaken = rows.slice(0, maxRows);
    this.part = report && describeShownPart(rows.length > maxRows, columns.length < countColumns(report.matched.table));
    this.rows = new TableRows(createColumns(report?.matched, columns), (row) => getText(row, columns), env.language);
    const notify = (): void => this.changed.fire();
    this.lifetime.track(services.store.onDidChange(notify));
    this.lifetime.track(services.store.onDidChangeChecks(notify));
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  takeRows(): readonly MatchedRow[] {
    const rows = this.untaken;
    this.untaken = [];
    return rows;
  }

  loadRest(): void {
    // A result has all of its rows.
  }

  getKey({ position }: MatchedRow): string {
    return String(position);
  }

  isChecked({ file }: MatchedRow): boolean | undefined {
    const { searchKey } = this;
    return file && searchKey !== undefined ? this.services.store.isChecked(searchKey, file.id) : undefined;
  }

  isWanted({ match }: MatchedRow): boolean {
    return match.status !== 'matched';
  }

  /** The search that lists the files, unless it was removed. */
  private get searchKey(): string | undefined {
    const { searchKey } = this.report ?? {};
    return searchKey !== undefined && this.services.store.get(searchKey) ? searchKey : undefined;
  }

  describe({ filter }: TablePageState): TableFacts {
    const { report, rows, searchKey } = this;
    const { store } = this.services;
    const { checked } = store;
    const title = report ? l10n.t('Match: {0}', toCell(getBaseName(report.file))) : l10n.t('Matched table');
    const elsewhere = Math.max(0, checked.count - store.getCheckedCount(searchKey ?? ''));
    const buttons = [...(checked.count > 0 ? [createTransferButton()] : []), createSaveButton()];
    return {
      title,
      hasChecks: searchKey !== undefined,
      unit: 'row',
      filterLabel: getRowFilterLabel(),
      toggleLabel: getProblemsLabel(),
      emptyText: describeHiddenRows(rows.count, filter),
      remarks: this.listRemarks(),
      isLoading: false,
      mayHaveMore: false,
      canRetry: false,
      barText: report ? describeChecked(checked, elsewhere, '') : '',
      barLabel: title,
      buttons: report ? buttons : [],
    };
  }

  private listRemarks(): TableFacts['remarks'] {
    const { report, part } = this;
    if (!report) return [{ kind: 'error', text: l10n.t('This result is no longer available. Match the table again.') }];
    const { kind, summary, remarks } = report;
    const limits = part === undefined ? remarks : [...remarks, part];
    return [{ kind, text: summary }, ...limits.map((text) => ({ kind: 'warning' as const, text }))];
  }

  check(rows: readonly MatchedRow[], isChecked: boolean): void {
    const { searchKey } = this;
    const files = rows.flatMap(({ file }) => file ?? []);
    if (searchKey !== undefined) this.services.store.drawChecked(searchKey, files, isChecked);
  }

  open({ file }: MatchedRow): void {
    const { searchKey = '', connectionId = '' } = this.report ?? {};
    if (file) this.services.run('dataTransfer.showFileMetadata', { kind: 'file', searchKey, connectionId, file });
  }

  run(action: TableAction): void {
    const { report, services } = this;
    if (action === 'transfer') services.run('dataTransfer.transferCheckedFiles');
    else if (report)
      void saveMatch(services.notifications, report).catch((error: unknown) => showFailure(services, 'save', error));
  }
}

function listShownColumns({ table, columns }: MatchedTable): readonly number[] {
  const others = Array.from({ length: Math.min(maxColumns, countColumns(table)) }, (_, index) => index);
  return [...new Set([...columns, ...others])].slice(0, maxColumns);
}

function createColumns(
  matched: MatchedTable | undefined,
  columns: readonly number[],
): readonly GridColumn<MatchedRow>[] {
  const { table, hasHeader = false, columns: keys = [] } = matched ?? {};
  const own = columns.map((index): GridColumn<MatchedRow> => {
    const header = toCell(table?.rows[0]?.cells[index]);
    const label = describeColumn({ header, index, samples: [], valueCount: 0 }, hasHeader);
    return createTextColumn(`cell${String(index)}`, label, 'always', ({ match }) => match.row.cells[index]);
  });
  return [
    ...own.slice(0, keys.length),
    createTextColumn('match', l10n.t('Result'), 'always', ({ match }) => describeRowMatch(match)),
    createTextColumn('path', l10n.t('File'), 'known', ({ file }) => file && (file.path ?? file.name)),
    createTextColumn('id', l10n.t('ID'), 'known', ({ file }) => file?.id),
    { id: 'size', label: l10n.t('Size'), kind: 'size', presence: 'known', read: ({ file }) => file?.sizeBytes },
    ...own.slice(keys.length),
  ];
}

function createTextColumn(
  id: string,
  label: string,
  presence: 'always' | 'known',
  read: (row: MatchedRow) => string | undefined,
): GridColumn<MatchedRow> {
  return { id, label, kind: 'text', presence, read: (row) => toCell(read(row)) || undefined };
}

function toCell(text = ''): string {
  return toShortLine(text, maxCellLength);
}

function getBaseName({ path }: Uri): string {
  return path.split('/').at(-1) ?? '';
}

function getText({ match, file }: MatchedRow, columns: readonly number[]): string {
  const cells = columns.map((index) => match.row.cells[index] ?? '');
  return [...cells, describeRowMatch(match), file?.path, file?.name, file?.id].join(' ');
}

/** Lets the user save the whole result, with all columns of the table. */
export async function saveMatch(notifications: Notifications, { file, matched }: MatchReport): Promise<void> {
  const name = `${getBaseName(file).replace(/\.\w+$/, '')}-matched.csv`;
  await saveResult(notifications, {
    title: l10n.t('Save Table'),
    suggested: Uri.joinPath(file, '..', name),
    kinds: { CSV: ['csv'], TSV: ['tsv'] },
    savedText: l10n.t('Saved the table.'),
    format: ({ path }) => formatMatches(matched, /\.tsv$/i.test(path) ? '\t' : ','),
  });
}

/** Manages the open results of matches. */
export class MatchPanels implements Disposable {
  private readonly services: MatchServices;
  private readonly pages: TablePages<MatchedRow, MatchSource>;
  private newest: MatchReport | undefined;

  constructor(services: MatchServices) {
    this.services = services;
    this.pages = new TablePages<MatchedRow, MatchSource>('match', services);
  }

  /** The result in the active tab or, without one, the newest of this window. */
  get current(): MatchReport | undefined {
    return this.pages.active?.report ?? this.newest;
  }

  /** Shows a result in a new tab. */
  show(report: MatchReport): void {
    this.newest = report;
    this.pages.open(new MatchSource(this.services, report), randomUUID());
  }

  /** Restores a tab after the window reloads. The result itself isn't stored. */
  readonly restore = (panel: WebviewPanel, state: unknown): void => {
    const view = this.pages.readState(panel, state);
    if (view) this.pages.attach(panel, new MatchSource(this.services, undefined), view);
  };

  dispose(): void {
    this.pages.dispose();
  }
}
