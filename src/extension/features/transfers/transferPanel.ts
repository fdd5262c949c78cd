import { l10n, ViewColumn, window, type Uri, type WebviewPanel } from 'vscode';
import type { OpenConnections } from '../../../core/connections/openConnections.ts';
import type { Reason } from '../../../core/model/reason.ts';
import {
  canSubmitAgain,
  findFolderName,
  getPauseChange,
  hasEnded,
  isPaused,
  listFileSamples,
  type Estimate,
  type Transfer,
  type TransferFile,
} from '../../../core/model/transferModel.ts';
import {
  getOutcome,
  getProgress,
  hasTransferredFiles,
  isUnsent,
  wasSent,
} from '../../../core/model/transferOutcome.ts';
import { mayHaveFileStates } from '../../../core/model/fileProgress.ts';
import type { FileOverview } from '../../../core/transfers/fileStateFlow.ts';
import type { TransferStore } from '../../../core/transfers/transferStore.ts';
import type { Clock } from '../../../core/util/clock.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { Logger } from '../../../core/util/logger.ts';
import { findUntransferredFiles } from '../../../core/verification/manifestMatch.ts';
import type { TransferredFolder } from '../../../core/verification/transferredFolder.ts';
import type { HostIntent } from '../../../webviews/messages/pageMessages.ts';
import {
  isTransferIntent,
  isTransferPageState,
  transferStates,
  type PageEstimate,
  type PageFileStates,
  type PageLicense,
  type PagePlace,
  type PageTransfer,
  type TransferHostMessage,
  type TransferIntent,
  type TransferSnapshot,
} from '../../../webviews/messages/transferMessages.ts';
import type { runCommand } from '../../editor/commandBoundary.ts';
import { panelTypes } from '../../editor/contributions.ts';
import { DoubleClicks } from '../../editor/doubleClicks.ts';
import { listRevealActions } from '../../editor/fileDialogs.ts';
import type { VerificationHistory } from '../../editor/stateFiles.ts';
import {
  describeEstimateBasis,
  describeState,
  describeStatus,
  formatLastProgress,
  formatTimeLeft,
  listTransferFacts,
} from '../../words/transferWords.ts';
import { describeStartedElsewhere } from '../../../core/words/sharedSentences.ts';
import { describeFileStates } from '../../words/shownFileStates.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeReason, describeUnsentReason, getSignInRemedy } from '../../words/reasonWords.ts';
import { listLicenseRows } from '../../words/summaryWords.ts';
import { describePastVerification, describeUntransferredFiles } from '../../words/verificationWords.ts';
import { copyText, getPageWords, PanelHost } from '../../editor/panelHost.ts';
import { WatchedPanel, type PollingServices } from './watchedPanel.ts';

interface EndedTransferFlow {
  /** Loads the transfers that ended in earlier sessions. */
  loadFinished(): Promise<void>;
  /** Finds out whether the program that follows an ended transfer has ended, if that isn't known. */
  refreshFollowUp(key: string): Promise<unknown>;
}

/** Dependencies of the transfer pages. */
interface TransferPanelsDependencies {
  readonly extensionUri: Uri;
  readonly log: Logger;
  readonly clock: Clock;
  readonly run: typeof runCommand;
  readonly transfers: TransferStore;
  readonly flow: EndedTransferFlow;
  readonly fileStates: FileStateSource;
  /** Estimates a transfer's remaining time. Returns undefined if there is no reliable estimate. */
  getEstimate(transfer: Transfer): Estimate | undefined;
  /** Reveals a transfer's row in the Transfers view. */
  reveal(key: string): void;
  /** Locates transferred files and provides their past verifications. */
  readonly places: TransferPlaceDependencies;
}

/** Maximum number of files in a snapshot. The full list is sent only when the page requests it. */
const firstFileCount = 200;

/** Maximum number of files that are shown with their states. */
const stateRowCount = 10;

