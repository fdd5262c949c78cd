import { ConfigurationTarget, workspace } from 'vscode';
import type { Connection } from '../core/model/connection.ts';
import { parseOrcid } from '../core/model/orcid.ts';
import { isJsonObject } from '../core/util/json.ts';

/** A folder that the local service serves as a database (D20). */
export interface ServedFolder {
  readonly name: string;
  readonly folder: string;
  readonly organization?: string;
}

const section = 'dataTransfer';

/** The person's settings, read when asked and checked: a setting is written by hand and may hold anything. */
export class Settings {
  get connections(): readonly Connection[] {
    return this.list('connections').filter(isConnection);
  }

  async saveConnection(connection: Connection): Promise<void> {
    const others = this.connections.filter((saved) => saved.id !== connection.id);
    await this.update('connections', [...others, connection]);
  }

  async forgetConnection(id: string): Promise<void> {
    const others = this.connections.filter((saved) => saved.id !== id);
    await this.update('connections', others);
  }

  /** The person's ORCID iD in its plain form, or empty where none, or no right one, is set (D19). */
  get orcid(): string {
    return parseOrcid(this.get('orcid', '')) ?? '';
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
    await this.update('localService.databases', [...this.list('localService.databases'), folder]);
  }

  /** Takes every entry with this folder out of those that are served. */
  async removeServedFolder(folder: string): Promise<void> {
    const others = this.list('localService.databases').filter((one) => !isServedFolder(one) || one.folder !== folder);
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

  private whole(key: string, fallback: number, least: number, most: number): number {
    const value = this.get(key, fallback);
    return Number.isInteger(value) && value >= least && value <= most ? value : fallback;
  }

  private async update(key: string, value: unknown): Promise<void> {
    await workspace.getConfiguration(section).update(key, value, ConfigurationTarget.Global);
  }
}

function isConnection(value: unknown): value is Connection {
  if (!isJsonObject(value)) return false;
  const { id, name, server, port, scheme, allowInsecureHttp, transport } = value;
  const texts = [id, name, server].every((text) => typeof text === 'string' && text !== '');
  return (
    texts &&
    (port === undefined || Number.isInteger(port)) &&
    (scheme === undefined || scheme === 'base64' || scheme === 'plain') &&
    (allowInsecureHttp === undefined || typeof allowInsecureHttp === 'boolean') &&
    (transport === undefined || transport === 'direct' || transport === 'editor')
  );
}

function isServedFolder(value: unknown): value is ServedFolder {
  if (!isJsonObject(value)) return false;
  const { name, folder, organization } = value;
  const texts = [name, folder].every((text) => typeof text === 'string' && text !== '');
  return texts && (organization === undefined || typeof organization === 'string');
}
