import type { SecretStorage } from 'vscode';
import type { Connection } from '../core/model/connection.ts';
import { isJsonObject } from '../core/util/json.ts';

/** Keeps the key of each connection in the editor's secret storage, bound to the origin that it was given for. */
export class ApiKeys {
  private readonly secrets: SecretStorage;

  constructor(secrets: SecretStorage) {
    this.secrets = secrets;
  }

  /** The key of a connection; undefined when there is none, or when its address was changed since. */
  async get(connection: Connection): Promise<string | undefined> {
    const text = await this.secrets.get(nameOf(connection.id));
    if (text === undefined) return undefined;
    const kept = parse(text);
    return kept?.origin === originOf(connection) ? kept?.key : undefined;
  }

  /** True when the key is really kept: some editors in a browser have no lasting place for it. */
  async set(connection: Connection, key: string): Promise<boolean> {
    await this.secrets.store(nameOf(connection.id), JSON.stringify({ origin: originOf(connection), key }));
    return (await this.get(connection)) === key;
  }

  async forget(connectionId: string): Promise<void> {
    await this.secrets.delete(nameOf(connectionId));
  }
}

function nameOf(connectionId: string): string {
  return `dataTransfer.apiKey.${connectionId}`;
}

function originOf(connection: Connection): string | undefined {
  const address =
    connection.port === undefined ? connection.server : `${connection.server.replace(/\/+$/, '')}:${connection.port}`;
  return URL.canParse(address) ? new URL(address).origin : undefined;
}

function parse(text: string): { origin: string; key: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return undefined;
    const { origin, key } = value;
    return typeof origin === 'string' && typeof key === 'string' ? { origin, key } : undefined;
  } catch {
    return undefined;
  }
}
