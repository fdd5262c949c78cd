import { ConfigurationTarget, l10n, workspace } from 'vscode';
import type { Connection } from '../../core/model/connection.ts';
import { isJsonObject, type JsonObject } from '../../core/util/json.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import { parseOrcid } from '../../core/util/userIdentity.ts';
import { parseBandwidth } from '../../core/util/writtenValues.ts';
import { describeInvalidEntry } from '../../core/words/sharedSentences.ts';
import { formatList } from '../words/localeFormats.ts';
import { describeError, toPlainLine } from '../words/plainText.ts';
import { CommandFailure } from './commandBoundary.ts';

/** The valid connections in the setting, and an error message for each invalid entry. */
export interface SavedConnections {
  readonly connections: readonly Connection[];
  /** IDs of the invalid entries that have a readable ID. */
  readonly brokenIds: readonly string[];
  readonly problems: readonly string[];
}

/** Parses the connections setting, which users may edit by hand. An invalid entry does not affect the others. */
export function readConnections(value: unknown): SavedConnections {
  if (value === undefined || value === null) return { connections: [], brokenIds: [], problems: [] };
  if (!Array.isArray(value)) return { connections: [], brokenIds: [], problems: [l10n.t('it must be a list')] };
  const connections: Connection[] = [];
  const brokenIds: string[] = [];
  const problems: string[] = [];
  for (const [index, entry] of value.entries()) {
    const problem = describeProblem(entry) ?? describeDuplicateId(entry, connections);
    if (problem === undefined) connections.push(entry as Connection);
    else {
      problems.push(l10n.t('entry {0}: {1}', getEntryName(entry, index), problem));
      if (isJsonObject(entry) && typeof entry['id'] === 'string') brokenIds.push(entry['id']);
    }
  }
  return { connections, brokenIds, problems };
}

function isEntryForConnection(entry: unknown, id: string): boolean {
  return describeProblem(entry) === undefined && (entry as Connection).id === id;
}

/** Calls a listener when the setting changes, including changes made by hand or in other windows. */
export function watchSavedConnections(listener: () => void): Disposable {
  return workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration('dataTransfer.connections')) listener();
  });
}

interface Field {
  readonly isRequired?: boolean;
  isValid(value: unknown): boolean;
  describeExpected(): string;
}

const text: Field = {
  isRequired: true,
  isValid: (value) => typeof value === 'string' && value.trim() !== '',
  describeExpected: () => l10n.t('must be a non-empty string'),
};

const fields: Readonly<Record<string, Field>> = {
  id: text,
  name: text,
  server: {
    isRequired: true,
    isValid: (value) => typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value),
    describeExpected: () => l10n.t('must be an address that starts with http:// or https://'),
  },
  port: {
    isValid: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535,
    describeExpected: () => l10n.t('must be a whole number from 1 to 65535'),
  },
  scheme: createEnumField('base64', 'plain'),
  transport: createEnumField('direct', 'editor'),
  allowInsecureHttp: {
    isValid: (value) => typeof value === 'boolean',
    describeExpected: () => l10n.t('must be true or false'),
  },
  apiKeyVariable: {
    isValid: isVariableName,
    describeExpected: () => l10n.t('must be the name of an environment variable'),
  },
};

function createEnumField(...values: readonly string[]): Field {
  const list = formatList(values.map((value) => `"${value}"`));
  return {
    isValid: (value) => typeof value === 'string' && values.includes(value),
    describeExpected: () => l10n.t('must be one of {0}', list),
  };
}

/** Returns true if a value is a valid environment variable name on all systems. */
export function isVariableName(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z_][A-Za-z\d_]*$/.test(value);
}

function describeProblem(entry: unknown): string | undefined {
  if (!isJsonObject(entry)) return describeInvalidEntry(l10n);
  for (const [name, field] of Object.entries(fields)) {
    const value = entry[name];
    if (value === undefined && !field.isRequired) continue;
    if (value === undefined) return l10n.t('{0} is missing', `"${name}"`);
    if (!field.isValid(value)) return `"${name}" ${field.describeExpected()}`;
  }
  return undefined;
}

