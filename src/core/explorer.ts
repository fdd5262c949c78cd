import type { ClientOptions, DataTransferClient } from './client/dataTransferClient.ts';
import { RequestQueues } from './client/requestQueue.ts';
import { ServerDialects } from './client/serverDialect.ts';
import type { Fetch } from './client/transport.ts';
import type { RouteObserver } from './client/route.ts';
import { TrackFlow, TransferFlow } from './transfers/transferFlow.ts';
import { CopyIndex } from './duplicates/copyIndex.ts';
import { ConnectFlow } from './connections/connectFlow.ts';
import type { ConnectionTestDependencies } from './connections/connectionTest.ts';
import { PendingSubmissions, SavedTransfers, type UnsavedRecords } from './transfers/savedTransfers.ts';
import { DuplicateFlow } from './transfers/duplicateFlow.ts';
import { KeyWatch } from './connections/connectionWatch.ts';
import { MetadataFlow, UnsafeIds } from './search/metadataFlow.ts';
import { ParameterFlow, SearchFlow } from './search/searchFlow.ts';
import { RecipeFlow } from './search/recipeFlow.ts';
import { TableMatchFlow } from './search/tableMatchFlow.ts';
import { OpenConnections } from './connections/openConnections.ts';
import type { ConnectionAlias } from './transfers/recordFiles.ts';
import { PollingLease } from './transfers/pollingLease.ts';
import { NotificationClaims } from './transfers/notificationClaims.ts';
import { ServerLocks } from './transfers/serverLocks.ts';
import { TransferLedger } from './transfers/transferLedger.ts';
import type { NetworkSettings } from './model/networkSettings.ts';
import { TransferMonitor } from './transfers/transferMonitor.ts';
import { ConnectionStore } from './connections/connectionStore.ts';
import { ParameterStore, SearchabilityStore } from './search/searchabilityStore.ts';
import { SearchStore } from './search/searchStore.ts';
import { TransferStore } from './transfers/transferStore.ts';
import type { Clock } from './util/clock.ts';
import { Lifetime, type Disposable } from './util/lifetime.ts';
import type { Logger } from './util/logger.ts';

interface ExplorerDependencies {
  readonly log: Logger;
  readonly clock: Clock;
  readonly ledgerFolder: string;
  /**
   * The IDs of the local service in this window and in the ledger; absent if they are the same (D63: shared ledger
   * folder).
   */
  readonly alias?: ConnectionAlias | undefined;
  readonly getOrcid: (connectionId: string) => string;
  /** Returns the time limit for a submission, in seconds; undefined for the default (D16: timeouts and retries). */
  readonly getTimeoutSeconds: () => number | undefined;
  /** Returns the minimum polling interval for a transfer, in milliseconds (D33: polling intervals). */
  readonly getMinIntervalMs: () => number;
  /** Returns true while the window is focused (D33: polling intervals). */
  readonly hasFocus: () => boolean;
  /** Returns the proxy and certificate settings. Called for each connection attempt with the `direct` transport. */
  readonly getNetworkSettings: () => NetworkSettings;
  /** Sends the requests of connections that use the `editor` transport. */
  readonly fetch: Fetch;
  /** The value that was last passed to `saveDialects`. Not validated (D7: database name or id, D8: metadata by ids). */
  readonly savedDialects: unknown;
  /** The value that was last passed to `saveSearchability`. Not validated (D38: learned searchability). */
  readonly savedSearchability: unknown;
  saveSearchability(learned: Record<string, unknown>): unknown;
  saveDialects(learned: Record<string, unknown>): unknown;
  /**
   * Saves the ID of the active connection before the connection is shown (D45: store before showing). Must not reject.
   */
  readonly rememberConnection: (id: string) => Promise<void>;
}

/** Creates and owns the parts that do not depend on the editor: the stores, flows, ledger and monitor. */
export class Explorer implements Disposable {
  private readonly lifetime = new Lifetime();
  readonly connectionStore = new ConnectionStore();
  readonly searchStore = new SearchStore();
  readonly parameterStore = new ParameterStore();
  readonly transferStore = new TransferStore();
  readonly searchabilityStore: SearchabilityStore;
  readonly copies = this.lifetime.track(new CopyIndex(this.searchStore));
  private readonly unsafeIds = new UnsafeIds();
  readonly sessions = this.lifetime.track(new OpenConnections());
  readonly keys: KeyWatch;
  readonly connectFlow: ConnectFlow;
  /** The dependencies of connection tests. The tests themselves are created on demand. */
  readonly testDependencies: ConnectionTestDependencies;
  readonly searchFlow: SearchFlow;
  readonly parameterFlow: ParameterFlow;
  readonly metadataFlow: MetadataFlow;
  readonly tableMatchFlow: TableMatchFlow;
  readonly recipeFlow: RecipeFlow;
  readonly transferFlow: TransferFlow;
  readonly trackFlow: TrackFlow;
  readonly duplicateFlow: DuplicateFlow;
  readonly monitor: TransferMonitor;
  readonly unsaved: UnsavedRecords;
  readonly notificationClaims: NotificationClaims;

