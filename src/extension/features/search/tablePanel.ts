import { env, l10n, type Uri, type WebviewPanel } from 'vscode';
import type { CopyIndex } from '../../../core/duplicates/copyIndex.ts';
import { getFileKey, type FileEntry, type FoundFile } from '../../../core/model/fileEntry.ts';
import { unaskedFileCount } from '../../../core/search/searchFlow.ts';
import type { Search, SearchStore } from '../../../core/search/searchStore.ts';
import { TableRows } from '../../../core/search/tableRows.ts';
import type { Clock } from '../../../core/util/clock.ts';
import { Emitter, Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { Logger } from '../../../core/util/logger.ts';
import type { TableFacts, TablePageState } from '../../../webviews/messages/tableMessages.ts';
import type { runCommand } from '../../editor/commandBoundary.ts';
import type { FileNode } from '../../editor/contributions.ts';
import { describeSearchFailure, describeUnlisted } from '../../words/searchWords.ts';
import {
  createFileColumns,
  createSaveButton,
  createTransferButton,
  describeChecked,
  describeEmptyTable,
  describeRemovedSearch,
  describeTableOmission,
  getTableTitle,
} from '../../words/tableWords.ts';
import { TablePages, type TableAction, type TableSource } from './gridPanel.ts';

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

/** The files of a search or, without one, the checked files of all searches. */
class FileTable implements TableSource<FileNode> {
  readonly rows: TableRows<FileNode>;
  private readonly lifetime = new Lifetime();
  private readonly dependencies: TableServices;
  private readonly key: string | undefined;
  private readonly changed = this.lifetime.track(new Emitter<void>());
  private title: string;
  private pagesTimer: Disposable | undefined;
  private source: readonly FoundFile[] | undefined;
  private sourceCount = 0;
  /** The files of which the rest was requested, or not wanted. */
  private settled: readonly FoundFile[] | undefined;
  private before: Search | undefined;

  readonly onDidChange = this.changed.event;

  /** `title` is shown if the search doesn't exist. */
  constructor(dependencies: TableServices, key: string | undefined, title: string) {
    const { store, copies } = dependencies;
    this.dependencies = dependencies;
    this.key = key;
    this.title = title;
    this.rows = createRows(dependencies);
    this.before = this.search;
    this.lifetime.track(store.onDidChange((keys) => this.handleChange(keys)));
    this.lifetime.track(store.onDidChangeChecks(() => this.changed.fire()));
    this.lifetime.track(copies.onDidChange((keys) => this.handleCopies(keys)));
    this.lifetime.track({ dispose: () => this.pagesTimer?.dispose() });
    this.lifetime.track(dependencies.onDidConnect(() => this.loadRest()));
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private get search(): Search | undefined {
    return this.key === undefined ? undefined : this.dependencies.store.get(this.key);
  }

  private noticeStop(): void {
    const { before, search } = this;
    this.before = search;
    if (!before?.isLoading || search?.isLoading || search?.reason) return;
    // A page that has arrived replaces the last one. Without it, the user stopped or removed the search.
    if ((search ?? before).lastPage === before.lastPage) this.settled = before.files;
  }

  private handleChange(keys: readonly string[]): void {
    // The table of the checked files changes only with the checks.
    if (this.key === undefined || !keys.includes(this.key)) return;
    this.noticeStop();
    this.announcePage();
  }

  private handleCopies(keys: readonly string[]): void {
    if (this.key !== undefined && !keys.includes(this.key)) return;
    this.source = undefined;
    this.announcePage();
  }

  private announcePage(): void {
    if (this.search?.isLoading)
      this.pagesTimer ??= this.dependencies.clock.after(pagesDelayMs, () => this.changed.fire());
    else this.changed.fire();
  }

  takeRows(): readonly FileNode[] {
    this.pagesTimer?.dispose();
    this.pagesTimer = undefined;
    if (this.key === undefined) {
      this.rows.clear();
      return this.listChecked();
    }
    const files = this.search?.files ?? [];
    if (files !== this.source || files.length < this.sourceCount) {
      this.rows.clear();
      this.source = files;
      this.sourceCount = 0;
    }
    const added = this.toRows(files.slice(this.sourceCount));
    this.sourceCount = files.length;
    return added;
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
    return [...new Map(nodes.map((node) => [this.getKey(node), node])).values()];
  }

  loadRest(): void {
    const { search, dependencies } = this;
    if (!search || search.files === this.settled || search.isLoading || search.reason) return;
    if (!dependencies.isConnected(search.connectionId)) return;
    // The rest is loaded once, so that the user can stop that.
    this.settled = search.files;
    const isIncomplete = search.mayHaveMore && search.files.length < unaskedFileCount;
    // Files of an earlier session are replaced by new ones first. Then the rest of those is loaded, page by page.
    if (isIncomplete || search.isStale) void dependencies.load(search.key, search.isStale ? 0 : unaskedFileCount);
  }

  getKey({ connectionId, file }: FileNode): string {
    return getFileKey({ connectionId, database: file.database, id: file.id });
  }

  isChecked({ searchKey, file }: FileNode): boolean {
    return this.dependencies.store.isChecked(searchKey, file.id);
  }

  isWanted(row: FileNode): boolean {
    return this.isChecked(row);
  }

  describe({ filter, isToggled }: TablePageState): TableFacts {
    const { rows, key, search } = this;
    const { store } = this.dependencies;
    const isRemoved = key !== undefined && !search;
    if (!isRemoved) this.title = getTableTitle(search);
    const hasChecked = store.checked.count > 0;
    return {
      title: this.title,
      hasChecks: true,
      unit: 'file',
      filterLabel: l10n.t('Filter by name or folder'),
      ...(key !== undefined && { toggleLabel: l10n.t('Checked only') }),
      emptyText: isRemoved || search?.reason ? '' : describeEmptyTable(search, rows.count, { filter, isToggled }),
      remarks: this.listRemarks(isRemoved),
      isLoading: search?.isLoading ?? false,
      mayHaveMore: search?.mayHaveMore ?? false,
      canRetry: search?.reason !== undefined && (search.mayHaveMore || search.isStale),
      barText: describeChecked(store.checked, this.countElsewhere(), this.describeUnlisted()),
      barLabel: hasChecked ? l10n.t('Checked files') : this.title,
      buttons: listFileButtons(hasChecked, rows.count),
    };
  }

  private listRemarks(isRemoved: boolean): TableFacts['remarks'] {
    const { search } = this;
    const problem = isRemoved
      ? describeRemovedSearch()
      : search?.reason && `${describeSearchFailure(search.query, search.reason)}.`;
    const omission = describeTableOmission(search ? search.files.length - this.rows.count : 0);
    return [
      ...(problem === undefined ? [] : [{ kind: 'error' as const, text: problem }]),
      ...(omission === undefined ? [] : [{ kind: 'warning' as const, text: omission }]),
    ];
  }

  private describeUnlisted(): string {
    const { search } = this;
    const unlisted = search ? this.dependencies.store.getUnlistedChecks(search.key) : [];
    return search && unlisted.length > 0 ? describeUnlisted(search, unlisted.length) : '';
  }

  private countElsewhere(): number {
    const { store } = this.dependencies;
    return this.key === undefined ? 0 : Math.max(0, store.checked.count - store.getCheckedCount(this.key));
  }

  check(rows: readonly FileNode[], isChecked: boolean): void {
    const { store } = this.dependencies;
    for (const searchKey of new Set(rows.map((row) => row.searchKey))) {
      const own = rows.filter((row) => row.searchKey === searchKey);
      const files = own.map(({ file }) => file);
      // The table of all checked files shows a file once, even if several searches have checked it.
      if (this.key === undefined && !isChecked) store.uncheckFiles(own[0]?.connectionId ?? '', files);
      else store.drawChecked(searchKey, files, isChecked);
    }
  }

  open(row: FileNode): void {
    this.dependencies.run('dataTransfer.showFileMetadata', row);
  }

  run(action: TableAction): void {
    const { run, store } = this.dependencies;
    const { key } = this;
    const node = key === undefined ? undefined : ({ kind: 'search', key } as const);
    const source = store.checked.count > 0 ? undefined : node;
    if (action === 'transfer') run('dataTransfer.transferCheckedFiles');
    else if (action === 'cite') run('dataTransfer.cite', source);
    else if (action === 'save') run('dataTransfer.exportRecords', source);
    else if (action === 'stop') run('dataTransfer.stopSearch', node);
    // All results are loaded of a search of an earlier session whose repetition failed.
    else run(this.search?.mayHaveMore ? 'dataTransfer.loadAll' : 'dataTransfer.repeatSearch', node);
  }
}

function listFileButtons(hasChecked: boolean, count: number): TableFacts['buttons'] {
  const cite = { type: 'cite', label: l10n.t('Cite…'), isPrimary: false } as const;
  return [
    ...(hasChecked ? [createTransferButton()] : []),
    ...(hasChecked || count > 0 ? [cite, createSaveButton()] : []),
  ];
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

/** Manages the open tables of files, at most one of each search and one of the checked files. */
export class TablePanels implements Disposable {
  private readonly dependencies: TableServices;
  private readonly pages: TablePages<FileNode>;

  constructor(dependencies: TableServices) {
    this.dependencies = dependencies;
    this.pages = new TablePages('table', dependencies);
  }

  /** Shows the table of a search or, without a key, of the checked files of all searches. */
  show(search?: string): void {
    if (!this.pages.reveal(search)) this.pages.open(new FileTable(this.dependencies, search, ''), search);
  }

  /** Restores a table after the window reloads. */
  readonly restore = (panel: WebviewPanel, state: unknown): void => {
    const view = this.pages.readState(panel, state);
    if (view) this.pages.attach(panel, new FileTable(this.dependencies, view.subject, panel.title), view);
  };

  dispose(): void {
    this.pages.dispose();
  }
}