function describeDuplicateId(entry: unknown, others: readonly Connection[]): string | undefined {
  const { id } = entry as Connection;
  const other = others.find((one) => one.id === id);
  return other && l10n.t('its ID is already used by {0}', toPlainLine(other.name));
}

function getEntryName(entry: unknown, index: number): string {
  const { name, server }: JsonObject = isJsonObject(entry) ? entry : {};
  const label = [name, server].map((one) => (typeof one === 'string' ? toPlainLine(one) : '')).find(Boolean);
  return label === undefined ? String(index + 1) : `${index + 1} (${label})`;
}

interface ServedFields {
  readonly name: string;
  readonly organization?: string;
  /** True to refuse transfers to the database (D43: read-only databases). */
  readonly readOnly?: boolean;
}

/** Describes a folder that the local service serves as a database (D20: folders as databases). */
export interface ServedFolder extends ServedFields {
  readonly folder: string;
  readonly remote?: undefined;
}

/** Describes a store that the local service serves as a database (D62: stores through rclone). */
interface ServedStore extends ServedFields {
  /** An rclone remote and a path, such as `lab:bucket/prefix`. */
  readonly remote: string;
  readonly folder?: undefined;
  /** Age in minutes above which a search refreshes the listing. If absent, the service uses its default. */
  readonly rescanMinutes?: number;
  /** Permits transfers to restore archived files (D67: archived objects). The service refuses an invalid value. */
  readonly restore?: unknown;
}

/** Describes a folder or store that the local service serves as a database. */
export type ServedLocation = ServedFolder | ServedStore;

const section = 'dataTransfer';

/** Reads and validates the user's settings on each access, because users may edit them by hand. */
export class Settings {
  get connections(): readonly Connection[] {
    return this.savedConnections.connections;
  }

  /** Returns the valid connections in the setting, and an error message for each invalid entry. */
  get savedConnections(): SavedConnections {
    return readConnections(workspace.getConfiguration(section).get<unknown>('connections'));
  }

  /** Replaces the connection with the same ID, or inserts a new one at `position`, by default at the end. */
  async saveConnection(connection: Connection, position?: number): Promise<void> {
    const entries = this.getEntries('connections');
    const index = entries.findIndex((entry) => isEntryForConnection(entry, connection.id));
    const changed =
      index < 0 ? entries.toSpliced(position ?? entries.length, 0, connection) : entries.with(index, connection);
    await this.update('connections', changed);
  }

  /** Removes a connection. Resolves to its former position, or to -1 if it wasn't saved. */
  async forgetConnection(id: string): Promise<number> {
    const entries = this.getEntries('connections');
    const index = entries.findIndex((entry) => isEntryForConnection(entry, id));
    if (index >= 0) await this.update('connections', entries.toSpliced(index, 1));
    return index;
  }

  /** Returns the ORCID iD as `0000-0000-0000-000X`; empty if the setting is empty or invalid (D19: ORCID iD format). */
  get orcid(): string {
    return parseOrcid(this.get('orcid', '')) ?? '';
  }

  /** Returns {@link orcid} or, if it is invalid, the setting's text, so that an input box can show the error. */
  get enteredOrcid(): string {
    return this.orcid || this.get('orcid', '');
  }

  async saveOrcid(orcid: string): Promise<void> {
    await this.update('orcid', orcid);
  }

  get pageSize(): number {
    return this.getWholeNumber('search.pageSize', 100, 1, 10_000);
  }

  /** Returns the timeout for submissions in seconds; undefined for the client's default (D16: timeouts and retries). */
  get submitTimeoutSeconds(): number | undefined {
    return this.getWholeNumber('transfer.timeoutSeconds', 0, 0, 86_400) || undefined;
  }

  get notifications(): 'all' | 'problems' | 'none' {
    const value = this.get<string>('notifications', 'all');
    return value === 'problems' || value === 'none' ? value : 'all';
  }

  get shortestIntervalMs(): number {
    return 1000 * this.getWholeNumber('monitor.intervalSeconds', 1, 1, 3600);
  }

  /** Returns the valid folders and stores in `localService.databases`, without invalid rescan intervals. */
  get servedLocations(): readonly ServedLocation[] {
    return this.getList('localService.databases').filter(isServedLocation).map(omitInvalidInterval);
  }

