import type { WebviewPanel } from 'vscode';
import { getMachine } from '../../../core/model/connection.ts';
import { getWatchedIntervalMs } from '../../../core/transfers/pollQueue.ts';
import type { TransferMonitor } from '../../../core/transfers/transferMonitor.ts';
import type { TransferStore } from '../../../core/transfers/transferStore.ts';
import type { Clock } from '../../../core/util/clock.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';

/** The objects that a {@link WatchedPanel} uses. */
export interface PollingServices {
  readonly transfers: TransferStore;
  readonly monitor: TransferMonitor;
  readonly clock: Clock;
  readonly window: { readonly state: { readonly focused: boolean } };
  /** The shortest polling interval that the user allows. */
  readonly settings: { readonly shortestIntervalMs: number };
}

/** Polls the transfer of an open page more often while the user is looking at the page (D33: polling intervals). */
export class WatchedPanel implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly services: PollingServices;
  private readonly panel: WebviewPanel;
  private readonly key: string;
  private next: Disposable | undefined;

  constructor(services: PollingServices, panel: WebviewPanel, key: string) {
    this.services = services;
    this.panel = panel;
    this.key = key;
    this.lifetime.track(panel.onDidChangeViewState(() => this.scheduleNext()));
    this.lifetime.track(
      services.transfers.onDidChange((keys) => {
        if (keys.includes(key)) this.scheduleNext();
      }),
    );
    this.lifetime.track({ dispose: () => this.next?.dispose() });
    this.scheduleNext();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private scheduleNext(): void {
    this.next?.dispose();
    const intervalMs = this.getIntervalMs();
    this.next = intervalMs === undefined ? undefined : this.services.clock.after(intervalMs, () => this.poll());
  }

  private getIntervalMs(): number | undefined {
    const { transfers, clock, settings } = this.services;
    const transfer = this.panel.active ? transfers.get(this.key) : undefined;
    if (!transfer) return undefined;
    const isLocal = getMachine(transfer.order.connectionId) !== undefined;
    return getWatchedIntervalMs(transfer, clock.now(), { isLocal, minIntervalMs: settings.shortestIntervalMs });
  }

  private poll(): void {
    const { window, monitor } = this.services;
    // The response schedules the next poll, so that polls don't pile up if the service is slow.
    if (window.state.focused) monitor.pollNow(this.key);
    else this.scheduleNext();
  }
}
