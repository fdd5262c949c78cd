import type { ClientOptions, DataTransferClient } from './client/dataTransferClient.ts';
import { RequestQueues } from './client/requestQueue.ts';
import type { RouteObserver } from './client/route.ts';
import { ServerDialects } from './client/serverDialect.ts';
import type { Fetch } from './client/transport.ts';
import { ConnectFlow } from './connections/connectFlow.ts';
import { KeyWatch, OpenConnections } from './connections/openConnections.ts';
import { SearchFlow } from './search/searchFlow.ts';
import type { ConnectionAlias } from './transfers/recordFiles.ts';
import { ServerLocks } from './transfers/serverLocks.ts';
import type { NetworkSettings } from './model/networkSettings.ts';
import { ConnectionStore } from './connections/connectionStore.ts';
import { SearchabilityStore } from './search/searchabilityStore.ts';
import { SearchStore } from './search/searchStore.ts';
import { UnsafeIds } from './search/metadataFlow.ts';
import type { Clock } from './util/clock.ts';
import { Lifetime, type Disposable } from './util/lifetime.ts';
import type { Logger } from './util/logger.ts';

/** Services and facts that the core needs from the program that runs it. */
export interface ExplorerDependencies {
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
  readonly savedDialects?: unknown;
  /** The value that was last passed to `saveSearchability`. Not validated (D38: learned searchability). */
  readonly savedSearchability?: unknown;
  /** Absent if the program doesn't remember what it learns about services, like the command line. */
  saveSearchability?(learned: Record<string, unknown>): unknown;
  saveDialects?(learned: Record<string, unknown>): unknown;
  /**
   * Saves the ID of the active connection before the connection is shown (D45: store before showing). Must not reject.
   */
  readonly rememberConnection?: (id: string) => Promise<void>;
}

/** Creates and owns the parts of the core that connect and search. */
export class SearchExplorer implements Disposable {
  protected readonly lifetime = new Lifetime();
  readonly connectionStore = new ConnectionStore();
  readonly searchStore = new SearchStore();
  readonly searchabilityStore: SearchabilityStore;
  protected readonly unsafeIds = new UnsafeIds();
  readonly sessions = this.lifetime.track(new OpenConnections());
  readonly keys: KeyWatch;
  protected readonly createClient: (observer?: RouteObserver) => Promise<DataTransferClient>;
  readonly connectFlow: ConnectFlow;
  readonly searchFlow: SearchFlow;

  constructor(dependencies: ExplorerDependencies) {
    const {
      log,
      clock,
      ledgerFolder,
      fetch,
      getNetworkSettings,
      getOrcid,
      rememberConnection: remember,
    } = dependencies;
    const { sessions, connectionStore, searchStore, unsafeIds } = this;
    const searchability = new SearchabilityStore(dependencies.savedSearchability);
    this.lifetime.track(searchability.onDidChange(() => dependencies.saveSearchability?.(searchability.toJSON())));
    this.searchabilityStore = searchability;
    const dialects = new ServerDialects(dependencies.savedDialects);
    this.lifetime.track(dialects.onDidLearn(() => dependencies.saveDialects?.(dialects.toJSON())));
    // Locks coordinate the queues of all windows that use the same ledger (D34: serialized requests).
    const locks = this.lifetime.track(new ServerLocks(ledgerFolder, clock, log));
    const queues = this.lifetime.track(new RequestQueues(clock, locks));
    const options: ClientOptions = { log, clock, dialects, queues, getNetworkSettings, fetch };
    // Loads the client's code when it is first needed.
    const createClient = async (observer?: RouteObserver): Promise<DataTransferClient> => {
      const client = await import('./client/dataTransferClient.ts');
      return new client.DataTransferClient({ ...options, observer });
    };
    this.createClient = createClient;
    this.keys = this.lifetime.track(new KeyWatch(sessions, clock));
    this.connectFlow = this.lifetime.track(
      new ConnectFlow({ sessions, store: connectionStore, keys: this.keys, clock, createClient, remember }),
    );
    this.searchFlow = new SearchFlow({ sessions, store: searchStore, unsafeIds, searchability, clock, getOrcid });
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
