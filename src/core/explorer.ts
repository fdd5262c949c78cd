import type { ClientOptions, DataTransferClient } from './client/dataTransferClient.ts';
import { RequestLines } from './client/requestLine.ts';
import { ServerDialects } from './client/serverDialect.ts';
import type { Fetch } from './client/editorTransport.ts';
import { AdoptFlow } from './flows/adoptFlow.ts';
import { ConnectFlow } from './flows/connectFlow.ts';
import type { ConnectionTestParts } from './flows/connectionTest.ts';
import { KeptTransfers } from './flows/keptTransfers.ts';
import { KeyWatch } from './flows/keyWatch.ts';
import { MetadataFlow } from './flows/metadataFlow.ts';
import { ParameterFlow } from './flows/parameterFlow.ts';
import { SearchFlow } from './flows/searchFlow.ts';
import { Sessions } from './flows/sessions.ts';
import { TransferFlow } from './flows/transferFlow.ts';
import { AskingLease } from './ledger/askingLease.ts';
import { NoticeClaims } from './ledger/noticeClaims.ts';
import { LedgerWatch } from './ledger/ledgerWatch.ts';
import { ServerLocks } from './ledger/serverLocks.ts';
import { Submissions } from './ledger/submissions.ts';
import { TransferLedger } from './ledger/transferLedger.ts';
import { UnsavedRecords } from './ledger/unsavedRecords.ts';
import type { NetworkSettings } from './model/networkSettings.ts';
import { AskingContest } from './monitor/askingContest.ts';
import { TransferMonitor } from './monitor/transferMonitor.ts';
import { ConnectionStore } from './store/connectionStore.ts';
import { ParameterStore } from './store/parameterStore.ts';
import { SearchabilityStore } from './store/searchabilityStore.ts';
import { SearchStore } from './store/searchStore.ts';
import { TransferStore } from './store/transferStore.ts';
import { UnsafeIds } from './store/unsafeIds.ts';
import type { Clock } from './util/clock.ts';
import { Lifetime, type Disposable } from './util/lifetime.ts';
import type { Logger } from './util/logger.ts';

/** What the core needs to know of the program and the person it works for. */
export interface ExplorerSurroundings {
  readonly log: Logger;
  readonly clock: Clock;
  /** Where the ledger keeps its files. */
  readonly ledgerFolder: string;
  /** The person who searches and transfers (§4.3). */
  orcid(): string;
  /** Longest wait for the answer to a submission, in seconds; undefined for the client's own (D16). */
  timeoutSeconds(): number | undefined;
  /** Shortest interval between two questions for one transfer, in milliseconds (D33). */
  shortestMs(): number;
  /** Whether the person is looking (D33). */
  hasFocus(): boolean;
  /** How the network is reached now; asked for at every connect. */
  network(): NetworkSettings;
  /** What a connection with the transport `editor` sends with. */
  readonly fetch: Fetch;
  /** What `keepDialects` was given last, of whatever form it has become (D7, D8). */
  readonly dialects: unknown;
  /** The value that `saveSearchability` was given last, of whatever form it has become (D38). */
  readonly searchability: unknown;
  /** Saves what was learned of databases over the end of the program. */
  saveSearchability(learned: Record<string, unknown>): unknown;
  /** Keeps what was learned of servers over the end of the program. */
  keepDialects(learned: Record<string, unknown>): unknown;
  /** Stores which connection is active, before it is shown as connected (D45). Must not reject. */
  readonly rememberConnection: (id: string) => Promise<void>;
}

/** Stores, flows, ledger and monitor, put together: all of the product that needs no editor. */
export class Explorer implements Disposable {
  private readonly lifetime = new Lifetime();
  readonly connectionStore = new ConnectionStore();
  readonly searchStore = new SearchStore();
  readonly parameterStore = new ParameterStore();
  readonly transferStore = new TransferStore();
  readonly searchabilityStore: SearchabilityStore;
  private readonly unsafeIds = new UnsafeIds();
  readonly sessions = this.lifetime.track(new Sessions());
  readonly keys: KeyWatch;
  readonly connectFlow: ConnectFlow;
  /** What a test of a connection needs; one is made when somebody wants to test. */
  readonly testParts: ConnectionTestParts;
  readonly searchFlow: SearchFlow;
  readonly parameterFlow: ParameterFlow;
  readonly metadataFlow: MetadataFlow;
  readonly transferFlow: TransferFlow;
  readonly adoptFlow: AdoptFlow;
  readonly monitor: TransferMonitor;
  readonly unsaved: UnsavedRecords;
  readonly noticeClaims: NoticeClaims;

