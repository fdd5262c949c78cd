import { isDeepStrictEqual } from 'node:util';
import { EventEmitter, l10n, ViewColumn, window, type Uri, type WebviewPanel } from 'vscode';
import { listCitations } from '../../../core/citations/citableUnits.ts';
import { formatApa } from '../../../core/citations/citationFormats.ts';
import type { CopyIndex } from '../../../core/duplicates/copyIndex.ts';
import type { FileEntry, FoundFile } from '../../../core/model/fileEntry.ts';
import type { Reason } from '../../../core/model/reason.ts';
import { type FileStaging, getReportedStaging } from '../../../core/model/searchModel.ts';
import type { Clock } from '../../../core/util/clock.ts';
import { findDistinctFolders } from '../../../core/util/distinctFolders.ts';
import { formatErrorStack } from '../../../core/util/errorFacts.ts';
import { omit } from '../../../core/util/json.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { Logger } from '../../../core/util/logger.ts';
import {
  isMetadataIntent,
  isMetadataPageState,
  type MetadataHostMessage,
  type MetadataIntent,
  type MetadataSnapshot,
  type ShownPreview,
} from '../../../webviews/messages/metadataMessages.ts';
import type { HostIntent } from '../../../webviews/messages/pageMessages.ts';
import type { runCommand } from '../../editor/commandBoundary.ts';
import { panelTypes, type FileRef } from '../../editor/contributions.ts';
import { DoubleClicks } from '../../editor/doubleClicks.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeUnexpectedError } from '../../words/sharedLabels.ts';
import { describeReason, getSignInRemedy, type SignInRemedy } from '../../words/reasonWords.ts';
import { copyText, getPageWords, PanelHost } from '../../editor/panelHost.ts';

/** The response to a request for a file. Contains neither a file nor a reason if the service returned no metadata. */
interface FetchedFile {
  readonly file?: FoundFile;
  readonly reason?: Reason;
}

/** Reads the beginnings of files, whose paths determine their formats, if the service returns their content. */
interface Previews {
  canOpen(connectionId: string): boolean;
  findOffer(connectionId: string, path: string): MetadataSnapshot['offer'];
  read(ref: FileRef, path: string, signal: AbortSignal): Promise<ShownPreview>;
}

/** Dependencies of the metadata pages. */
interface MetadataPanelsDependencies {
  readonly extensionUri: Uri;
  readonly log: Logger;
  readonly clock: Clock;
  readonly run: typeof runCommand;
  /** Returns a file's staging status if a search with a staging filter found the file (D31: staged display). */
  getStaging(ref: FileRef): FileStaging | undefined;
  /** Finds files with the same content in other databases (D60: same content). */
  readonly copies: Pick<CopyIndex, 'findCopies' | 'onDidChange'>;
  isConnected(connectionId: string): boolean;
  readonly previews: Previews;
  fetchFile(ref: FileRef, signal: AbortSignal): Promise<FetchedFile>;
  onDidConnect(listener: () => void): Disposable;
}

function getFileId({ connectionId, database, id }: FileRef): string {
  return JSON.stringify([connectionId, database, id]);
}

function isSameFile(first: FileRef, second: FileRef): boolean {
  return getFileId(first) === getFileId(second);
}

