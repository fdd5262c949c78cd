import { l10n, ViewColumn, window, type WebviewPanel } from 'vscode';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import { panelTypes } from '../editor/contributions.ts';
import { isTransferPageState } from '../../webviews/messages/transferMessages.ts';
import { TransferPage, type TransferPanelsDependencies } from './transferPage.ts';

/** Manages the open transfer pages, at most one for each transfer. */
export class TransferPanels implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly pages = new Map<string, TransferPage>();
  private readonly dependencies: TransferPanelsDependencies;

  constructor(dependencies: TransferPanelsDependencies) {
    this.dependencies = dependencies;
    this.lifetime.track({ dispose: () => this.pages.forEach((page) => page.dispose()) });
    this.lifetime.track(dependencies.transfers.onDidChange((keys) => this.update(keys)));
    const { verificationHistory } = dependencies.places;
    this.lifetime.track(verificationHistory.onDidChange((key) => void this.pages.get(key)?.updatePlace()));
  }

  /** Shows a transfer's page, even if the transfer isn't in the store yet. */
  show(key: string): void {
    const page = this.pages.get(key);
    if (page) {
      page.reveal();
      void page.updatePlace();
    } else this.createPage(createPanel(), key);
  }

  /** Restores a transfer's page after the window reloads. */
  readonly restore = (panel: WebviewPanel, state: unknown): void => {
    if (isTransferPageState(state) && !this.pages.has(state.key)) {
      this.createPage(panel, state.key);
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
    const { transfers, loadFinished } = this.dependencies;
    const isMissing = [...this.pages.keys()].some((key) => transfers.get(key) === undefined);
    if (isMissing && transfers.hasEarlier) void loadFinished();
  }

  private createPage(panel: WebviewPanel, key: string): void {
    const page = new TransferPage(panel, this.dependencies, key);
    this.pages.set(key, page);
    this.loadMissing();
    panel.onDidDispose(() => {
      this.pages.delete(key);
      page.dispose();
    });
  }
}

function createPanel(): WebviewPanel {
  const title = l10n.t('Transfer');
  return window.createWebviewPanel(panelTypes.transfer, title, ViewColumn.Active, { enableFindWidget: true });
}
