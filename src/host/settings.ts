import { ConfigurationTarget, l10n, workspace } from 'vscode';
import type { Connection } from '../core/model/connection.ts';
import { parseOrcid } from '../core/model/orcid.ts';
import { isJsonObject } from '../core/util/json.ts';
import { CommandFailure } from './commandBoundary.ts';
import { isEntryOf, readConnections, type SavedConnections } from './savedConnections.ts';
import { plainLine } from './words.ts';

/** A folder that the local service serves as a database (D20). */
export interface ServedFolder {
  readonly name: string;
  readonly folder: string;
  readonly organization?: string;
  /** Nothing can be transferred to it (D43). */
  readonly readOnly?: boolean;
}

const section = 'dataTransfer';

/** The person's settings, read when asked and checked: a setting is written by hand and may hold anything. */
export class Settings {
  get connections(): readonly Connection[] {
    return this.savedConnections.connections;
  }

  /** The connections with what is wrong in the setting. */
  get savedConnections(): SavedConnections {
    return readConnections(workspace.getConfiguration(section).get<unknown>('connections'));
  }

  /** Puts a connection in the place of the one with its id, or at `place`, or at the end; the other entries stay as they are. */
  async saveConnection(connection: Connection, place?: number): Promise<void> {
    const entries = this.entries('connections');
    const index = entries.findIndex((entry) => isEntryOf(entry, connection.id));
    const changed =
      index < 0 ? entries.toSpliced(place ?? entries.length, 0, connection) : entries.with(index, connection);
    await this.update('connections', changed);
  }

  /** Takes a connection out, and tells the place where it stood. */
  async forgetConnection(id: string): Promise<number> {
    const entries = this.entries('connections');
    const index = entries.findIndex((entry) => isEntryOf(entry, id));
    if (index >= 0) await this.update('connections', entries.toSpliced(index, 1));
    return index;
  }

  /** The person's ORCID iD in its plain form, or empty where none, or no right one, is set (D19). */
  get orcid(): string {
    return parseOrcid(this.get('orcid', '')) ?? '';
  }

  /** Returns {@link orcid}, or what was typed where that is no valid ORCID iD: for an input that says what is wrong. */
  get enteredOrcid(): string {
    return this.orcid || this.get('orcid', '');
  }

  async saveOrcid(orcid: string): Promise<void> {
    await this.update('orcid', orcid);
  }

  get pageSize(): number {
    return this.whole('search.pageSize', 100, 1, 10_000);
  }

  /** Undefined: the client's own limit (D16). */
  get submitTimeoutSeconds(): number | undefined {
    return this.whole('transfer.timeoutSeconds', 0, 0, 86_400) || undefined;
  }

  get notifications(): 'all' | 'problems' | 'none' {
    const value = this.get<string>('notifications', 'all');
    return value === 'problems' || value === 'none' ? value : 'all';
  }

  get shortestIntervalMs(): number {
    return 1000 * this.whole('monitor.intervalSeconds', 1, 1, 3600);
  }

  get servedFolders(): readonly ServedFolder[] {
    return this.list('localService.databases').filter(isServedFolder);
  }

  /** Adds a folder to those that are served; what else stands in the setting stays as it is. */
  async saveServedFolder(folder: ServedFolder): Promise<void> {
    await this.update('localService.databases', [...this.entries('localService.databases'), folder]);
  }

  /** Takes every entry with this folder out of those that are served. */
  async removeServedFolder(folder: string): Promise<void> {
    const others = this.entries('localService.databases').filter(
      (one) => !isServedFolder(one) || one.folder !== folder,
    );
    await this.update('localService.databases', others);
  }

  get retentionDays(): number {
    return this.whole('localService.retentionDays', 7, 1, 365);
  }

  private get<T>(key: string, fallback: T): T {
    const value = workspace.getConfiguration(section).get<unknown>(key);
    return typeof value === typeof fallback ? (value as T) : fallback;
  }

  private list(key: string): readonly unknown[] {
    const value = workspace.getConfiguration(section).get<unknown>(key);
    return Array.isArray(value) ? value : [];
  }

  /** A list to be written back. Throws when what stands there is no list: it would be lost. */
  private entries(key: string): readonly unknown[] {
    const value = workspace.getConfiguration(section).get<unknown>(key) ?? [];
    if (Array.isArray(value)) return value;
    throw new CommandFailure(l10n.t('The setting {0} must be a list. Mend it first.', `${section}.${key}`));
  }

  private whole(key: string, fallback: number, least: number, most: number): number {
    const value = this.get(key, fallback);
    return Number.isInteger(value) && value >= least && value <= most ? value : fallback;
  }

  private async update(key: string, value: unknown): Promise<void> {
    try {
      await workspace.getConfiguration(section).update(key, value, ConfigurationTarget.Global);
    } catch (error) {
      const detail = plainLine(error instanceof Error ? error.message : String(error));
      throw new CommandFailure(l10n.t('Could not save the setting {0}: {1}', `${section}.${key}`, detail));
    }
  }
}

function isServedFolder(value: unknown): value is ServedFolder {
  if (!isJsonObject(value)) return false;
  const { name, folder, organization } = value;
  const texts = [name, folder].every((text) => typeof text === 'string' && text !== '');
  return texts && (organization === undefined || typeof organization === 'string');
}
