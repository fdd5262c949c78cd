import { env, ViewColumn, window, type Uri, type WebviewPanel } from 'vscode';
import type { CopyIndex } from '../../../core/duplicates/copyIndex.ts';
import { getFileKey, type FileEntry, type FoundFile } from '../../../core/model/fileEntry.ts';
import { unaskedFileCount } from '../../../core/search/searchFlow.ts';
import type { Search, SearchStore } from '../../../core/search/searchStore.ts';
import { TableRows } from '../../../core/search/tableRows.ts';
import type { Clock } from '../../../core/util/clock.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { Logger } from '../../../core/util/logger.ts';
import type { HostIntent } from '../../../webviews/messages/pageMessages.ts';
import {
  chunkLength,
  isTableIntent,
  isTablePageState,
  type ShownRow,
  type TableHostMessage,
  type TableIntent,
  type TablePageState,
  type TableSnapshot,
} from '../../../webviews/messages/tableMessages.ts';
import type { runCommand } from '../../editor/commandBoundary.ts';
import { panelTypes, type FileNode } from '../../editor/contributions.ts';
import { getPageWords, PanelHost } from '../../editor/panelHost.ts';
import { describeSearchFailure, describeUnlisted } from '../../words/searchWords.ts';
import {
  createFileColumns,
  describeChecked,
  describeEmptyTable,
  describeRemovedSearch,
  describeTableOmission,
  getTableTitle,
} from '../../words/tableWords.ts';

/** The objects and functions that the tables use. */
interface TableServices {
  readonly extensionUri: Uri;
  readonly log: Logger;
  readonly run: typeof runCommand;
  readonly store: SearchStore;
  readonly copies: CopyIndex;
  readonly clock: Clock;
  isConnected(connectionId: string): boolean;
  /** Loads a search's results up to a number of files. */
  load(key: string, count: number): Promise<void>;
  onDidConnect(listener: () => void): Disposable;
}

/** The time between two updates of a table while pages arrive. */
const pagesDelayMs = 200;

type Intent<T extends TableIntent['type']> = Extract<TableIntent, { readonly type: T }>;

