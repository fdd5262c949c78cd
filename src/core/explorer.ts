import { CopyIndex } from './duplicates/copyIndex.ts';
import type { ConnectionTestDependencies } from './connections/connectionTest.ts';
import { DuplicateFlow } from './transfers/duplicateFlow.ts';
import { ContentFlow } from './search/contentFlow.ts';
import { FileStateFlow } from './transfers/fileStateFlow.ts';
import { MetadataFlow } from './search/metadataFlow.ts';
import { ParameterFlow } from './search/searchFlow.ts';
import { RecipeFlow } from './search/recipeFlow.ts';
import { PendingSubmissions, SavedTransfers, type UnsavedRecords } from './transfers/savedTransfers.ts';
import { TableMatchFlow } from './search/tableMatchFlow.ts';
import { TrackFlow, TransferFlow } from './transfers/transferFlow.ts';
import { NotificationClaims } from './transfers/notificationClaims.ts';
import { PollingLease } from './transfers/pollingLease.ts';
import { TransferLedger } from './transfers/transferLedger.ts';
import { TransferMonitor } from './transfers/transferMonitor.ts';
import { SearchExplorer, type ExplorerDependencies } from './searchExplorer.ts';
import { ParameterStore } from './search/searchabilityStore.ts';
import { TransferStore } from './transfers/transferStore.ts';

/** Creates and owns the parts that do not depend on the editor: the stores, flows, ledger and monitor. */
export class Explorer extends SearchExplorer {
  readonly parameterStore = new ParameterStore();
  readonly transferStore = new TransferStore();
  readonly copies = this.lifetime.track(new CopyIndex(this.searchStore));
  /** The dependencies of connection tests. The tests themselves are created on demand. */
  readonly testDependencies: ConnectionTestDependencies = { keys: this.keys, createClient: this.createClient };
  readonly parameterFlow: ParameterFlow;
  readonly metadataFlow: MetadataFlow;
  readonly contentFlow: ContentFlow;
  readonly tableMatchFlow: TableMatchFlow;
  readonly recipeFlow: RecipeFlow;
  readonly transferFlow: TransferFlow;
  readonly trackFlow: TrackFlow;
  readonly duplicateFlow: DuplicateFlow;
  readonly fileStateFlow: FileStateFlow;
  readonly monitor: TransferMonitor;
  readonly unsaved: UnsavedRecords;
  readonly notificationClaims: NotificationClaims;

  constructor(dependencies: ExplorerDependencies) {
    super(dependencies);
    const { log, clock, ledgerFolder, alias, getOrcid, hasFocus } = dependencies;
    const { getMinIntervalMs, getTimeoutSeconds } = dependencies;
    const { sessions, keys, connectionStore, transferStore, copies, unsafeIds } = this;
    const ledger = new TransferLedger(ledgerFolder, log, clock, alias);
    const submissions = this.lifetime.track(new PendingSubmissions(ledgerFolder, clock));
    const shared = { store: transferStore, ledger, submissions, clock, log };
    const saved = this.lifetime.track(new SavedTransfers({ ...shared, folder: ledgerFolder }));
    this.unsaved = saved.unsaved;
    this.notificationClaims = new NotificationClaims(ledgerFolder, clock, log);
    this.metadataFlow = new MetadataFlow({ sessions, unsafeIds, getOrcid });
    this.contentFlow = new ContentFlow(sessions);
    this.tableMatchFlow = new TableMatchFlow({ unsafeIds, getOrcid });
    this.recipeFlow = new RecipeFlow({ unsafeIds, tableMatchFlow: this.tableMatchFlow, getOrcid });
    this.parameterFlow = this.lifetime.track(
      new ParameterFlow({ sessions, connectionStore, store: this.parameterStore }),
    );
    const transferFlow = new TransferFlow({ ...shared, sessions, saved, getTimeoutSeconds });
    const loadFinished = (): Promise<void> => transferFlow.loadFinished();
    this.transferFlow = transferFlow;
    this.trackFlow = new TrackFlow({ sessions, store: transferStore, transfers: transferFlow, clock });
    this.duplicateFlow = new DuplicateFlow({ sessions, copies, transfers: transferStore, clock, loadFinished });
    this.fileStateFlow = new FileStateFlow(sessions);
    const lease = this.lifetime.track(new PollingLease({ folder: ledgerFolder, alias, clock, log, hasFocus }));
    this.monitor = this.lifetime.track(
      new TransferMonitor({ sessions, keys, store: transferStore, clock, lease, saved, getMinIntervalMs }),
    );
  }
}