/** Controls an open transfer page. Its transfer may not be in the store yet. */
export class TransferPage implements Disposable {
  readonly key: string;
  private readonly lifetime = new Lifetime();
  private readonly host: PanelHost<TransferIntent, TransferHostMessage>;
  private readonly dependencies: TransferPanelsDependencies;
  private place: PagePlace | undefined;
  private placeState: Transfer['state'] | undefined;
  private fileStates: PageFileStates | undefined;
  /** True if the transfer has changed since the states of its files were last requested. */
  private areStatesOutdated = false;
  private statesRequest: Promise<void> | undefined;
  private licensed: { readonly files: readonly TransferFile[]; readonly rows: readonly PageLicense[] } | undefined;
  private isDisposed = false;
  private firstLoadedAt: number | undefined;
  private isShared: boolean;

  /** Shows a transfer. `isShared` means that the panel will show the next one instead. */
  constructor(panel: WebviewPanel, dependencies: TransferPanelsDependencies, key: string, isShared = false) {
    this.dependencies = dependencies;
    this.key = key;
    this.isShared = isShared;
    this.host = this.lifetime.track(
      new PanelHost<TransferIntent, TransferHostMessage>(panel, dependencies, {
        page: 'transfer',
        isIntent: isTransferIntent,
        createStartMessage: () => {
          this.firstLoadedAt ??= dependencies.clock.now();
          return { type: 'start', words: getPageWords(), states: getStateWords(), snapshot: this.createSnapshot() };
        },
        onIntent: (intent) => this.handleIntent(intent),
      }),
    );
    this.update();
  }

  get panel(): WebviewPanel {
    return this.host.panel;
  }

  get isPinned(): boolean {
    return !this.isShared;
  }

  /** The time at which the page was first loaded, in milliseconds since 1970; undefined until then. */
  get loadedAt(): number | undefined {
    return this.firstLoadedAt;
  }

  /** Keeps the panel for this transfer. */
  pin(): void {
    this.isShared = false;
    this.postSnapshot();
  }

  /** Disposes of a resource together with the page. */
  own(resource: Disposable): void {
    this.lifetime.track(resource);
  }

  /** Sends the current status of the transfer to the page. */
  update(): void {
    const transfer = this.dependencies.transfers.get(this.key);
    // A restored page already has a title before its transfer is loaded.
    if (transfer) this.host.panel.title = getTitle(transfer);
    this.postSnapshot();
    void this.updateFileStates();
    if (this.placeState === transfer?.state) return;
    this.placeState = transfer?.state;
    void this.updatePlace();
  }

  /** Updates the states of the files, with one request at a time. Sends them to the page if they have changed. */
  async updateFileStates(): Promise<void> {
    this.areStatesOutdated = true;
    this.statesRequest ??= this.requestFileStates().finally(() => (this.statesRequest = undefined));
    await this.statesRequest;
  }

  private async requestFileStates(): Promise<void> {
    while (this.areStatesOutdated && !this.isDisposed) {
      this.areStatesOutdated = false;
      const found = await this.findFileStates();
      const hasChanged = (found ?? this.fileStates) !== undefined;
      this.fileStates = found;
      if (hasChanged) this.postSnapshot();
    }
  }

  private async findFileStates(): Promise<PageFileStates | undefined> {
    const { transfers, fileStates, log } = this.dependencies;
    const transfer = transfers.get(this.key);
    if (transfer === undefined || !mayHaveFileStates(transfer)) return undefined;
    try {
      const overview = await fileStates.getOverview(transfer, stateRowCount);
      return overview && describeFileStates(overview);
    } catch (error) {
      log.warn(`The states of a transfer's files are unknown: ${String(error)}`);
      return undefined;
    }
  }

  private postSnapshot(): void {
    this.host.post({ type: 'snapshot', snapshot: this.createSnapshot() });
  }

