import { l10n, type WebviewPanel } from 'vscode';
import type { FileEntry, FoundFile } from '../core/model/fileEntry.ts';
import type { StagingStatus } from '../core/model/searchQuery.ts';
import { stagingToldOf } from '../core/model/staging.ts';
import type { Reason } from '../core/model/reason.ts';
import { systemClock } from '../core/util/clock.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { FileRef } from '../host/contributions.ts';
import { signInRemedy, type SignInRemedy } from '../host/signInWords.ts';
import { plainLine, reasonText } from '../host/words.ts';
import { isMetadataIntent, type MetadataIntent, type MetadataSnapshot } from '../messages/metadataMessages.ts';
import { copyText, openLink, PanelHost, pageWords, type PanelParts } from './panelHost.ts';

/** What a metadata page needs: the usual, and ways to ask for one file. */
export interface MetadataParts extends PanelParts {
  /** How a file is staged, where a search found it by that (D31). */
  stagingOf(ref: FileRef): StagingStatus | undefined;
  isConnected(connectionId: string): boolean;
  fetchFile(ref: FileRef, signal: AbortSignal): Promise<{ readonly file?: FoundFile; readonly reason?: Reason }>;
}

/** Whether two references mean the same file of the same connection. */
export function isSameFile(one: FileRef, other: FileRef): boolean {
  return one.connectionId === other.connectionId && one.database === other.database && one.id === other.id;
}

/** One open metadata page and what it shows. */
export class MetadataPage implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly host: PanelHost<MetadataIntent>;
  private readonly parts: MetadataParts;
  private snapshot: MetadataSnapshot;
  private asking: AbortController | undefined;
  private isWaiting = false;
  /** The remedy for the problem that is shown. */
  private remedy: SignInRemedy | undefined;

  constructor(panel: WebviewPanel, parts: MetadataParts, snapshot: MetadataSnapshot) {
    this.parts = parts;
    this.snapshot = snapshot;
    this.host = this.lifetime.track(
      new PanelHost<MetadataIntent>(panel, parts, {
        page: 'metadata',
        isIntent: isMetadataIntent,
        start: () => ({ type: 'start', words: pageWords(), snapshot: this.snapshot }),
        onIntent: (intent) => this.act(intent),
      }),
    );
    this.lifetime.track({ dispose: () => this.asking?.abort() });
    this.tell({});
  }

  get ref(): FileRef {
    return this.snapshot.ref;
  }

  get isKept(): boolean {
    return this.snapshot.kept;
  }

  keep(): void {
    this.tell({ kept: true });
  }

  reveal(preserveFocus: boolean): void {
    this.host.panel.reveal(undefined, preserveFocus);
  }

  /** Shows a file: at once what is known of it, then what the service tells. What it shows already is not asked again. */
  show(ref: FileRef, known?: FileEntry): void {
    const { found, receivedAt, loading, problem, old } = this.snapshot;
    const isSame = isSameFile(ref, this.ref);
    if (isSame && problem === undefined && !old && (loading || found !== undefined)) return;
    const { staging } = this.snapshot;
    const next = { ref, kept: this.isKept, loading: false, ...(isSame && staging && { staging }) };
    if (known) this.snapshot = { ...next, found: known, receivedAt: systemClock.now() };
    else if (isSame && found && receivedAt !== undefined) this.snapshot = { ...next, found, receivedAt };
    else this.snapshot = next;
    void this.fetch();
  }

  /** Asks the service for the file that the page shows; a request that is still under way is given up. */
  async fetch(): Promise<void> {
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    this.isWaiting = false;
    this.tell({ loading: true });
    const { file, reason } = await this.parts.fetchFile(this.ref, asking.signal).catch((error: unknown) => {
      this.parts.log.error(`The metadata of a file could not be fetched: ${String(error)}`);
      return { file: undefined, reason: undefined };
    });
    if (asking.signal.aborted) return;
    this.isWaiting = reason?.kind === 'notConnected';
    const { ref, kept, staging } = this.snapshot;
    const told = { ref, kept, loading: false, receivedAt: systemClock.now(), ...(staging && { staging }) };
    if (file !== undefined) this.replace({ ...told, found: file });
    else this.tellProblem(reason);
  }

  private tellProblem(reason: Reason | undefined): void {
    this.remedy = reason && signInRemedy(reason, this.ref.connectionId);
    const { remedy, ...shown } = this.snapshot;
    const problem = this.problemText(reason);
    this.replace({ ...shown, loading: false, problem, ...(this.remedy && { remedy: this.remedy.look }) });
  }

  /** Asks again what could not be asked without a connection, once there is one. */
  catchUp(): void {
    if (this.isWaiting && this.parts.isConnected(this.ref.connectionId)) void this.fetch();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private problemText(reason: Reason | undefined): string {
    const name = plainLine(this.ref.name);
    if (reason === undefined)
      return l10n.t('The database "{0}" told nothing about {1}.', plainLine(this.ref.database), name);
    return l10n.t('Could not fetch the metadata of {0}: {1}.', name, reasonText(reason));
  }

  private tell(changed: Partial<MetadataSnapshot>): void {
    this.replace({ ...this.snapshot, ...changed });
  }

  private replace(snapshot: MetadataSnapshot): void {
    const told = snapshot.found?.kind === 'file' ? stagingToldOf(snapshot.found) : undefined;
    const staging = told ?? this.parts.stagingOf(snapshot.ref) ?? snapshot.staging;
    this.snapshot = { ...snapshot, ...(staging && { staging }) };
    const name = snapshot.found?.kind === 'file' ? snapshot.found.name : snapshot.ref.name;
    this.host.panel.title = tabTitle(name);
    this.host.say({ type: 'snapshot', snapshot: this.snapshot });
  }

  private act(intent: MetadataIntent): void {
    switch (intent.type) {
      case 'ready':
      case 'ignored':
        break;
      case 'transfer':
        this.parts.run('dataTransfer.transferFiles', this.ref);
        break;
      case 'copyId':
        this.parts.run('dataTransfer.copyFileId', this.ref);
        break;
      case 'showJson':
        this.parts.run('dataTransfer.showMetadataJson', this.ref);
        break;
      case 'copyHash':
        this.copyHash();
        break;
      case 'keep':
        this.keep();
        break;
      case 'retry':
        void this.fetch();
        break;
      case 'remedy':
        if (this.remedy) this.parts.run(this.remedy.id, this.remedy.argument);
        break;
      case 'openLink':
        openLink(intent.address, this.parts.log);
        break;
    }
  }

  private copyHash(): void {
    const { found } = this.snapshot;
    if (found?.kind === 'file' && found.hash !== undefined) copyText(found.hash, l10n.t('Hash copied'), this.parts.log);
  }
}

const longestTitle = 60;

function tabTitle(name: string): string {
  const line = plainLine(name);
  return line.length > longestTitle ? `${line.slice(0, longestTitle - 1)}…` : line;
}