/** Controls an open metadata page. */
export class MetadataPage implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly host: PanelHost<MetadataIntent, MetadataHostMessage>;
  private readonly dependencies: MetadataPanelsDependencies;
  private snapshot: MetadataSnapshot;
  private pendingRequest: AbortController | undefined;
  private pendingPreview: AbortController | undefined;
  private isWaiting = false;
  private readonly changed = this.lifetime.track(new EventEmitter<void>());
  /** Fires when the shown file or what is known about it changes. */
  readonly onDidChange = this.changed.event;
  private firstLoadedAt: number | undefined;
  /** The command that fixes the problem shown on the page. */
  private remedy: SignInRemedy | undefined;

  constructor(panel: WebviewPanel, dependencies: MetadataPanelsDependencies, snapshot: MetadataSnapshot) {
    this.dependencies = dependencies;
    this.snapshot = snapshot;
    this.host = this.lifetime.track(
      new PanelHost<MetadataIntent, MetadataHostMessage>(panel, dependencies, {
        page: 'metadata',
        isIntent: isMetadataIntent,
        createStartMessage: () => {
          this.firstLoadedAt ??= dependencies.clock.now();
          return { type: 'start', words: getPageWords(), snapshot: this.snapshot };
        },
        onIntent: (intent) => this.handleIntent(intent),
      }),
    );
    this.lifetime.track({ dispose: () => this.pendingRequest?.abort() });
    this.lifetime.track({ dispose: () => this.pendingPreview?.abort() });
    this.lifetime.track(dependencies.copies.onDidChange(() => this.updateCopies()));
    this.update({});
  }

  get ref(): FileRef {
    return this.snapshot.ref;
  }

  /** The file with its path, if known. */
  get namedFile(): FileRef {
    const { ref, found } = this.snapshot;
    return found?.kind === 'file' && found.path !== undefined ? { ...ref, path: found.path } : ref;
  }

  /** Shows the file's name in the tab, after the folder that distinguishes it from the files of other tabs. */
  setTitle(folder: string): void {
    const title = getTabTitle(folder === '' ? this.ref.name : `${folder}/${this.ref.name}`);
    if (this.host.panel.title !== title) this.host.panel.title = title;
  }

  get isPinned(): boolean {
    return this.snapshot.kept;
  }

  /** The time at which the page was first loaded, in milliseconds since 1970; undefined until then. */
  get loadedAt(): number | undefined {
    return this.firstLoadedAt;
  }

  pin(): void {
    this.update({ kept: true });
  }

  reveal(preserveFocus: boolean): void {
    this.host.panel.reveal(undefined, preserveFocus);
  }

  /**
   * Shows a file: first the known metadata, then the service's response. Sends no request if the page is already
   * showing or fetching the file's current metadata.
   */
  show(ref: FileRef, known?: FileEntry): void {
    const { found, receivedAt, loading, problem, old } = this.snapshot;
    const isSame = isSameFile(ref, this.ref);
    if (isSame && problem === undefined && !old && (loading || found !== undefined)) return;
    this.pendingPreview?.abort();
    const { staging } = this.snapshot;
    const next = { ref, kept: this.isPinned, loading: false, ...(isSame && staging && { staging }) };
    if (known) this.snapshot = { ...next, found: known, receivedAt: this.dependencies.clock.now() };
    else if (isSame && found && receivedAt !== undefined) this.snapshot = { ...next, found, receivedAt };
    else this.snapshot = next;
    void this.fetch();
  }

  /** Fetches the metadata of the shown file. Aborts the previous request. */
  async fetch(): Promise<void> {
    this.pendingRequest?.abort();
    const request = new AbortController();
    this.pendingRequest = request;
    this.isWaiting = false;
    this.update({ loading: true });
    const fetched = await this.dependencies.fetchFile(this.ref, request.signal).catch((error: unknown) => {
      this.dependencies.log.error(`Could not fetch the metadata for a file: ${String(error)}`);
      return undefined;
    });
    if (request.signal.aborted) return;
    this.isWaiting = fetched?.reason?.kind === 'notConnected';
    const { ref, kept, staging, preview } = this.snapshot;
    const next = { ref, kept, loading: false, receivedAt: this.dependencies.clock.now(), ...(staging && { staging }) };
    if (fetched?.file) this.replace({ ...next, found: fetched.file, ...(preview && { preview }) });
    else this.showProblem(fetched);
  }

  /** Shows why fetching the metadata failed. `fetched` is undefined after an unexpected error. */
  private showProblem(fetched: FetchedFile | undefined): void {
    const reason = fetched?.reason;
    this.remedy = reason && getSignInRemedy(reason, this.ref.connectionId);
    const { remedy, ...shown } = this.snapshot;
    const problem = fetched ? this.describeProblem(reason) : describeUnexpectedError();
    this.replace({ ...shown, loading: false, problem, ...(this.remedy && { remedy: this.remedy.icon }) });
  }

  /**
   * Fetches the metadata if the page was waiting for a connection that is now open. Otherwise, shows whether the file
   * can be opened now.
   */
  fetchIfWaiting(): void {
    if (this.isWaiting && this.dependencies.isConnected(this.ref.connectionId)) void this.fetch();
    else if (this.dependencies.previews.canOpen(this.ref.connectionId) !== (this.snapshot.canOpen ?? false))
      this.update({});
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private describeProblem(reason: Reason | undefined): string {
    const name = toPlainLine(this.ref.name);
    if (reason === undefined) return l10n.t('{0} returned no metadata for {1}.', toPlainLine(this.ref.database), name);
    return l10n.t('Could not fetch the metadata for {0}: {1}.', name, describeReason(reason));
  }

  private update(changed: Partial<MetadataSnapshot>): void {
    this.replace({ ...this.snapshot, ...changed });
  }

  private replace(snapshot: MetadataSnapshot): void {
    const reported = snapshot.found?.kind === 'file' ? getReportedStaging(snapshot.found) : undefined;
    const staging = reported ?? this.dependencies.getStaging(snapshot.ref) ?? snapshot.staging;
    const copies = this.findCopies(snapshot);
    const { previews } = this.dependencies;
    const canOpen = previews.canOpen(snapshot.ref.connectionId);
    const offer = previews.findOffer(snapshot.ref.connectionId, getPath(snapshot));
    const current = {
      ...omit(snapshot, 'copies', 'canOpen', 'offer'),
      ...(staging && { staging }),
      ...(copies && { copies }),
      ...(canOpen && { canOpen }),
      ...(offer && { offer }),
    };
    this.snapshot = withCitation(withFoundName(current));
    this.changed.fire();
    this.host.post({ type: 'snapshot', snapshot: this.snapshot });
  }

  private findCopies({ ref, found }: MetadataSnapshot): MetadataSnapshot['copies'] {
    if (found?.kind !== 'file') return undefined;
    const copies = this.dependencies.copies.findCopies(ref.connectionId, found, maxCopies);
    return copies.length === 0 ? undefined : copies.map(({ database, name }) => ({ database, name }));
  }

  private updateCopies(): void {
    const { copies } = this.snapshot;
    if (!isDeepStrictEqual(copies, this.findCopies(this.snapshot))) this.update({});
  }

  private handleIntent(intent: Exclude<MetadataIntent, HostIntent>): void {
    switch (intent.type) {
      case 'open':
        return this.dependencies.run(intentCommands.open, this.namedFile);
      case 'transfer':
      case 'copyId':
      case 'showJson':
      case 'cite':
        return this.dependencies.run(intentCommands[intent.type], this.ref);
      case 'preview':
        return void this.preview();
      case 'copyHash':
        return this.copyHash();
      case 'keep':
        return this.pin();
      case 'retry':
        this.pendingPreview?.abort();
        this.snapshot = omit(this.snapshot, 'preview');
        return void this.fetch();
      case 'remedy':
        if (this.remedy) this.dependencies.run(this.remedy.id, this.remedy.argument);
    }
  }

  private async preview(): Promise<void> {
    this.pendingPreview?.abort();
    const request = new AbortController();
    this.pendingPreview = request;
    this.update({ preview: { state: 'loading' } });
    const { previews, log } = this.dependencies;
    const preview = await previews.read(this.ref, getPath(this.snapshot), request.signal).catch((error: unknown) => {
      log.error(`Could not show the beginning of a file: ${formatErrorStack(error)}`);
      return { state: 'problem', text: describeUnexpectedError() } as const;
    });
    if (!request.signal.aborted) this.update({ preview });
  }

  private copyHash(): void {
    const { found } = this.snapshot;
    if (found?.kind === 'file' && found.hash !== undefined)
      copyText(found.hash, l10n.t('Copied the hash.'), this.dependencies.log);
  }
}

