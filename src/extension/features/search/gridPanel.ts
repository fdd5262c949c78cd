import { ViewColumn, window, type Uri, type WebviewPanel } from 'vscode';
import type { TableRows } from '../../../core/search/tableRows.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { Logger } from '../../../core/util/logger.ts';
import type { HostIntent } from '../../../webviews/messages/pageMessages.ts';
import {
  chunkLength,
  isTableIntent,
  isTablePageState,
  toPageState,
  type ShownRow,
  type TableFacts,
  type TableHostMessage,
  type TableIntent,
  type TablePageState,
  type TableSnapshot,
} from '../../../webviews/messages/tableMessages.ts';
import { panelTypes } from '../../editor/contributions.ts';
import { getPageWords, PanelHost } from '../../editor/panelHost.ts';

/** The source of a table: its rows, the texts about them, and the actions of its buttons. */
export interface TableSource<Row> extends Disposable {
  readonly rows: TableRows<Row>;
  /** Called when the rows, their check boxes or the facts may have changed. */
  onDidChange(listener: () => void): Disposable;
  /** Returns the rows that were not returned yet. If the others are no longer valid, clears {@link rows} first. */
  takeRows(): readonly Row[];
  /** Requests further rows, unless that was done before. */
  loadRest(): void;
  /** Returns the key of a row, which no other row has. */
  getKey(row: Row): string;
  /** Returns whether a row is checked; undefined if it has no check box. */
  isChecked(row: Row): boolean | undefined;
  /** Returns true for the rows that remain when the table's toggle is on. */
  isWanted(row: Row): boolean;
  describe(view: TablePageState): TableFacts;
  check(rows: readonly Row[], isChecked: boolean): void;
  open(row: Row): void;
  run(action: TableAction): void;
}

/** An action of a table's button. */
export type TableAction = TableFacts['buttons'][number]['type'] | 'stop' | 'more';

/** The objects that all tables use. */
interface TableServices {
  readonly extensionUri: Uri;
  readonly log: Logger;
}

type Intent<T extends TableIntent['type']> = Extract<TableIntent, { readonly type: T }>;

/** Controls an open table. */
class TablePage<Row, Source extends TableSource<Row>> implements Disposable {
  readonly source: Source;
  private readonly lifetime = new Lifetime();
  private readonly host: PanelHost<TableIntent, TableHostMessage>;
  private view: TablePageState;
  private version = 0;
  private isUpdating = false;
  private searchingColumns: NodeJS.Immediate | undefined;

  constructor(panel: WebviewPanel, services: TableServices, source: Source, view: TablePageState) {
    this.source = this.lifetime.track(source);
    this.view = view;
    this.arrange();
    this.host = this.lifetime.track(
      new PanelHost<TableIntent, TableHostMessage>(panel, services, {
        page: 'table',
        isIntent: isTableIntent,
        createStartMessage: this.createStartMessage,
        onIntent: (intent) => this.handleIntent(intent),
      }),
    );
    this.lifetime.track(source.onDidChange(() => this.updateLater()));
    this.lifetime.track({ dispose: () => clearImmediate(this.searchingColumns) });
    this.update();
  }

