import { l10n } from 'vscode';
import type { Connection } from '../../../core/model/connection.ts';
import type { Transfer } from '../../../core/model/transferModel.ts';
import { selectConnection } from '../../../core/userData/compareConnections.ts';
import { importHistory } from '../../../core/userData/historyImport.ts';
import type { RecordWork } from '../../../core/userData/historyRecords.ts';
import { CommandFailure } from '../../editor/commandBoundary.ts';
import type { ServedLocation } from '../../editor/settings.ts';
import { describeError } from '../../words/plainText.ts';
import { openInBackground } from '../connections/connectionOpener.ts';
import type { CommandServices } from '../services.ts';
import type { ImportItem, ImportOffer } from './importChoice.ts';
import type { ServedComparison } from './servedEntries.ts';

/** The entries that the user has selected. */
interface ImportChoice {
  readonly offer: ImportOffer;
  readonly items: readonly ImportItem[];
  /** The file's name, for use in messages. */
  readonly name: string;
}

/** The selected entries that belong in the settings. */
interface SelectedSettings {
  readonly connections: readonly Connection[];
  readonly databases: readonly ServedLocation[];
  readonly orcid?: string;
}

/** The entries that were imported. */
export interface ImportedData extends SelectedSettings {
  readonly transfers: readonly Transfer[];
  /** The number of selected transfers that were left out because this machine already has a record of them. */
  readonly leftOutCount: number;
}

/**
 * Imports the selected entries. Also starts to open the connections of the imported transfers in the background. Throws
 * a {@link CommandFailure} if the import fails, or the signal's reason if the signal is aborted.
 */
export async function applyImports(
  services: CommandServices,
  choice: ImportChoice,
  work: RecordWork,
): Promise<ImportedData> {
  const selected = selectSettings(choice);
  const { created, updated } = selectTransfers(choice);
  const added = await importSelected(services, choice, selected, work);
  const transfers = [...added, ...updated];
  await services.transferFlow.loadLastFinished();
  const ids = new Set(transfers.map(({ order }) => order.connectionId));
  const logFailure = (error: unknown): void =>
    services.log.error(`Could not open the connection of an imported transfer: ${String(error)}`);
  // Not awaited, because attempts are repeated until the service can be reached.
  for (const id of ids) if (!services.sessions.get(id)) void openInBackground(services, id).catch(logFailure);
  return { ...selected, transfers, leftOutCount: created.length - added.length };
}

/** Imports the selected transfers and settings. Resolves to the transfers that were added to the history. */
async function importSelected(
  services: CommandServices,
  choice: ImportChoice,
  selected: SelectedSettings,
  work: RecordWork,
): Promise<readonly Transfer[]> {
  const { created, updated } = selectTransfers(choice);
  try {
    return await importHistory({ created, updated }, work, async () => {
      await saveSettings(services, choice, selected);
      // Imported transfers that have ended are loaded when the list shows them, like those of earlier sessions.
      if (created.length > 0) services.transferStore.setHasEarlier(true);
    });
  } catch (error) {
    if (error instanceof CommandFailure || (work.signal.aborted && error === work.signal.reason)) throw error;
    throw new CommandFailure(l10n.t('Could not import {0}: {1}', choice.name, describeError(error)));
  }
}

function selectSettings(choice: ImportChoice): SelectedSettings {
  const orcid = choice.items.find((item) => item.kind === 'orcid')?.value;
  return {
    connections: selectConnections(choice),
    databases: selectDatabases(choice.items).map(({ location }) => location),
    ...(orcid !== undefined && { orcid }),
  };
}

function selectTransfers({ offer, items }: ImportChoice): Record<'created' | 'updated', readonly Transfer[]> {
  const { finished, unfinished, updates } = offer.history;
  const select = (kind: ImportItem['kind'], transfers: readonly Transfer[]): readonly Transfer[] =>
    items.some((item) => item.kind === kind) ? transfers : [];
  return {
    created: [...select('finished', finished), ...select('unfinished', unfinished)],
    updated: select('updates', updates),
  };
}

function selectConnections({ offer, items }: ImportChoice): readonly Connection[] {
  return offer.connections.flatMap((comparison) => {
    const has = (kind: ImportItem['kind']): boolean =>
      items.some((item) => item.kind === kind && 'comparison' in item && item.comparison === comparison);
    const selected = { isConnectionSelected: has('connection'), isVariableSelected: has('variable') };
    return selectConnection(comparison, selected) ?? [];
  });
}

function selectDatabases(items: readonly ImportItem[]): readonly ServedComparison[] {
  return items.flatMap((item) => (item.kind === 'database' ? [item.comparison] : []));
}

async function saveSettings(
  { settings }: CommandServices,
  { items }: ImportChoice,
  { connections, orcid }: SelectedSettings,
): Promise<void> {
  for (const connection of connections) await settings.saveConnection(connection);
  for (const { location, saved } of selectDatabases(items)) await settings.saveServedLocation(location, saved);
  if (orcid !== undefined) await settings.saveOrcid(orcid);
}