const intentCommands = {
  transfer: 'dataTransfer.transferFiles',
  open: 'dataTransfer.openFile',
  copyId: 'dataTransfer.copyFileId',
  showJson: 'dataTransfer.showMetadataJson',
  cite: 'dataTransfer.cite',
} as const;

function getPath({ ref, found }: MetadataSnapshot): string {
  return (found?.kind === 'file' ? found.path : undefined) ?? ref.name;
}

/** Maximum number of copies that the page lists. */
const maxCopies = 20;

/** Returns a snapshot with the found file's name. The reference's name may come from a link and can't be trusted. */
function withFoundName(snapshot: MetadataSnapshot): MetadataSnapshot {
  const { found, ref } = snapshot;
  return found?.kind === 'file' ? { ...snapshot, ref: { ...ref, name: found.name } } : snapshot;
}

/** Returns a snapshot with the file's citation if the complete metadata is known; otherwise, without a citation. */
function withCitation({ citation: _, ...snapshot }: MetadataSnapshot): MetadataSnapshot {
  const { found } = snapshot;
  if (found?.kind !== 'file' || found.isSummary) return snapshot;
  return { ...snapshot, citation: listCitations([found]).map(formatApa).join('') };
}

const maxTitleLength = 60;

function getTabTitle(name: string): string {
  const line = toPlainLine(name);
  return line.length > maxTitleLength ? `${line.slice(0, maxTitleLength - 1)}…` : line;
}