  constructor(dependencies: ExplorerDependencies) {
    const { log, clock, ledgerFolder, alias, fetch, getNetworkSettings, getOrcid, hasFocus } = dependencies;
    const { rememberConnection: remember, getMinIntervalMs, getTimeoutSeconds } = dependencies;
    const { sessions, connectionStore, searchStore, transferStore, unsafeIds } = this;
    const searchability = this.openSearchability(dependencies);
    this.searchabilityStore = searchability;
    const dialects = new ServerDialects(dependencies.savedDialects);
    const queues = this.createRequestQueues(dependencies);
    this.lifetime.track(dialects.onDidLearn(() => dependencies.saveDialects(dialects.toJSON())));
    const createClient = createClientFactory({ log, clock, dialects, queues, getNetworkSettings, fetch });
    this.keys = this.lifetime.track(new KeyWatch(sessions, clock));
    const { keys } = this;
    const ledger = new TransferLedger(ledgerFolder, log, clock, alias);
    const submissions = this.lifetime.track(new PendingSubmissions(ledgerFolder, clock));
    const shared = { store: transferStore, ledger, submissions, clock, log };
    const saved = this.lifetime.track(new SavedTransfers({ ...shared, folder: ledgerFolder }));
    this.unsaved = saved.unsaved;
    this.notificationClaims = new NotificationClaims(ledgerFolder, clock, log);
    this.connectFlow = this.lifetime.track(
      new ConnectFlow({ sessions, store: connectionStore, keys, clock, createClient, remember }),
    );
    this.testDependencies = { keys, createClient };
    this.metadataFlow = new MetadataFlow({ sessions, unsafeIds, getOrcid });
    this.tableMatchFlow = new TableMatchFlow({ unsafeIds, getOrcid });
    this.recipeFlow = new RecipeFlow({ unsafeIds, tableMatchFlow: this.tableMatchFlow, getOrcid });
    this.searchFlow = new SearchFlow({ sessions, store: searchStore, unsafeIds, searchability, clock, getOrcid });
    this.parameterFlow = this.lifetime.track(
      new ParameterFlow({ sessions, connectionStore, store: this.parameterStore }),
    );
    this.transferFlow = new TransferFlow({ ...shared, sessions, saved, getTimeoutSeconds });
    this.trackFlow = new TrackFlow({ sessions, store: transferStore, transfers: this.transferFlow, clock });
    this.duplicateFlow = this.createDuplicateFlow(clock);
    const lease = this.lifetime.track(new PollingLease({ folder: ledgerFolder, alias, clock, log, hasFocus }));
    this.monitor = this.lifetime.track(
      new TransferMonitor({ sessions, keys, store: transferStore, clock, lease, saved, getMinIntervalMs }),
    );
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private createDuplicateFlow(clock: Clock): DuplicateFlow {
    const { sessions, copies, transferStore: transfers, transferFlow } = this;
    return new DuplicateFlow({ sessions, copies, transfers, clock, loadFinished: () => transferFlow.loadFinished() });
  }

  private openSearchability(dependencies: ExplorerDependencies): SearchabilityStore {
    const store = new SearchabilityStore(dependencies.savedSearchability);
    this.lifetime.track(store.onDidChange(() => dependencies.saveSearchability(store.toJSON())));
    return store;
  }

  /**
   * Creates the request queues. Locks coordinate the queues of all windows that use the same ledger (D34: serialized
   * requests).
   */
  private createRequestQueues({ ledgerFolder, clock, log }: ExplorerDependencies): RequestQueues {
    const locks = this.lifetime.track(new ServerLocks(ledgerFolder, clock, log));
    return this.lifetime.track(new RequestQueues(clock, locks));
  }
}

/** Returns a function that creates clients. The function loads the client's code on its first call. */
function createClientFactory(options: ClientOptions): (observer?: RouteObserver) => Promise<DataTransferClient> {
  return async (observer) => {
    const client = await import('./client/dataTransferClient.ts');
    return new client.DataTransferClient({ ...options, observer });
  };
}