/** Controls an open table: the files of a search or, without one, the checked files of all searches. */
class TablePage implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: TableServices;
  private readonly host: PanelHost<TableIntent, TableHostMessage>;
  private readonly rows: TableRows<FileNode>;
  private view: TablePageState;
  private version = 0;
  private isUpdating = false;
  private pagesTimer: Disposable | undefined;
  private source: readonly FoundFile[] | undefined;
  private sourceCount = 0;
  /** The files of which the rest was requested, or not wanted. */
  private settled: readonly FoundFile[] | undefined;
  private before: Search | undefined;

  constructor(panel: WebviewPanel, dependencies: TableServices, view: TablePageState) {
    const { store, copies } = dependencies;
    this.dependencies = dependencies;
    this.view = view;
    this.rows = createRows(dependencies);
    this.arrange();
    this.host = this.lifetime.track(
      new PanelHost<TableIntent, TableHostMessage>(panel, dependencies, {
        page: 'table',
        isIntent: isTableIntent,
        createStartMessage: this.createStartMessage,
        onIntent: (intent) => this.handleIntent(intent),
      }),
    );
    this.before = this.search;
    this.lifetime.track(store.onDidChange((keys) => this.handleChange(keys)));
    this.lifetime.track(store.onDidChangeChecks(() => this.updateLater()));
    this.lifetime.track(copies.onDidChange((keys) => this.handleCopies(keys)));
    this.lifetime.track({ dispose: () => this.pagesTimer?.dispose() });
    this.lifetime.track(dependencies.onDidConnect(() => this.loadRest()));
    this.update();
  }

  reveal(): void {
    this.host.panel.reveal();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private get title(): string {
    const isRemoved = this.view.search !== undefined && !this.search;
    return isRemoved ? this.host.panel.title : getTableTitle(this.search);
  }

  private get search(): Search | undefined {
    return this.view.search === undefined ? undefined : this.dependencies.store.get(this.view.search);
  }

  private noticeStop(): void {
    const { before, search } = this;
    this.before = search;
    if (!before?.isLoading || search?.isLoading || search?.reason) return;
    // A page that has arrived replaces the last one. Without it, the user stopped or removed the search.
    if ((search ?? before).lastPage === before.lastPage) this.settled = before.files;
  }

  private handleChange(keys: readonly string[]): void {
    const { search } = this.view;
    // The table of the checked files changes only with the checks.
    if (search === undefined || !keys.includes(search)) return;
    this.noticeStop();
    this.updateForPage();
  }

  private handleCopies(keys: readonly string[]): void {
    const { search } = this.view;
    if (search !== undefined && !keys.includes(search)) return;
    this.source = undefined;
    this.updateForPage();
  }

  private updateForPage(): void {
    if (!this.search?.isLoading) this.updateLater();
    else this.pagesTimer ??= this.dependencies.clock.after(pagesDelayMs, () => this.update());
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
    this.pagesTimer?.dispose();
    this.pagesTimer = undefined;
    this.readRows();
    this.version += 1;
    const { title } = this;
    if (this.host.panel.title !== title) this.host.panel.title = title;
    this.host.post({ type: 'snapshot', snapshot: this.createSnapshot() });
    this.loadRest();
  }

  private readRows(): void {
    if (this.view.search === undefined) {
      this.rows.clear();
      this.rows.add(this.listChecked());
      return;
    }
    const files = this.search?.files ?? [];
    if (files !== this.source || files.length < this.sourceCount) {
      this.rows.clear();
      this.source = files;
      this.sourceCount = 0;
    }
    const added = this.toRows(files.slice(this.sourceCount));
    this.sourceCount = files.length;
    if (this.view.checkedOnly) this.arrange(added);
    else this.rows.add(added);
  }

  private toRows(files: readonly FoundFile[]): readonly FileNode[] {
    const { key = '', connectionId = '' } = this.search ?? {};
    return files.flatMap((file) => (file.kind === 'file' ? [createNode(key, connectionId, file)] : []));
  }

  private listChecked(): readonly FileNode[] {
    const { store } = this.dependencies;
    const nodes = store
      .getAll()
      .flatMap(({ key, connectionId }) => store.getChecked(key).map((file) => createNode(key, connectionId, file)));
    return [...new Map(nodes.map((node) => [getKey(node), node])).values()];
  }

  private arrange(added: readonly FileNode[] = []): void {
    const { sort, filter, checkedOnly } = this.view;
    this.rows.arrange({ sort, filter, accepts: checkedOnly ? (row) => this.isChecked(row) : undefined }, added);
  }

  private isChecked({ searchKey, file }: FileNode): boolean {
    return this.dependencies.store.isChecked(searchKey, file.id);
  }

  private loadRest(): void {
    const { search, dependencies } = this;
    if (!search || search.files === this.settled || search.isLoading || search.reason) return;
    if (!dependencies.isConnected(search.connectionId)) return;
    // The rest is loaded once, so that the user can stop that.
    this.settled = search.files;
    const isIncomplete = search.mayHaveMore && search.files.length < unaskedFileCount;
    // Files of an earlier session are replaced by new ones first. Then the rest of those is loaded, page by page.
    if (isIncomplete || search.isStale) void dependencies.load(search.key, search.isStale ? 0 : unaskedFileCount);
  }

  private createSnapshot(): TableSnapshot {
    const { rows, search } = this;
    const { store } = this.dependencies;
    const problem = this.describeProblem();
    const omission = describeTableOmission(search ? search.files.length - rows.count : 0);
    return {
      ...this.view,
      version: this.version,
      title: this.title,
      columns: rows.shownColumns.map(({ id, label, kind }) => ({ id, label, kind })),
      total: rows.count,
      shown: rows.shown.length,
      shownChecked: rows.shown.filter((row) => this.isChecked(row)).length,
      emptyText: problem === undefined ? describeEmptyTable(search, rows.count, this.view) : '',
      checkedText: describeChecked(store.checked, this.countElsewhere(), this.describeUnlisted()),
      hasChecked: store.checked.count > 0,
      isLoading: search?.isLoading ?? false,
      mayHaveMore: search?.mayHaveMore ?? false,
      canRetry: search?.reason !== undefined && (search.mayHaveMore || search.isStale),
      ...(problem !== undefined && { problem }),
      ...(omission !== undefined && { omission }),
    };
  }

  private describeUnlisted(): string {
    const { search } = this;
    const unlisted = search ? this.dependencies.store.getUnlistedChecks(search.key) : [];
    return search && unlisted.length > 0 ? describeUnlisted(search, unlisted.length) : '';
  }

  private countElsewhere(): number {
    const { store } = this.dependencies;
    const { search } = this.view;
    return search === undefined ? 0 : Math.max(0, store.checked.count - store.getCheckedCount(search));
  }

  private readonly createStartMessage = (): TableHostMessage => {
    return { type: 'start', words: getPageWords(), snapshot: this.createSnapshot(), rows: this.listRows(0) };
  };

  private describeProblem(): string | undefined {
    const { search } = this;
    if (this.view.search !== undefined && !search) return describeRemovedSearch();
    return search?.reason && `${describeSearchFailure(search.query, search.reason)}.`;
  }

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
        return this.check(this.rows.shown, intent.isChecked);
      case 'open':
        return this.open(intent);
      default:
        return this.runCommand(intent.type);
    }
  }

  private sendRows(chunk: number): void {
    this.host.post({ type: 'rows', version: this.version, chunk, rows: this.listRows(chunk) });
  }

  private listRows(chunk: number): readonly ShownRow[] {
    const columns = this.rows.shownColumns;
    return this.rows.getWindow(chunk * chunkLength, chunkLength).map((row): ShownRow => {
      const cells = columns.map(({ read }) => read(row) ?? '');
      return { key: getKey(row), cells, isChecked: this.isChecked(row) };
    });
  }

  private rearrange({ sort, filter, checkedOnly }: Intent<'arrange'>): void {
    const { search } = this.view;
    this.view = { ...(search !== undefined && { search }), ...(sort && { sort }), filter, checkedOnly, active: 0 };
    this.arrange();
    this.update();
  }

  private findRows({ index, key }: { readonly index: number; readonly key: string }): readonly FileNode[] {
    const row = this.rows.shown[index];
    // The row may have moved since the page received it.
    return row && getKey(row) === key ? [row] : this.rows.shown.filter((one) => getKey(one) === key);
  }

  private check(rows: readonly FileNode[], isChecked: boolean): void {
    const { store } = this.dependencies;
    for (const searchKey of new Set(rows.map((row) => row.searchKey))) {
      const own = rows.filter((row) => row.searchKey === searchKey);
      const files = own.map(({ file }) => file);
      // The table of all checked files shows a file once, even if several searches have checked it.
      if (this.view.search === undefined && !isChecked) store.uncheckFiles(own[0]?.connectionId ?? '', files);
      else store.drawChecked(searchKey, files, isChecked);
    }
  }

  private open(intent: Intent<'open'>): void {
    const [row] = this.findRows(intent);
    if (!row) return;
    this.view = { ...this.view, active: intent.index };
    this.host.post({ type: 'snapshot', snapshot: this.createSnapshot() });
    this.dependencies.run('dataTransfer.showFileMetadata', row);
  }

  private runCommand(type: 'transfer' | 'cite' | 'save' | 'stop' | 'more'): void {
    const { run, store } = this.dependencies;
    const { search: key } = this.view;
    const node = key === undefined ? undefined : ({ kind: 'search', key } as const);
    const source = store.checked.count > 0 ? undefined : node;
    if (type === 'transfer') run('dataTransfer.transferCheckedFiles');
    else if (type === 'cite') run('dataTransfer.cite', source);
    else if (type === 'save') run('dataTransfer.exportRecords', source);
    else if (type === 'stop') run('dataTransfer.stopSearch', node);
    // All results are loaded of a search of an earlier session whose repetition failed.
    else run(this.search?.mayHaveMore ? 'dataTransfer.loadAll' : 'dataTransfer.repeatSearch', node);
  }
}

