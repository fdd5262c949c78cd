import { ViewColumn, window, type WebviewPanel } from 'vscode';
import type { FileEntry } from '../core/model/fileEntry.ts';
import type { Clock } from '../core/util/clock.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import { panelTypes, type FileRef } from '../host/contributions.ts';
import { isMetadataPageState, type MetadataSnapshot } from '../messages/metadataMessages.ts';
import { isSameFile, MetadataPage, type MetadataParts } from './metadataPage.ts';

/** How a metadata page is to be opened. */
interface ShowMetadataOptions {
  /** Gives the file a page of its own, which no other file takes over. */
  readonly pin?: boolean;
  readonly preserveFocus?: boolean;
}

/** What the pages need together: also to know when a service can be asked that could not be before. */
interface MetadataPanelParts extends MetadataParts {
  readonly clock: Clock;
  onDidConnect(listen: () => void): Disposable;
}

/** The editor tells a double click on a row as two clicks; this long may pass between them, in milliseconds. */
const doubleClickMs = 500;

/** All open metadata pages: those that are kept, each with its own file, and at most one that shows whatever is looked at. */
export class MetadataPanels implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly pages = new Set<MetadataPage>();
  private readonly parts: MetadataPanelParts;
  private last: { readonly ref: FileRef; readonly at: number } | undefined;

  constructor(parts: MetadataPanelParts) {
    this.parts = parts;
    this.lifetime.track(
      parts.onDidConnect(() => {
        for (const page of this.pages) page.catchUp();
      }),
    );
    this.lifetime.track({ dispose: () => this.letGo() });
  }

  /**
   * Shows a file in the page that it has, else in the page that is not kept, else in a new one. One that is shown twice
   * in a moment keeps its page: that is how a double click on its row arrives.
   */
  show(ref: FileRef, known?: FileEntry, options: ShowMetadataOptions = {}): void {
    const pages = [...this.pages];
    const own = pages.find((page) => isSameFile(page.ref, ref));
    const page = own ?? (options.pin ? undefined : pages.find((candidate) => !candidate.isKept));
    if (page) page.reveal(options.preserveFocus ?? false);
    const shown = page ?? this.open(ref, options);
    if ((options.pin ?? false) || this.isSecond(ref)) shown.keep();
    shown.show(ref, known);
  }

  /** After a reload the page shows what it showed last; the service may not be there yet, so it is not asked by itself. */
  readonly bringBack = (panel: WebviewPanel, state: unknown): void => {
    if (!isMetadataPageState(state)) {
      this.parts.log.warn('A metadata page could not be brought back: what it kept is not known.');
      panel.dispose();
      return;
    }
    const { ref, kept, staging, found, receivedAt = 0 } = state;
    const shown = { ref, kept, ...(staging && { staging }) };
    if (found === undefined) void this.adopt(panel, { ...shown, loading: true }).fetch();
    else this.adopt(panel, { ...shown, loading: false, found, receivedAt, old: true });
  };

  dispose(): void {
    this.lifetime.dispose();
  }

  private isSecond(ref: FileRef): boolean {
    const { last } = this;
    const at = this.parts.clock.now();
    this.last = { ref, at };
    return last !== undefined && isSameFile(last.ref, ref) && at - last.at < doubleClickMs;
  }

  private open(ref: FileRef, options: ShowMetadataOptions): MetadataPage {
    const place = { viewColumn: ViewColumn.Active, preserveFocus: options.preserveFocus ?? false };
    const panel = window.createWebviewPanel(panelTypes.metadata, ref.name, place, { enableFindWidget: true });
    return this.adopt(panel, { ref, kept: options.pin ?? false, loading: false });
  }

  private adopt(panel: WebviewPanel, snapshot: MetadataSnapshot): MetadataPage {
    const page = new MetadataPage(panel, this.parts, snapshot);
    this.pages.add(page);
    panel.onDidDispose(() => {
      this.pages.delete(page);
      page.dispose();
    });
    return page;
  }

  private letGo(): void {
    for (const page of [...this.pages]) page.dispose();
  }
}