/** Options for opening a metadata page. */
interface ShowMetadataOptions {
  /** True to show the file in a page that isn't reused for other files. */
  readonly pin?: boolean;
  readonly preserveFocus?: boolean;
}

/** Manages the open metadata pages: at most one pinned page per file, and at most one preview page. */
export class MetadataPanels implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly pages = new Set<MetadataPage>();
  private readonly dependencies: MetadataPanelsDependencies;
  private readonly clicks: DoubleClicks;

  constructor(dependencies: MetadataPanelsDependencies) {
    this.dependencies = dependencies;
    this.clicks = new DoubleClicks(dependencies.clock);
    this.lifetime.track(
      dependencies.onDidConnect(() => {
        for (const page of this.pages) page.fetchIfWaiting();
      }),
    );
    this.lifetime.track({ dispose: () => this.pages.forEach((page) => page.dispose()) });
  }

  /**
   * Shows a file in its own page if it has one. Otherwise, shows it in the preview page or a new page. A double-click
   * on the file's row causes two calls; the second one pins the page.
   */
  show(ref: FileRef, known?: FileEntry, options: ShowMetadataOptions = {}): void {
    const pages = [...this.pages];
    const ownPage = pages.find((page) => isSameFile(page.ref, ref));
    const page = ownPage ?? (options.pin ? undefined : pages.find((candidate) => !candidate.isPinned));
    if (page) page.reveal(options.preserveFocus ?? false);
    const shownPage = page ?? this.open(ref, options);
    if (this.clicks.noteClick(getFileId(ref), ownPage) || (options.pin ?? false)) shownPage.pin();
    shownPage.show(ref, known);
  }

  /**
   * Restores a page with its saved content after a reload. Requests the metadata only if none was saved, because the
   * service may not be running yet.
   */
  readonly restore = (panel: WebviewPanel, state: unknown): void => {
    if (!isMetadataPageState(state)) {
      this.dependencies.log.warn('Could not restore a metadata page: its saved state is invalid.');
      panel.dispose();
      return;
    }
    const { ref, kept, staging, found, receivedAt = 0 } = state;
    const saved = { ref, kept, ...(staging && { staging }) };
    if (found === undefined) void this.createPage(panel, { ...saved, loading: true }).fetch();
    else this.createPage(panel, { ...saved, loading: false, found, receivedAt, old: true });
  };

  dispose(): void {
    this.lifetime.dispose();
  }

  private open(ref: FileRef, options: ShowMetadataOptions): MetadataPage {
    const column = { viewColumn: ViewColumn.Active, preserveFocus: options.preserveFocus ?? false };
    const panel = window.createWebviewPanel(panelTypes.metadata, ref.name, column, { enableFindWidget: true });
    return this.createPage(panel, { ref, kept: options.pin ?? false, loading: false });
  }

  private createPage(panel: WebviewPanel, snapshot: MetadataSnapshot): MetadataPage {
    const page = new MetadataPage(panel, this.dependencies, snapshot);
    this.pages.add(page);
    page.onDidChange(() => this.updateTitles());
    this.updateTitles();
    panel.onDidDispose(() => {
      this.pages.delete(page);
      page.dispose();
      this.updateTitles();
    });
    return page;
  }

  private updateTitles(): void {
    const pages = [...this.pages];
    const folders = findDistinctFolders(pages.map(({ namedFile }) => namedFile));
    for (const [index, page] of pages.entries()) page.setTitle(folders[index] ?? '');
  }
}
