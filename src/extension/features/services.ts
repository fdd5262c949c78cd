import type { AgentPolicy } from '../../core/agents/agentPolicy.ts';
import type { ConnectFlow } from '../../core/connections/connectFlow.ts';
import type { ConnectionTestDependencies } from '../../core/connections/connectionTest.ts';
import type { ContentFlow } from '../../core/search/contentFlow.ts';
import type { DuplicateFlow } from '../../core/transfers/duplicateFlow.ts';
import type { FileStateFlow } from '../../core/transfers/fileStateFlow.ts';
import type { MetadataFlow } from '../../core/search/metadataFlow.ts';
import type { OpenConnections } from '../../core/connections/openConnections.ts';
import type { ParameterFlow, SearchFlow } from '../../core/search/searchFlow.ts';
import type { RecipeFlow } from '../../core/search/recipeFlow.ts';
import type { TableMatchFlow } from '../../core/search/tableMatchFlow.ts';
import type { TrackFlow, TransferFlow } from '../../core/transfers/transferFlow.ts';
import type { TransferMonitor } from '../../core/transfers/transferMonitor.ts';
import type { ConnectionStore } from '../../core/connections/connectionStore.ts';
import type { SearchStore } from '../../core/search/searchStore.ts';
import type { TransferStore } from '../../core/transfers/transferStore.ts';
import type { Logger, RecentProblems } from '../../core/util/logger.ts';
import type { ApiKeys } from '../editor/apiKeys.ts';
import type { CommandLinePaths } from '../editor/commandLineFiles.ts';
import type { Documents, MarkdownDraft } from '../editor/documents.ts';
import type { ExtensionFacts } from '../editor/connectionFacts.ts';
import type { Memory } from '../editor/memory.ts';
import type { Notifications } from '../editor/notifications.ts';
import type { RemoteFiles } from '../editor/remoteFiles.ts';
import type { Removals } from '../editor/removals.ts';
import type { Settings } from '../editor/settings.ts';
import type { VerificationHistory } from '../editor/stateFiles.ts';
import type { LocalService } from '../localService/localService.ts';
import type { ServiceFolders } from '../localService/servedFolders.ts';
import type { WaitingRequests } from './transfers/waitingRequests.ts';
import type { MetadataPanels } from './files/metadataPanel.ts';
import type { MatchPanels } from './search/matchPanel.ts';
import type { TablePanels } from './search/tablePanel.ts';
import type { VerificationPanels } from './verification/verificationPanel.ts';
import type { TransferPanels } from './transfers/transferPanel.ts';
import type { TransferStatusBar } from './transfers/transferStatusBar.ts';
import type { TreeViews } from '../views/treeViews.ts';
import type { ProposedPlans } from './agents/proposedPlans.ts';

/** The services that use the editor's API. */
export interface EditorServices {
  readonly facts: ExtensionFacts;
  readonly log: Logger;
  readonly recentProblems: RecentProblems;
  readonly notifications: Notifications;
  readonly removals: Removals;
  readonly settings: Settings;
  readonly memory: Memory;
  readonly verificationHistory: VerificationHistory;
  readonly apiKeys: ApiKeys;
  readonly documents: Documents;
  readonly markdownDraft: MarkdownDraft;
  readonly waitingRequests: WaitingRequests;
  readonly commandLinePaths: CommandLinePaths;
  readonly serviceFolders: ServiceFolders;
  showLog(): void;
}

/** The services that commands use. Each function destructures those that it needs. */
export interface CommandServices extends EditorServices {
  readonly connectionStore: ConnectionStore;
  readonly searchStore: SearchStore;
  readonly transferStore: TransferStore;
  readonly sessions: OpenConnections;
  readonly connectFlow: ConnectFlow;
  readonly searchFlow: SearchFlow;
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
  readonly proposedPlans: ProposedPlans;
  readonly agentPolicy: AgentPolicy;
  readonly testDependencies: ConnectionTestDependencies;
  readonly localService: LocalService;
  readonly views: TreeViews;
  readonly statusBar: TransferStatusBar;
  readonly metadataPanels: MetadataPanels;
  readonly remoteFiles: RemoteFiles;
  readonly matchPanels: MatchPanels;
  readonly tablePanels: TablePanels;
  readonly transferPanels: TransferPanels;
  readonly verificationPanels: VerificationPanels;
}
