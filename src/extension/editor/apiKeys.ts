import { createHash, randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretStorage } from 'vscode';
import { getEnteredAddress, type Connection } from '../../core/model/connection.ts';
import type { Reason } from '../../core/model/reason.ts';
import { createFolder } from '../../core/util/createFolder.ts';
import { Emitter, type Disposable } from '../../core/util/lifetime.ts';
import { isJsonObject } from '../../core/util/json.ts';

/** A connection's key, or the reason why there is none. */
export type FoundKey =
  { readonly key: string; readonly reason?: never } | { readonly key?: never; readonly reason: Reason };

/** A change that another window made to a key. An `unreadable` key can be read only after a reload. */
type KeyChange = 'changed' | 'forgotten' | 'unreadable';

/** The identity of the key that this window last read or wrote. */
interface KnownKey {
  readonly fingerprint: string;
  /** Content of the marker file when the key was read or written; undefined if there was no such file. */
  readonly marker: string | undefined;
}

/** A key in the secret storage. `marker` is missing if the key was saved by version 0.1 or without a marker file. */
interface StoredKey {
  readonly origin: string | undefined;
  readonly key: string;
  readonly marker: string | undefined;
}

interface ApiKeysDependencies {
  readonly secrets: SecretStorage;
  /** Folder for the marker files, one per connection with a saved key. The marker files do not contain the keys. */
  readonly markerFolder: string;
  readonly environment: NodeJS.ProcessEnv;
}

const prefix = 'dataTransfer.apiKey.';

/**
 * Stores the key of each connection in the editor's secret storage, bound to the origin of the connection's address. A
 * connection can also name an environment variable that contains its key. In some browser-based editors, secrets last
 * only for a session, and a marker file distinguishes a lost key from one that was never saved. Some editors read
 * secrets only when a window loads. Each new key therefore gets a new marker, which tells other windows that the key
 * has changed.
 */
export class ApiKeys implements Disposable {
  private readonly dependencies: ApiKeysDependencies;
  private readonly known = new Map<string, KnownKey>();
  private readonly changed = new Emitter<string>();
  private readonly subscription: Disposable;

  /** Fires with the ID of a connection whose key may have changed. Not all editors report other windows' changes. */
  readonly onDidChange = this.changed.event;

  constructor(dependencies: ApiKeysDependencies) {
    this.dependencies = dependencies;
    this.subscription = dependencies.secrets.onDidChange(({ key }) => {
      if (key.startsWith(prefix)) this.changed.fire(key.slice(prefix.length));
    });
  }

  /** Finds a connection's key: its environment variable's value, otherwise the saved key. */
  async find(connection: Connection): Promise<FoundKey> {
    const found = this.readFromEnvironment(connection) ?? (await this.readFromSecrets(connection));
    if (found.key !== undefined) await this.recordKey(connection.id, hashKey(found.key));
    return found;
  }

  async get(connection: Connection): Promise<string | undefined> {
    return (await this.find(connection)).key;
  }

  /** Saves a key. Resolves to true if the key can be read back, which fails in some browser-based editors. */
  async set(connection: Connection, key: string): Promise<boolean> {
    const { id } = connection;
    const marker = (await this.findMarker(connection, key)) ?? (await this.writeMarker(id));
    this.known.set(id, { fingerprint: hashKey(key), marker });
    const stored: StoredKey = { origin: getOrigin(connection), key, marker };
    await this.dependencies.secrets.store(getSecretName(id), JSON.stringify(stored));
    return (await this.readFromSecrets(connection)).key === key;
  }

  /** Deletes a key. Deletes its marker first, because a missing key that still has a marker is reported as lost. */
  async forget(connectionId: string): Promise<void> {
    this.known.delete(connectionId);
    await rm(this.getMarkerPath(connectionId), { force: true });
    await this.dependencies.secrets.delete(getSecretName(connectionId));
  }