  /** Updates the location of the transferred files and their last verification. */
  async updatePlace(): Promise<void> {
    const { transfers, clock, places } = this.dependencies;
    try {
      this.place = await findPlace(transfers.get(this.key), clock.now(), places);
    } catch (error) {
      this.dependencies.log.warn(`The files of a transfer could not be located: ${String(error)}`);
    }
    if (!this.isDisposed) this.update();
  }

  dispose(): void {
    this.isDisposed = true;
    this.lifetime.dispose();
  }

  private createSnapshot(): TransferSnapshot {
    const transfer = this.dependencies.transfers.get(this.key);
    const now = this.dependencies.clock.now();
    const head = { key: this.key, now, shared: this.isShared };
    if (transfer === undefined) return head;
    const page = toPageTransfer(transfer, this.dependencies.getEstimate(transfer));
    const [place, fileStates, licenses] = [this.place, this.fileStates, this.getLicenses(transfer)];
    return {
      ...head,
      transfer: {
        ...page,
        ...(place && { place }),
        ...(fileStates && { fileStates }),
        ...(licenses.length > 0 && { licenses }),
      },
    };
  }

  /** Returns the number of files under each license. Recounts only if the list of files has changed. */
  private getLicenses({ order: { files } }: Transfer): readonly PageLicense[] {
    if (this.licensed?.files !== files) this.licensed = { files, rows: listLicenseRows(files) };
    return this.licensed.rows;
  }

  private runRemedy(): void {
    const { problem, order } = this.dependencies.transfers.get(this.key) ?? {};
    const remedy = problem && order && getSignInRemedy(problem, order.connectionId);
    if (remedy) this.dependencies.run(remedy.id, remedy.argument);
  }

  private handleIntent(intent: Exclude<TransferIntent, HostIntent>): void {
    switch (intent.type) {
      case 'cancel':
      case 'pause':
      case 'resume':
      case 'copyId':
      case 'submitAgain':
      case 'didStart':
      case 'showFiles':
      case 'verifyFiles':
      case 'showReport':
      case 'resendFiles':
      case 'cite':
        this.dependencies.run(intentCommands[intent.type], { kind: 'transfer', key: this.key });
        break;
      case 'keep':
        this.pin();
        break;
      case 'remedy':
        this.runRemedy();
        break;
      case 'startService':
        this.dependencies.run('dataTransfer.startLocalService');
        break;
      case 'reveal':
        this.dependencies.reveal(this.key);
        break;
      case 'revealFolder':
        if (this.place) listRevealActions(this.place.folder)[0]?.run();
        break;
      case 'copyFolder':
        if (this.place) copyText(this.place.folder, l10n.t('Copied the folder name.'), this.dependencies.log);
        break;
      case 'listFiles':
        this.host.post({ type: 'files', files: this.dependencies.transfers.get(this.key)?.order.files ?? [] });
        break;
    }
  }
}

const intentCommands = {
  cancel: 'dataTransfer.cancelTransfer',
  pause: 'dataTransfer.pauseTransfer',
  resume: 'dataTransfer.resumeTransfer',
  copyId: 'dataTransfer.copyTransferId',
  submitAgain: 'dataTransfer.submitAgain',
  didStart: 'dataTransfer.transferDidStart',
  showFiles: 'dataTransfer.revealLandedFiles',
  verifyFiles: 'dataTransfer.verifyLandedFiles',
  showReport: 'dataTransfer.showVerificationReport',
  resendFiles: 'dataTransfer.resendFiles',
  cite: 'dataTransfer.cite',
} as const;

function getTitle(transfer: Transfer | undefined): string {
  if (!transfer) return l10n.t('Transfer');
  if (transfer.startedElsewhere) return describeStartedElsewhere(l10n);
  return l10n.t('Transfer to {0}', toPlainLine(transfer.order.destination));
}