function createRows({ copies, store }: TableServices): TableRows<FileNode> {
  const columns = createFileColumns({
    findDatabases: ({ connectionId, file }) => copies.findDatabases(connectionId, file),
    getSearchedStaging: ({ searchKey }) => store.get(searchKey)?.query.status,
  });
  return new TableRows(columns, ({ file }) => `${file.path ?? ''} ${file.name}`, env.language);
}

function createNode(searchKey: string, connectionId: string, file: FileEntry): FileNode {
  return { kind: 'file', searchKey, connectionId, file };
}

function getKey({ connectionId, file }: FileNode): string {
  return getFileKey({ connectionId, database: file.database, id: file.id });
}

/** Manages the open tables, at most one of each search and one of the checked files. */
export class TablePanels implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: TableServices;
  private readonly pages = new Map<string | undefined, TablePage>();

  constructor(dependencies: TableServices) {
    this.dependencies = dependencies;
    this.lifetime.track({ dispose: () => this.pages.forEach((page) => page.dispose()) });
  }

  /** Shows the table of a search or, without a key, of the checked files of all searches. */
  show(search?: string): void {
    const page = this.pages.get(search);
    if (page) {
      page.reveal();
      return;
    }
    const title = getTableTitle(search === undefined ? undefined : this.dependencies.store.get(search));
    const panel = window.createWebviewPanel(panelTypes.table, title, ViewColumn.Active);
    this.open(panel, { ...(search !== undefined && { search }), filter: '', checkedOnly: false, active: 0 });
  }

  /** Restores a table after the window reloads. */
  readonly restore = (panel: WebviewPanel, state: unknown): void => {
    if (isTablePageState(state) && !this.pages.has(state.search)) {
      const { search, sort, filter, checkedOnly, active } = state;
      this.open(panel, {
        ...(search !== undefined && { search }),
        ...(sort && { sort }),
        filter,
        checkedOnly,
        active,
      });
      return;
    }
    this.dependencies.log.warn('Could not restore a table: its saved state is invalid or already shown.');
    panel.dispose();
  };

  dispose(): void {
    this.lifetime.dispose();
  }

  private open(panel: WebviewPanel, view: TablePageState): void {
    const page = new TablePage(panel, this.dependencies, view);
    this.pages.set(view.search, page);
    panel.onDidDispose(() => {
      this.pages.delete(view.search);
      page.dispose();
    });
  }
}
