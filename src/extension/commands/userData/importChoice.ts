import { l10n } from 'vscode';
import type { HistoryComparison } from '../../../core/userData/compareHistory.ts';
import type { ConnectionComparison } from '../../../core/userData/compareConnections.ts';
import { pickSeveral, createSingleStep, type Choice } from '../../editor/quickInput.ts';
import {
  describeDatabaseRow,
  describeConnectionRow,
  describeFinished,
  describeOrcidRow,
  describeUnfinished,
  describeUpdates,
  describeVariableRow,
} from '../../words/userDataWords.ts';
import type { ServedComparison } from './servedEntries.ts';

/** The entries in a user data file that can be imported. */
export interface ImportOffer {
  readonly history: HistoryComparison;
  /** All connections in the file. */
  readonly connections: readonly ConnectionComparison[];
  readonly databases: readonly ServedComparison[];
  /**
   * The ORCID iD in the file, and the one in the settings, which is empty if none is set. Absent if they are the same,
   * or if the file has none.
   */
  readonly orcid?: { readonly value: string; readonly replaced: string };
}

/** An entry to import, or all transfers of one kind. */
export type ImportItem =
  | { readonly kind: 'finished' | 'unfinished' | 'updates' }
  | { readonly kind: 'connection' | 'variable'; readonly comparison: ConnectionComparison }
  | { readonly kind: 'database'; readonly comparison: ServedComparison }
  | { readonly kind: 'orcid'; readonly value: string };

/**
 * A row for an entry. The row is initially checked only if the entry replaces nothing and can be used on this machine.
 */
interface ImportRow extends Choice<ImportItem> {
  readonly isChecked: boolean;
}

/** Shows all entries that can be imported. Resolves to the checked entries, or to undefined if the user cancels. */
export async function chooseImports(offer: ImportOffer, file: string): Promise<readonly ImportItem[] | undefined> {
  const rows = listRows(offer);
  const answer = await pickSeveral(createSingleStep(l10n.t('Import Data from Another Machine')), {
    placeholder: l10n.t('Select what to import from {0}. Nothing else will change.', file),
    choices: rows.map(({ isChecked, ...choice }) => choice),
    selected: rows.filter(({ isChecked }) => isChecked).map(({ value }) => value),
  });
  return typeof answer === 'string' ? undefined : answer.value;
}

/** Returns true if a user data file contains an entry that can be imported. */
export function hasOffer(offer: ImportOffer): boolean {
  return listRows(offer).length > 0;
}

function listRows(offer: ImportOffer): readonly ImportRow[] {
  const { connections, databases, orcid } = offer;
  return [
    ...listHistoryRows(offer.history),
    ...connections.filter(({ isDifferent }) => isDifferent).map(createConnectionRow),
    ...connections.filter(({ variable }) => variable !== undefined).map(createVariableRow),
    ...databases.map(createDatabaseRow),
    ...(orcid ? [createOrcidRow(orcid)] : []),
  ];
}

function listHistoryRows({ finished, unfinished, updates }: HistoryComparison): readonly ImportRow[] {
  const rows: readonly (ImportRow & { readonly count: number })[] = [
    { ...describeFinished(finished.length), value: { kind: 'finished' }, isChecked: true, count: finished.length },
    { ...describeUnfinished(unfinished), value: { kind: 'unfinished' }, isChecked: false, count: unfinished.length },
    { ...describeUpdates(updates.length), value: { kind: 'updates' }, isChecked: false, count: updates.length },
  ];
  return rows.filter(({ count }) => count > 0).map(({ count, ...row }) => row);
}

function createConnectionRow(comparison: ConnectionComparison): ImportRow {
  const { connection, saved } = comparison;
  const value = { kind: 'connection', comparison } as const;
  return { ...describeConnectionRow(connection, saved), value, isChecked: saved === undefined };
}

function createVariableRow(comparison: ConnectionComparison): ImportRow {
  const { connection, variable = '' } = comparison;
  const value = { kind: 'variable', comparison } as const;
  return { ...describeVariableRow(connection, variable), value, isChecked: false };
}

function createDatabaseRow(comparison: ServedComparison): ImportRow {
  const { location, saved, missing } = comparison;
  const value = { kind: 'database', comparison } as const;
  return { ...describeDatabaseRow(location, saved, missing), value, isChecked: !saved && !missing };
}

function createOrcidRow({ value, replaced }: NonNullable<ImportOffer['orcid']>): ImportRow {
  return { ...describeOrcidRow(value, replaced), value: { kind: 'orcid', value }, isChecked: replaced === '' };
}