  /** Returns true if the key currently comes from the environment variable. */
  isFromEnvironment(connection: Connection): boolean {
    return this.readFromEnvironment(connection) !== undefined;
  }

  /** Returns another window's change of a key; undefined if there is none or the editor has lost the key. */
  async compare(connection: Connection): Promise<KeyChange | undefined> {
    const { id } = connection;
    const previous = this.known.get(id);
    const { key } = await this.find(connection);
    if (key !== undefined && hashKey(key) !== previous?.fingerprint) return 'changed';
    if (previous?.marker === undefined || this.isFromEnvironment(connection)) return undefined;
    const marker = await this.readMarker(id);
    if (marker === previous.marker) return undefined;
    if (marker === undefined) this.known.delete(id);
    else this.known.set(id, { ...previous, marker });
    return marker === undefined ? 'forgotten' : 'unreadable';
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  private readFromEnvironment({ apiKeyVariable }: Connection): { readonly key: string } | undefined {
    const key = apiKeyVariable === undefined ? '' : (this.dependencies.environment[apiKeyVariable]?.trim() ?? '');
    return key === '' ? undefined : { key };
  }

  private async readFromSecrets(connection: Connection): Promise<FoundKey> {
    const stored = await this.readStoredKey(connection.id);
    if (stored)
      return stored.origin === getOrigin(connection) ? { key: stored.key } : { reason: { kind: 'keyElsewhere' } };
    const { apiKeyVariable } = connection;
    if (apiKeyVariable !== undefined) return { reason: { kind: 'variableEmpty', detail: apiKeyVariable } };
    return { reason: { kind: (await this.readMarker(connection.id)) === undefined ? 'keyMissing' : 'keyGone' } };
  }

  private async recordKey(connectionId: string, fingerprint: string): Promise<void> {
    if (this.known.get(connectionId)?.fingerprint === fingerprint) return;
    this.known.set(connectionId, { fingerprint, marker: await this.readMarker(connectionId) });
  }

  /**
   * Returns the marker of a key that is already saved, unless another window has changed the key in the meantime. A new
   * marker would make other windows report a change.
   */
  private async findMarker(connection: Connection, key: string): Promise<string | undefined> {
    const stored = await this.readStoredKey(connection.id);
    if (stored?.key !== key || stored.origin !== getOrigin(connection)) return undefined;
    return stored.marker === (await this.readMarker(connection.id)) ? stored.marker : undefined;
  }

  private async readStoredKey(connectionId: string): Promise<StoredKey | undefined> {
    return parseStoredKey(await this.dependencies.secrets.get(getSecretName(connectionId)));
  }

  private getMarkerPath(connectionId: string): string {
    return join(this.dependencies.markerFolder, createHash('sha256').update(connectionId).digest('hex').slice(0, 32));
  }

  /** Writes a new marker and resolves to it; undefined on failure, because a key can do without. */
  private async writeMarker(connectionId: string): Promise<string | undefined> {
    const marker = randomUUID();
    try {
      await createFolder(this.dependencies.markerFolder);
      await writeFile(this.getMarkerPath(connectionId), marker);
      return marker;
    } catch {
      return undefined;
    }
  }

  private async readMarker(connectionId: string): Promise<string | undefined> {
    return await readFile(this.getMarkerPath(connectionId), 'utf8').catch(() => undefined);
  }
}

function getSecretName(connectionId: string): string {
  return prefix + connectionId;
}

function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

function getOrigin(connection: Connection): string | undefined {
  const address = getEnteredAddress(connection);
  return URL.canParse(address) ? new URL(address).origin : undefined;
}

function parseStoredKey(text: string | undefined): StoredKey | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (!isJsonObject(value)) return undefined;
    const { origin, key, marker } = value;
    if (typeof origin !== 'string' || typeof key !== 'string') return undefined;
    return { origin, key, marker: typeof marker === 'string' ? marker : undefined };
  } catch {
    return undefined;
  }
}
