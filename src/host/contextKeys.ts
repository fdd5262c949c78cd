import { commands } from 'vscode';
import type { ConnectionStore } from '../core/store/connectionStore.ts';
import type { SearchStore } from '../core/store/searchStore.ts';
import type { TransferStore } from '../core/store/transferStore.ts';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { ContextKeys } from './contributions.ts';
import type { LocalService } from './localService.ts';

/** What {@link ContextKeyWatch} reads. */
export interface ContextSources {
  readonly connectionStore: ConnectionStore;
  readonly searchStore: SearchStore;
  readonly transferStore: TransferStore;
  readonly localService: LocalService;
}

/** Keeps what the manifest's when-clauses read in step with the stores; only what changed is set. */
export class ContextKeyWatch implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly sources: ContextSources;
  private readonly known = new Map<keyof ContextKeys, boolean>();

  constructor(sources: ContextSources) {
    this.sources = sources;
    const { connectionStore, searchStore, transferStore, localService } = sources;
    for (const { onDidChange } of [connectionStore, localService])
      this.lifetime.track(onDidChange(() => this.update()));
    for (const { onDidChange } of [searchStore, transferStore]) this.lifetime.track(onDidChange(() => this.update()));
    this.lifetime.track(searchStore.onDidChangeChecks(() => this.update()));
    this.update();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private update(): void {
    const { connectionStore, searchStore, transferStore, localService } = this.sources;
    const hasFinished = transferStore.finished().length > 0 || transferStore.hasEarlier;
    this.set('dataTransfer.connected', connectionStore.state.kind === 'connected');
    this.set('dataTransfer.localServiceRunning', localService.isRunning);
    this.set('dataTransfer.hasSearches', searchStore.all().length > 0);
    this.set('dataTransfer.hasChecked', searchStore.checked.count > 0);
    this.set('dataTransfer.hasTransfers', transferStore.all().length > 0);
    this.set('dataTransfer.hasFinished', hasFinished);
  }

  private set(key: keyof ContextKeys, value: boolean): void {
    if (this.known.get(key) === value) return;
    this.known.set(key, value);
    void commands.executeCommand('setContext', key, value);
  }
}
