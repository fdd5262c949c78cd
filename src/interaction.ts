import type { WebviewPanel } from 'vscode';
import { reopenConnection } from './commands/connections/connections.ts';
import { keepConnectionsInStep } from './commands/connections/connectionSteps.ts';
import { keepLocalServiceInStep } from './commands/connections/localServiceSteps.ts';
import { keepTransfersWatched } from './commands/connections/watchedTransfers.ts';
import { commandTable, type CommandParts } from './commands/index.ts';
import type { Estimate } from './core/model/estimate.ts';
import { stagingFound } from './core/model/staging.ts';
import type { Transfer } from './core/model/transfer.ts';
import { systemClock as clock } from './core/util/clock.ts';
import type { Lifetime } from './core/util/lifetime.ts';
import { CommandBoundary } from './host/commandBoundary.ts';
import type { CommandId, panelTypes } from './host/contributions.ts';
import { Documents } from './host/documents.ts';
import { MarkdownDraft } from './host/markdownDraft.ts';
import { MetadataPanels } from './panels/metadataPanel.ts';
import type { PanelParts } from './panels/panelHost.ts';
import { TransferPanels } from './panels/transferPanel.ts';

/** What acting needs. */
export interface Interactive
  extends PanelParts, Omit<CommandParts, 'documents' | 'markdownDraft' | 'metadataPanels' | 'transferPanels'> {
  estimateOf(transfer: Transfer): Estimate | undefined;
}

/** All that the person, or a transfer that goes on, can set in motion. */
export interface Interaction {
  /** Does what a command does; the editor passes it a row, and all selected rows. What goes wrong is shown. */
  runCommand(id: CommandId, argument?: unknown, selection?: unknown): Promise<void>;
  /** What shows a page again that was open when the window was reloaded. */
  readonly bringBack: Readonly<Record<keyof typeof panelTypes, (panel: WebviewPanel, state: unknown) => void>>;
  reopenConnection(): Promise<void>;
  /** Opens the connections that transfers run on, now and whenever one begins in any window. */
  watchTransfers(): void;
}

/** Builds commands and pages, and follows the connections from now on. */
export function interact(lifetime: Lifetime, parts: Interactive): Interaction {
  const { transferStore, transferFlow, log, notices } = parts;
  const metadataPanels = lifetime.track(new MetadataPanels({ ...parts, ...metadataOf(parts) }));
  const loadFinished = (): Promise<void> => transferFlow.loadFinished();
  const transferPanels = lifetime.track(
    new TransferPanels({ ...parts, transfers: transferStore, clock, loadFinished, reveal: parts.revealTransfer }),
  );
  const documents = lifetime.track(new Documents());
  const markdownDraft = lifetime.track(new MarkdownDraft(notices));
  for (const keepInStep of [keepLocalServiceInStep, keepConnectionsInStep]) lifetime.track(keepInStep(parts, log));
  const table = commandTable({ ...parts, documents, markdownDraft, metadataPanels, transferPanels });
  return {
    runCommand: new CommandBoundary(table, log, notices).perform,
    bringBack: { metadata: metadataPanels.bringBack, transfer: transferPanels.bringBack },
    reopenConnection: async () => await reopenConnection(parts),
    watchTransfers: () => lifetime.track(keepTransfersWatched(parts, log)),
  };
}

/** What the metadata pages ask for, and of whom. */
function metadataOf({
  metadataFlow,
  searchStore,
  sessions,
}: Interactive): Omit<ConstructorParameters<typeof MetadataPanels>[0], keyof PanelParts> {
  return {
    clock,
    fetchFile: metadataFlow.fetchFile.bind(metadataFlow),
    stagingOf: (file) => stagingFound(searchStore.all())(file),
    isConnected: (id) => sessions.get(id) !== undefined,
    onDidConnect: sessions.onDidChange,
  };
}
