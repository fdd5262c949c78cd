import { ViewColumn, window, type WebviewPanel } from 'vscode';
import type { FileEntry } from '../core/model/fileEntry.ts';
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

/** All open metadata pages: those that are kept, each with its own file, and at most one that shows whatever is looked at. */
export class MetadataPanels implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly pages = new Set<MetadataPage>();
  private readonly parts: MetadataParts;

  constructor(parts: MetadataParts) {
    this.parts = parts;
    this.lifetime.track({ dispose: () => this.letGo() });
    this.lifetime.track(
      window.registerWebviewPanelSerializer(panelTypes.metadata, {
        deserializeWebviewPanel: (panel, state: unknown) => {
          this.bringBack(panel, state);
          return Promise.resolve();
        },
      }),
    );
  }

  /** Shows a file in the page that it has, else in the page that is not kept, else in a new one. */
  show(ref: FileRef, known?: FileEntry, options: ShowMetadataOptions = {}): void {
    const pages = [...this.pages];
    const own = pages.find((page) => isSameFile(page.ref, ref));
    const page = own ?? (options.pin ? undefined : pages.find((candidate) => !candidate.isKept));
    if (page) page.reveal(options.preserveFocus ?? false);
    const shown = page ?? this.open(ref, options);
    if (options.pin) shown.keep();
    shown.show(ref, known);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private open(ref: FileRef, options: ShowMetadataOptions): MetadataPage {
    const place = { viewColumn: ViewColumn.Active, preserveFocus: options.preserveFocus ?? false };
    const panel = window.createWebviewPanel(panelTypes.metadata, ref.name, place, { enableFindWidget: true });
    return this.adopt(panel, { ref, kept: options.pin ?? false, loading: false });
  }

  /** After a reload the page shows what it showed last; the service may not be there yet, so it is not asked by itself. */
  private bringBack(panel: WebviewPanel, state: unknown): void {
    if (!isMetadataPageState(state)) {
      this.parts.log.warn('A metadata page could not be brought back: what it kept is not known.');
      panel.dispose();
      return;
    }
    const { ref, kept, found, receivedAt = 0 } = state;
    if (found === undefined) void this.adopt(panel, { ref, kept, loading: true }).fetch();
    else this.adopt(panel, { ref, kept, loading: false, found, receivedAt, old: true });
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
