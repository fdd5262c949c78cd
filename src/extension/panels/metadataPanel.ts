import { ViewColumn, window, type WebviewPanel } from 'vscode';
import type { FileEntry } from '../../core/model/fileEntry.ts';
import { isRecent } from '../../core/util/clock.ts';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import { panelTypes, type FileRef } from '../editor/contributions.ts';
import { isMetadataPageState, type MetadataSnapshot } from '../../webviews/messages/metadataMessages.ts';
import { isSameFile, MetadataPage, type MetadataPanelsDependencies } from './metadataPage.ts';

/** Options for opening a metadata page. */
interface ShowMetadataOptions {
  /** True to show the file in a page that isn't reused for other files. */
  readonly pin?: boolean;
  readonly preserveFocus?: boolean;
}

/**
 * Maximum time in milliseconds between the two calls caused by a double-click, which the editor reports as two single
 * clicks. The time until a new page has loaded doesn't count, because the editor reports the second click late while it
 * is busy with the page.
 */
const doubleClickMs = 1_000;

/** Manages the open metadata pages: at most one pinned page per file, and at most one preview page. */
export class MetadataPanels implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly pages = new Set<MetadataPage>();
  private readonly dependencies: MetadataPanelsDependencies;
  private last: { readonly ref: FileRef; readonly at: number } | undefined;

  constructor(dependencies: MetadataPanelsDependencies) {
    this.dependencies = dependencies;
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
    if ((options.pin ?? false) || this.isDoubleClick(ref, ownPage)) shownPage.pin();
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

  private isDoubleClick(ref: FileRef, ownPage: MetadataPage | undefined): boolean {
    const { last } = this;
    const { clock } = this.dependencies;
    this.last = { ref, at: clock.now() };
    if (last === undefined || ownPage === undefined || !isSameFile(last.ref, ref)) return false;
    const { loadedAt } = ownPage;
    return loadedAt === undefined || [last.at, loadedAt].some((at) => isRecent(clock, at, doubleClickMs));
  }

  private open(ref: FileRef, options: ShowMetadataOptions): MetadataPage {
    const column = { viewColumn: ViewColumn.Active, preserveFocus: options.preserveFocus ?? false };
    const panel = window.createWebviewPanel(panelTypes.metadata, ref.name, column, { enableFindWidget: true });
    return this.createPage(panel, { ref, kept: options.pin ?? false, loading: false });
  }

  private createPage(panel: WebviewPanel, snapshot: MetadataSnapshot): MetadataPage {
    const page = new MetadataPage(panel, this.dependencies, snapshot);
    this.pages.add(page);
    panel.onDidDispose(() => {
      this.pages.delete(page);
      page.dispose();
    });
    return page;
  }
}