  constructor(surroundings: ExplorerSurroundings) {
    const { log, clock, ledgerFolder, fetch, rememberConnection: remember } = surroundings;
    const { sessions, connectionStore, searchStore, transferStore, unsafeIds } = this;
    const searchability = this.openSearchability(surroundings);
    this.searchabilityStore = searchability;
    const [dialects, lines] = [new ServerDialects(surroundings.dialects), this.newRequestLines(surroundings)];
    this.lifetime.track(dialects.onDidLearn(() => surroundings.keepDialects(dialects.toJSON())));
    const network = (): NetworkSettings => surroundings.network();
    const newClient = clientMaker({ log, clock, dialects, lines, network, fetch });
    this.keys = this.lifetime.track(new KeyWatch(sessions, clock));
    const { keys } = this;
    const ledger = new TransferLedger(ledgerFolder, log, clock);
    const unsaved = this.lifetime.track(new UnsavedRecords(ledger, clock, log));
    const submissions = this.lifetime.track(new Submissions(ledgerFolder, clock));
    const watch = this.lifetime.track(new LedgerWatch(ledgerFolder, clock));
    const shared = { store: transferStore, ledger, unsaved, submissions, clock, log };
    const kept = this.lifetime.track(new KeptTransfers({ ...shared, watch }));
    this.unsaved = unsaved;
    this.noticeClaims = new NoticeClaims(ledgerFolder, clock, log);
    const orcid = (): string => surroundings.orcid();
    this.connectFlow = this.lifetime.track(
      new ConnectFlow({ sessions, store: connectionStore, keys, clock, newClient, remember }),
    );
    this.testParts = { keys, newClient, network };
    this.metadataFlow = new MetadataFlow({ sessions, unsafeIds, orcid });
    this.searchFlow = new SearchFlow({ sessions, store: searchStore, unsafeIds, searchability, orcid });
    this.parameterFlow = this.lifetime.track(
      new ParameterFlow({ sessions, connectionStore, store: this.parameterStore }),
    );
    this.transferFlow = new TransferFlow({
      ...shared,
      sessions,
      kept,
      timeoutSeconds: () => surroundings.timeoutSeconds(),
    });
    this.adoptFlow = new AdoptFlow({ sessions, store: transferStore, transfers: this.transferFlow, clock });
    const hasFocus = (): boolean => surroundings.hasFocus();
    const lease = this.lifetime.track(new AskingLease({ folder: ledgerFolder, clock, log, hasFocus }));
    const asking = { sessions, keys, store: transferStore, clock, lease };
    this.monitor = this.lifetime.track(
      new TransferMonitor({
        ...asking,
        keep: (...transfers) => kept.keepAll(transfers),
        shortestMs: () => surroundings.shortestMs(),
        hasFocus: () => lease.hasFocusSomewhere(),
      }),
    );
    this.lifetime.track(new AskingContest(asking));
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private openSearchability(surroundings: ExplorerSurroundings): SearchabilityStore {
    const store = new SearchabilityStore(surroundings.searchability);
    this.lifetime.track(store.onDidChange(() => surroundings.saveSearchability(store.toJSON())));
    return store;
  }

  /** Makes the lines that requests wait in, shared with the windows of the same ledger (D34). */
  private newRequestLines({ ledgerFolder, clock, log }: ExplorerSurroundings): RequestLines {
    const locks = this.lifetime.track(new ServerLocks(ledgerFolder, clock, log));
    return this.lifetime.track(new RequestLines(clock, locks));
  }
}

/** Returns what makes clients; their code is loaded with the first one. */
function clientMaker(options: ClientOptions): () => Promise<DataTransferClient> {
  return async () => {
    const client = await import('./client/dataTransferClient.ts');
    return new client.DataTransferClient(options);
  };
}