  get panel(): WebviewPanel {
    return this.host.panel;
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private updateLater(): void {
    // One update is enough for all changes that are made in one go.
    if (this.isUpdating) return;
    this.isUpdating = true;
    queueMicrotask(() => {
      this.isUpdating = false;
      this.update();
    });
  }

  private update(): void {
    const added = this.source.takeRows();
    if (this.view.isToggled) this.arrange(added);
    else this.source.rows.add(added);
    this.show();
    this.source.loadRest();
    this.findColumnsLater();
  }

  private show(): void {
    this.version += 1;
    const snapshot = this.createSnapshot();
    if (this.panel.title !== snapshot.title) this.panel.title = snapshot.title;
    this.host.post({ type: 'snapshot', snapshot });
  }

  private findColumnsLater(): void {
    const { rows } = this.source;
    // The page is answered in between.
    this.searchingColumns ??= setImmediate(() => {
      this.searchingColumns = undefined;
      const listIds = (): string => rows.shownColumns.map(({ id }) => id).join();
      const before = listIds();
      const hasMore = rows.findColumns();
      if (listIds() !== before) this.show();
      if (hasMore) this.findColumnsLater();
    });
  }

  private arrange(added: readonly Row[] = []): void {
    const { source } = this;
    const { sort, filter, isToggled } = this.view;
    source.rows.arrange({ sort, filter, accepts: isToggled ? (row) => source.isWanted(row) : undefined }, added);
  }

  private createSnapshot(): TableSnapshot {
    const { source, view, version } = this;
    const { rows } = source;
    const checks = rows.shown.flatMap((row) => source.isChecked(row) ?? []);
    return {
      ...view,
      ...source.describe(view),
      version,
      columns: rows.shownColumns.map(({ id, label, kind }) => ({ id, label, kind })),
      total: rows.count,
      shown: rows.shown.length,
      shownCheckable: checks.length,
      shownChecked: checks.filter(Boolean).length,
    };
  }

  private readonly createStartMessage = (): TableHostMessage => {
    return { type: 'start', words: getPageWords(), snapshot: this.createSnapshot(), rows: this.listRows(0) };
  };

  private handleIntent(intent: Exclude<TableIntent, HostIntent>): void {
    switch (intent.type) {
      case 'rows':
        return this.sendRows(intent.chunk);
      case 'arrange':
        return this.rearrange(intent);
      case 'check':
        this.view = { ...this.view, active: intent.index };
        return this.check(this.findRows(intent), intent.isChecked);
      case 'checkShown':
        return this.check(this.source.rows.shown, intent.isChecked);
      case 'open':
        return this.open(intent);
      default:
        return this.source.run(intent.type);
    }
  }

  private sendRows(chunk: number): void {
    this.host.post({ type: 'rows', version: this.version, chunk, rows: this.listRows(chunk) });
  }

  private listRows(chunk: number): readonly ShownRow[] {
    const { source } = this;
    const columns = source.rows.shownColumns;
    return source.rows.getWindow(chunk * chunkLength, chunkLength).map((row): ShownRow => {
      const isChecked = source.isChecked(row);
      const cells = columns.map(({ read }) => read(row) ?? '');
      return { key: source.getKey(row), cells, ...(isChecked !== undefined && { isChecked }) };
    });
  }

  private rearrange({ sort, filter, isToggled }: Intent<'arrange'>): void {
    const { subject } = this.view;
    this.view = { ...(subject !== undefined && { subject }), ...(sort && { sort }), filter, isToggled, active: 0 };
    this.arrange();
    this.update();
  }

  private findRows({ index, key }: { readonly index: number; readonly key: string }): readonly Row[] {
    const { source } = this;
    const row = source.rows.shown[index];
    // The row may have moved since the page received it.
    return row && source.getKey(row) === key ? [row] : source.rows.shown.filter((one) => source.getKey(one) === key);
  }

  private check(rows: readonly Row[], isChecked: boolean): void {
    const { source } = this;
    const checkable = rows.filter((row) => source.isChecked(row) !== undefined);
    if (checkable.length > 0) source.check(checkable, isChecked);
  }

  private open(intent: Intent<'open'>): void {
    const [row] = this.findRows(intent);
    if (!row) return;
    this.view = { ...this.view, active: intent.index };
    this.host.post({ type: 'snapshot', snapshot: this.createSnapshot() });
    this.source.open(row);
  }
}

/** Manages the open tables of one kind, at most one of each subject, such as a search. */
export class TablePages<Row, Source extends TableSource<Row> = TableSource<Row>> implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly type: keyof typeof panelTypes;
  private readonly services: TableServices;
  private readonly pages = new Map<string | undefined, TablePage<Row, Source>>();

  constructor(type: keyof typeof panelTypes, services: TableServices) {
    this.type = type;
    this.services = services;
    this.lifetime.track({ dispose: () => this.pages.forEach((page) => page.dispose()) });
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  /** Returns the table of a subject, if it is open. */
  find(subject: string | undefined): Source | undefined {
    return this.pages.get(subject)?.source;
  }

  /** Returns the table in the active tab, if any. */
  get active(): Source | undefined {
    return [...this.pages.values()].find(({ panel }) => panel.active)?.source;
  }

  /** Brings the table of a subject to the front. Returns false if it isn't open. */
  reveal(subject: string | undefined): boolean {
    const page = this.pages.get(subject);
    page?.panel.reveal();
    return page !== undefined;
  }

  /** Opens a tab with a table. */
  open(source: Source, subject: string | undefined): void {
    const view = { ...(subject !== undefined && { subject }), filter: '', isToggled: false, active: 0 };
    const { title } = source.describe(view);
    this.attach(window.createWebviewPanel(panelTypes[this.type], title, ViewColumn.Active), source, view);
  }

  /** Returns the saved state of a table whose tab returns; undefined, and closes the tab, if it can't be shown. */
  readState(panel: WebviewPanel, state: unknown): TablePageState | undefined {
    if (isTablePageState(state) && !this.pages.has(state.subject)) return toPageState(state);
    this.services.log.warn('Could not restore a table: its saved state is invalid or already shown.');
    panel.dispose();
    return undefined;
  }

  /** Shows a table in a panel. */
  attach(panel: WebviewPanel, source: Source, view: TablePageState): void {
    const page = new TablePage<Row, Source>(panel, this.services, source, view);
    this.pages.set(view.subject, page);
    panel.onDidDispose(() => {
      this.pages.delete(view.subject);
      page.dispose();
    });
  }
}
