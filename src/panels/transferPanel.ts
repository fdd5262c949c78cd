import { l10n, ViewColumn, window, type WebviewPanel } from 'vscode';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import { panelTypes } from '../host/contributions.ts';
import { isTransferPageState } from '../messages/transferMessages.ts';
import { TransferPage, type TransferParts } from './transferPage.ts';

/** All open transfer pages, one for each transfer. */
export class TransferPanels implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly pages = new Map<string, TransferPage>();
  private readonly parts: TransferParts;

  constructor(parts: TransferParts) {
    this.parts = parts;
    this.lifetime.track({ dispose: () => this.letGo() });
    this.lifetime.track(parts.transfers.onDidChange((keys) => this.update(keys)));
  }

  /** Shows the page of a transfer, by the transfer's key; the transfer itself may come later. */
  show(key: string): void {
    const page = this.pages.get(key);
    if (page) page.reveal();
    else this.adopt(createPanel(), key);
  }

  /** After a reload the page is that of the same transfer. */
  readonly bringBack = (panel: WebviewPanel, state: unknown): void => {
    if (isTransferPageState(state) && !this.pages.has(state.key)) {
      this.adopt(panel, state.key);
      return;
    }
    this.parts.log.warn('A transfer page could not be brought back: what it kept is not known.');
    panel.dispose();
  };

  dispose(): void {
    this.lifetime.dispose();
  }

  private update(keys: readonly string[]): void {
    for (const key of keys) this.pages.get(key)?.update();
    this.bringInMissing();
  }

  /** A page that came back may show a transfer that ended in an earlier session; those are read only when wanted. */
  private bringInMissing(): void {
    const { transfers, loadFinished } = this.parts;
    const isMissing = [...this.pages.keys()].some((key) => transfers.get(key) === undefined);
    if (isMissing && transfers.hasEarlier) void loadFinished();
  }

  private adopt(panel: WebviewPanel, key: string): void {
    const page = new TransferPage(panel, this.parts, key);
    this.pages.set(key, page);
    this.bringInMissing();
    panel.onDidDispose(() => {
      this.pages.delete(key);
      page.dispose();
    });
  }

  private letGo(): void {
    for (const page of [...this.pages.values()]) page.dispose();
  }
}

function createPanel(): WebviewPanel {
  const title = l10n.t('Transfer');
  return window.createWebviewPanel(panelTypes.transfer, title, ViewColumn.Active, { enableFindWidget: true });
}