function toPageTransfer(transfer: Transfer, estimate: Estimate | undefined): PageTransfer {
  const { order, problem, movement, ...facts } = transfer;
  const { files, ...rest } = order;
  const sizeBytes = sumSizeBytes(files);
  const [ended, paused, outcome] = [hasEnded(facts.state), isPaused(transfer), getOutcome(transfer)];
  const pauseChange = getPauseChange(transfer);
  const remedy = problem && getSignInRemedy(problem, order.connectionId)?.icon;
  return {
    ...facts,
    order: rest,
    ...(movement && { movement: listFileSamples(movement) }),
    firstFiles: files.slice(0, firstFileCount),
    requestedFileCount: files.length,
    ...(sizeBytes !== undefined && { sizeBytes }),
    statusText: describeStatus(transfer),
    facts: listTransferFacts(transfer),
    progress: getProgress(transfer),
    ...(outcome !== undefined && { outcome }),
    ended,
    paused,
    wasSent: wasSent(transfer),
    canSubmitAgain: canSubmitAgain(transfer),
    canCancel: !ended && !paused && facts.id !== undefined && facts.cancelAcceptedAt === undefined,
    ...(pauseChange && { pauseChange }),
    ...(problem !== undefined && !paused && toPageProblem(transfer, problem)),
    ...(remedy && { remedy }),
    ...(estimate !== undefined && { estimate: toPageEstimate(estimate) }),
  };
}

function toPageProblem(transfer: Transfer, problem: Reason): Pick<PageTransfer, 'problem' | 'problemKind'> {
  if (isUnsent(transfer)) return { problem: describeUnsentReason(problem), problemKind: 'unsent' };
  return { problem: describeReason(problem), ...(problem.kind === 'queued' && { problemKind: 'queued' }) };
}

function toPageEstimate(estimate: Estimate): PageEstimate {
  const lastProgress = formatLastProgress(estimate);
  if (lastProgress !== undefined) return { text: lastProgress, isStalled: true };
  const basis = describeEstimateBasis(estimate);
  return { text: formatTimeLeft(estimate), ...(basis !== undefined && { basis }) };
}

function sumSizeBytes(files: readonly TransferFile[]): number | undefined {
  let total = 0;
  for (const { sizeBytes } of files) {
    if (sizeBytes === undefined) return undefined;
    total += sizeBytes;
  }
  return total;
}

function getStateWords(): Record<string, string> {
  return Object.fromEntries(transferStates.map((state) => [state, describeState(state)]));
}