  /** Returns the cluster of the local service, which validates it; null if there is none. */
  get cluster(): unknown {
    return workspace.getConfiguration(section).get<unknown>('localService.cluster') ?? null;
  }

  /** Adds a folder or store to the setting. Preserves all other entries. */
  async saveServedLocation(location: ServedLocation): Promise<void> {
    await this.update('localService.databases', [...this.getEntries('localService.databases'), location]);
  }

  async removeServedLocation({ folder, remote }: Pick<ServedLocation, 'folder' | 'remote'>): Promise<void> {
    const others = this.getEntries('localService.databases').filter(
      (one) => !isServedLocation(one) || one.folder !== folder || one.remote !== remote,
    );
    await this.update('localService.databases', others);
  }

  /** Returns the path to rclone; undefined if the service is to search for it (D62: stores through rclone). */
  get rclonePath(): string | undefined {
    return this.get('rclone.path', '').trim() || undefined;
  }

  /** Returns the bandwidth limit of all stores together in bytes per second, if any (D62: stores through rclone). */
  get storeBytesPerSecond(): number | undefined {
    return parseBandwidth(this.get('rclone.bandwidth', ''));
  }

  /** Returns the rule for submitting transfers that agents propose. Returns `never` for an invalid value. */
  get agentSubmission(): 'ask' | 'never' {
    const value = workspace.getConfiguration(section).get<unknown>('agents.submit', 'ask');
    return value === 'ask' ? 'ask' : 'never';
  }

  get isRecipeBadgeEnabled(): boolean {
    return this.get('recipes.badge', false);
  }

  onDidChangeRecipeBadge(listener: () => void): Disposable {
    return workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`${section}.recipes.badge`)) listener();
    });
  }

  get retentionDays(): number {
    return this.getWholeNumber('localService.retentionDays', 7, 1, 365);
  }

  private get<T>(key: string, fallback: T): T {
    const value = workspace.getConfiguration(section).get<unknown>(key);
    return typeof value === typeof fallback ? (value as T) : fallback;
  }

  private getList(key: string): readonly unknown[] {
    const value = workspace.getConfiguration(section).get<unknown>(key);
    return Array.isArray(value) ? value : [];
  }

  /**
   * Returns the entries of a list setting that the caller will change and save. Throws if the value isn't a list,
   * because saving would overwrite it.
   */
  private getEntries(key: string): readonly unknown[] {
    const value = workspace.getConfiguration(section).get<unknown>(key) ?? [];
    if (Array.isArray(value)) return value;
    throw new CommandFailure(l10n.t('The {0} setting must be a list. Fix it first.', `${section}.${key}`));
  }

  private getWholeNumber(key: string, fallback: number, min: number, max: number): number {
    const value = this.get(key, fallback);
    return Number.isInteger(value) && value >= min && value <= max ? value : fallback;
  }

  private async update(key: string, value: unknown): Promise<void> {
    try {
      await workspace.getConfiguration(section).update(key, value, ConfigurationTarget.Global);
    } catch (error) {
      const detail = describeError(error);
      throw new CommandFailure(l10n.t('Could not save the {0} setting: {1}', `${section}.${key}`, detail));
    }
  }
}

/** Returns true if an entry has a name and either a folder or a remote. The service validates the values. */
function isServedLocation(value: unknown): value is ServedLocation {
  if (!isJsonObject(value)) return false;
  const { name, folder, remote, organization } = value;
  if ((folder === undefined) === (remote === undefined)) return false;
  const texts = [name, folder ?? remote].every((text) => typeof text === 'string' && text !== '');
  return texts && (organization === undefined || typeof organization === 'string');
}

/** Omits a rescan interval that the service would refuse: one that isn't positive, or is set for a folder. */
function omitInvalidInterval(location: ServedLocation): ServedLocation {
  const { rescanMinutes, ...others }: ServedLocation & { readonly rescanMinutes?: unknown } = location;
  const isValid = location.remote !== undefined && typeof rescanMinutes === 'number' && rescanMinutes > 0;
  return isValid ? location : others;
}
