import { l10n } from 'vscode';
import { getEnteredAddress, type Connection } from '../../core/model/connection.ts';
import type { Transfer } from '../../core/model/transferModel.ts';
import { maxUserDataBytes, UserDataSizeError } from '../../core/userData/userData.ts';
import { getRemoteName } from '../../core/util/remote.ts';
import { formatList, formatNumber, formatSize, plural } from './localeFormats.ts';
import { describeError, toPlainLine } from './plainText.ts';

/** The text of a row in a list of choices. */
interface RowText {
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
}

/** The properties of a served folder or store that are shown in its row. */
interface ServedText {
  readonly name: string;
  readonly folder?: string | undefined;
  readonly remote?: string | undefined;
}

const maxLines = 5;

/**
 * Describes exported or imported data, such as "12 transfers, 2 connections, 1 served database". Omits kinds without
 * entries.
 */
export function describeUserData(data: {
  readonly transfers: { readonly length: number };
  readonly connections: { readonly length: number };
  readonly databases: { readonly length: number };
  readonly orcid?: string;
}): string {
  const { transfers, connections, databases, orcid } = data;
  return formatList([
    transfers.length === 0 ? undefined : plural(transfers.length, '{0} transfer', '{0} transfers'),
    connections.length === 0 ? undefined : plural(connections.length, '{0} connection', '{0} connections'),
    databases.length === 0 ? undefined : plural(databases.length, '{0} served database', '{0} served databases'),
    orcid === undefined ? undefined : l10n.t('your ORCID iD'),
  ]);
}

/** Describes why an export could not write its file. */
export function describeExportError(error: unknown): string {
  if (!(error instanceof UserDataSizeError)) return describeError(error);
  const size = formatSize(maxUserDataBytes);
  return l10n.t('the file would exceed the import limit of {0}. Remove transfers from the history.', size);
}

/** Describes the progress of reading or writing records. */
export function describeRecordProgress(done: number, total: number): string {
  return plural(total, '{1} of {0} transfer', '{1} of {0} transfers', formatNumber(done));
}

export function describeFinished(count: number): RowText {
  return { label: plural(count, '{0} finished transfer', '{0} finished transfers'), description: l10n.t('new') };
}

export function describeUnfinished(transfers: readonly Transfer[]): RowText {
  const label = plural(transfers.length, '{0} unfinished transfer', '{0} unfinished transfers');
  const detail = l10n.t(
    'This machine will also check the status once it has the API key. Nothing will be submitted again.',
  );
  return { label, description: l10n.t('new'), detail };
}

export function describeUpdates(count: number): RowText {
  const label = plural(count, '{0} transfer with a different status', '{0} transfers with a different status');
  return { label, detail: l10n.t('Updates the records on this machine with information found only in the file.') };
}

/**
 * Describes a connection in a user data file. `saved` is the connection on this machine that an import would replace.
 */
export function describeConnectionRow(connection: Connection, saved: Connection | undefined): RowText {
  const detail = saved
    ? l10n.t('Replaces {0} ({1}) on this machine.', toPlainLine(saved.name), formatAddress(saved))
    : l10n.t('New connection. Enter its API key after the import.');
  return { label: toPlainLine(connection.name), description: formatAddress(connection), detail };
}

/** Describes a connection's environment variable, whose value would be sent to the service. */
export function describeVariableRow(connection: Connection, variable: string): RowText {
  return {
    label: l10n.t('Environment variable {0}', variable),
    description: l10n.t('API key for {0}', toPlainLine(connection.name)),
    detail: l10n.t('Its value will be sent to {0}.', formatAddress(connection)),
  };
}

/**
 * Describes a served folder or store in a user data file. `saved` is the entry that an import would replace, and
 * `missing` is what this machine lacks to serve the folder or store.
 */
export function describeDatabaseRow(
  place: ServedText,
  saved: ServedText | undefined,
  missing: 'folder' | 'remote' | 'rclone' | undefined,
): RowText {
  const description = toPlainLine(place.folder ?? place.remote ?? '');
  const detail = describeMissing(place, missing) ?? describeServed(saved);
  return { label: toPlainLine(place.name), description, detail };
}

export function describeOrcidRow(orcid: string, replaced: string): RowText {
  const detail = replaced === '' ? l10n.t('Not set on this machine.') : l10n.t('Replaces {0}.', replaced);
  return { label: l10n.t('ORCID iD'), description: orcid, detail };
}

/** Describes the invalid entries that were skipped in a user data file. */
export function describeInvalidLines(lines: readonly number[]): string {
  return plural(
    lines.length,
    '{0} invalid entry was left out (line {1}).',
    '{0} invalid entries were left out (lines {1}).',
    formatLines(lines),
  );
}

/** Describes selected transfers that were not imported. */
export function describeLeftOutTransfers(count: number): string {
  return plural(
    count,
    '{0} transfer was left out because this machine already has a record of it.',
    '{0} transfers were left out because this machine already has records of them.',
  );
}

/** Warns about values in a file that look like keys. */
export function describeSecretLines(file: string, lines: readonly number[]): string {
  return plural(
    lines.length,
    "{1} contains what looks like an API key or a password on line {2}. This value won't be imported. Remove it from the file.",
    "{1} contains what looks like API keys or passwords on lines {2}. They won't be imported. Remove them from the file.",
    file,
    formatLines(lines),
  );
}

function formatLines(lines: readonly number[]): string {
  const shown = lines.slice(0, maxLines).map(formatNumber);
  return formatList([...shown, ...(lines.length > maxLines ? ['…'] : [])]);
}

function describeServed(saved: ServedText | undefined): string {
  return saved
    ? l10n.t('Replaces {0} on this machine.', toPlainLine(saved.name))
    : l10n.t('New database for the local service.');
}

function describeMissing(place: ServedText, missing: 'folder' | 'remote' | 'rclone' | undefined): string | undefined {
  if (missing === 'folder') return l10n.t("This folder doesn't exist on this machine.");
  if (missing === 'rclone') return l10n.t("rclone wasn't found on this machine.");
  if (missing === undefined) return undefined;
  return l10n.t('No rclone remote named “{0}” on this machine.', toPlainLine(getRemoteName(place.remote ?? '')));
}

function formatAddress(connection: Connection): string {
  return toPlainLine(getEnteredAddress(connection));
}