/** Manages the open transfer pages: at most one pinned page per transfer, and at most one shared page. */
export class TransferPanels implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly pages = new Map<string, TransferPage>();
  private readonly dependencies: TransferPanelsDependencies;
  private readonly polling: PollingServices;
  private readonly clicks: DoubleClicks;

  constructor(dependencies: TransferPanelsDependencies, polling: PollingServices) {
    this.dependencies = dependencies;
    this.polling = polling;
    this.clicks = new DoubleClicks(dependencies.clock);
    this.lifetime.track({ dispose: () => this.pages.forEach((page) => page.dispose()) });
    this.lifetime.track(dependencies.transfers.onDidChange((keys) => this.update(keys)));
    this.lifetime.track(
      dependencies.fileStates.onDidChangeConnections(() => this.pages.forEach((page) => void page.updateFileStates())),
    );
    const { verificationHistory } = dependencies.places;
    this.lifetime.track(verificationHistory.onDidChange((key) => void this.pages.get(key)?.updatePlace()));
  }

  /**
   * Shows a transfer, even if it isn't in the store yet, in its own page if it has one; otherwise, in the shared page or
   * a new one. A double-click on the transfer's row causes two calls; the second one pins the page.
   */
  show(key: string): void {
    void this.dependencies.flow.refreshFollowUp(key);
    const page = this.pages.get(key);
    if (this.clicks.noteClick(key, page)) page?.pin();
    if (page) {
      page.panel.reveal();
      void page.updatePlace();
    } else this.createPage(this.takePanel(key), key, true);
  }

  /** Restores a transfer's page after the window reloads. If another page is shared by then, pins this one. */
  readonly restore = (panel: WebviewPanel, state: unknown): void => {
    if (isTransferPageState(state) && !this.pages.has(state.key)) {
      // The editor restores a hidden tab only when the user shows it.
      this.createPage(panel, state.key, (state.shared ?? false) && !this.findSharedPage());
      return;
    }
    this.dependencies.log.warn('Could not restore a transfer page: its saved state is invalid or already shown.');
    panel.dispose();
  };

  dispose(): void {
    this.lifetime.dispose();
  }

  private update(keys: readonly string[]): void {
    for (const key of keys) this.pages.get(key)?.update();
    this.loadMissing();
  }

  /** Loads the transfers from earlier sessions if the transfer of any open page isn't in the store. */
  private loadMissing(): void {
    const { transfers, flow } = this.dependencies;
    const isMissing = [...this.pages.keys()].some((key) => transfers.get(key) === undefined);
    if (isMissing && transfers.hasEarlier) void flow.loadFinished();
  }

  private createPage(panel: WebviewPanel, key: string, isShared: boolean): void {
    const page = new TransferPage(panel, this.dependencies, key, isShared);
    this.pages.set(key, page);
    page.own(new WatchedPanel(this.polling, panel, key));
    page.own(panel.onDidDispose(() => this.close(page)));
    this.loadMissing();
  }

  private findSharedPage(): TransferPage | undefined {
    return [...this.pages.values()].find(({ isPinned }) => !isPinned);
  }

  /** Returns the panel of the shared page, which is closed, or a new one: in front, with the title of a transfer. */
  private takePanel(key: string): WebviewPanel {
    const title = getTitle(this.dependencies.transfers.get(key));
    const shared = this.findSharedPage();
    if (!shared) return createPanel(title);
    this.close(shared);
    const { panel } = shared;
    // The editor gives the page the title that its panel has when it loads.
    panel.title = title;
    panel.reveal();
    return panel;
  }

  private close(page: TransferPage): void {
    this.pages.delete(page.key);
    page.dispose();
  }
}

function createPanel(title: string): WebviewPanel {
  return window.createWebviewPanel(panelTypes.transfer, title, ViewColumn.Active, { enableFindWidget: true });
}

/** Dependencies of the list of files that weren't transferred. */
interface FileStateSource {
  /** Resolves to the files that weren't transferred, up to `limit`; undefined if the service doesn't know them. */
  getOverview(transfer: Transfer, limit: number): Promise<FileOverview | undefined>;
  /** Fires when connections have been opened or closed. */
  readonly onDidChangeConnections: OpenConnections['onDidChange'];
}

/** Dependencies of {@link findPlace}. */
interface TransferPlaceDependencies {
  /** Finds the folder on this machine that contains a transfer's files. Never prompts. */
  locateFiles(transfer: Transfer): Promise<TransferredFolder | undefined>;
  readonly verificationHistory: Pick<VerificationHistory, 'get' | 'findReport' | 'onDidChange'>;
}

/**
 * Returns the location of a transfer's files, their last verification, and the files that weren't transferred.
 * Returns undefined if the transfer is unknown, didn't succeed or wrote no files.
 */
export async function findPlace(
  transfer: Transfer | undefined,
  now: number,
  { locateFiles, verificationHistory }: TransferPlaceDependencies,
): Promise<PagePlace | undefined> {
  if (transfer?.id === undefined || !hasTransferredFiles(transfer)) return undefined;
  const [found, past, report] = await Promise.all([
    locateFiles(transfer),
    verificationHistory.get(transfer.key),
    verificationHistory.findReport(transfer.key),
  ]);
  const missing = await findUntransferredFiles(transfer, found);
  const folder = found?.folder ?? findFolderName(transfer) ?? '';
  const [reveal] = found ? listRevealActions(folder) : [];
  return {
    folder,
    ...(reveal && { revealLabel: reveal.label }),
    ...(past && { verified: describePastVerification(past, now) }),
    ...(report && { hasReport: true, canResend: report.canResend }),
    ...(missing.length > 0 && { missing: describeUntransferredFiles(missing) }),
  };
}
