import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretStorage } from 'vscode';
import type { Connection } from '../core/model/connection.ts';
import type { Reason } from '../core/model/reason.ts';
import { Emitter } from '../core/util/emitter.ts';
import { isJsonObject } from '../core/util/json.ts';
import type { Disposable } from '../core/util/lifetime.ts';

/** The key of a connection, or why there is none. */
export type FoundKey =
  { readonly key: string; readonly reason?: never } | { readonly key?: never; readonly reason: Reason };

/** What another window did to a key; `unreadable` is a change that this editor lets nobody read before a reload. */
export type KeyChange = 'changed' | 'forgotten' | 'unreadable';

/** A key as this window last read or wrote it. */
interface KnownKey {
  readonly fingerprint: string;
  /** What the mark said then. */
  readonly mark: string | undefined;
}

/** Where {@link ApiKeys} keep and find keys. */
export interface KeyPlaces {
  readonly secrets: SecretStorage;
  /** Folder of the marks that say for which connections a key was saved here; the keys themselves are not in it. */
  readonly markFolder: string;
  readonly environment: NodeJS.ProcessEnv;
}

const prefix = 'dataTransfer.apiKey.';

/**
 * Keeps the key of each connection in the editor's secret storage, bound to the origin that it was given for. Some
 * editors in a browser keep secrets only for a session: a mark in a file tells a key that is gone from one that never
 * was, and a connection can name an environment variable that holds its key. Others read the secrets only when a window
 * is loaded: the mark is another one with every key, so that a change is seen all the same.
 */
export class ApiKeys implements Disposable {
  private readonly places: KeyPlaces;
  private readonly known = new Map<string, KnownKey>();
  private readonly changed = new Emitter<string>();
  private readonly subscription: Disposable;

  /** Carries the id of a connection whose key may be another one now; not every editor tells of other windows. */
  readonly onDidChange = this.changed.event;

  constructor(places: KeyPlaces) {
    this.places = places;
    this.subscription = places.secrets.onDidChange(({ key }) => {
      if (key.startsWith(prefix)) this.changed.fire(key.slice(prefix.length));
    });
  }

  /** The key of a connection: out of the environment where its variable is set, else the one that was saved. */
  async find(connection: Connection): Promise<FoundKey> {
    const found = this.fromEnvironment(connection) ?? (await this.fromSecrets(connection));
    if (found.key !== undefined) await this.note(connection.id, fingerprint(found.key));
    return found;
  }

  /** As {@link find}, without the reason. */
  async get(connection: Connection): Promise<string | undefined> {
    return (await this.find(connection)).key;
  }

  /** True when the key is really kept: some editors in a browser have no lasting place for it. */
  async set(connection: Connection, key: string): Promise<boolean> {
    const { id } = connection;
    this.known.set(id, { fingerprint: fingerprint(key), mark: await this.mark(id) });
    await this.places.secrets.store(nameOf(id), JSON.stringify({ origin: originOf(connection), key }));
    return (await this.fromSecrets(connection)).key === key;
  }

  /** Forgets a key for good. The mark goes first: a key without a mark was forgotten, not lost. */
  async forget(connectionId: string): Promise<void> {
    this.known.delete(connectionId);
    await rm(this.markOf(connectionId), { force: true });
    await this.places.secrets.delete(nameOf(connectionId));
  }

  /** Whether the key comes out of the environment now. */
  isFromEnvironment(connection: Connection): boolean {
    return this.fromEnvironment(connection) !== undefined;
  }

  /** What became of a key since this window last had to do with it. One that the editor has lost is no change. */
  async compare(connection: Connection): Promise<KeyChange | undefined> {
    const { id } = connection;
    const before = this.known.get(id);
    const { key } = await this.find(connection);
    if (key !== undefined && fingerprint(key) !== before?.fingerprint) return 'changed';
    if (before?.mark === undefined || this.isFromEnvironment(connection)) return undefined;
    const mark = await this.readMark(id);
    if (mark === before.mark) return undefined;
    if (mark === undefined) this.known.delete(id);
    else this.known.set(id, { ...before, mark });
    return mark === undefined ? 'forgotten' : 'unreadable';
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  private fromEnvironment({ apiKeyVariable }: Connection): { readonly key: string } | undefined {
    const key = apiKeyVariable === undefined ? '' : (this.places.environment[apiKeyVariable]?.trim() ?? '');
    return key === '' ? undefined : { key };
  }

  private async fromSecrets(connection: Connection): Promise<FoundKey> {
    const kept = parse(await this.places.secrets.get(nameOf(connection.id)));
    if (kept) return kept.origin === originOf(connection) ? { key: kept.key } : { reason: { kind: 'keyElsewhere' } };
    const { apiKeyVariable } = connection;
    if (apiKeyVariable !== undefined) return { reason: { kind: 'variableEmpty', detail: apiKeyVariable } };
    return { reason: { kind: (await this.readMark(connection.id)) === undefined ? 'keyMissing' : 'keyGone' } };
  }

  private async note(connectionId: string, found: string): Promise<void> {
    if (this.known.get(connectionId)?.fingerprint === found) return;
    this.known.set(connectionId, { fingerprint: found, mark: await this.readMark(connectionId) });
  }

  private markOf(connectionId: string): string {
    return join(this.places.markFolder, createHash('sha256').update(connectionId).digest('hex').slice(0, 32));
  }

  /** Where the mark cannot be written, the key still can be kept. */
  private async mark(connectionId: string): Promise<string | undefined> {
    const mark = randomUUID();
    try {
      await mkdir(this.places.markFolder, { recursive: true });
      await writeFile(this.markOf(connectionId), mark);
      return mark;
    } catch {
      return undefined;
    }
  }

  private async readMark(connectionId: string): Promise<string | undefined> {
    return await readFile(this.markOf(connectionId), 'utf8').catch(() => undefined);
  }
}

function nameOf(connectionId: string): string {
  return prefix + connectionId;
}

function fingerprint(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

function originOf(connection: Connection): string | undefined {
  const address =
    connection.port === undefined ? connection.server : `${connection.server.replace(/\/+$/, '')}:${connection.port}`;
  return URL.canParse(address) ? new URL(address).origin : undefined;
}

function parse(text: string | undefined): { origin: string; key: string } | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (!isJsonObject(value)) return undefined;
    const { origin, key } = value;
    return typeof origin === 'string' && typeof key === 'string' ? { origin, key } : undefined;
  } catch {
    return undefined;
  }
}
