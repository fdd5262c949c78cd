import type { SearchParameter } from '../model/databaseModel.ts';
import type { Reason } from '../model/reason.ts';
import { readSearchability, type Searchability } from '../model/searchModel.ts';
import { isJsonObject } from '../util/json.ts';
import { Emitter } from '../util/lifetime.ts';

/** A version of a service. A new version may support more kinds of searches. */
interface ServiceVersion {
  readonly connectionId: string;
  readonly version: string;
}

interface Entry {
  readonly version: string;
  readonly databases: Map<string, Searchability>;
}

const maxConnections = 50;
const maxDatabases = 200;

/** Stores, for each connection, which kinds of search its databases refuse (D38: learned searchability). */
export class SearchabilityStore {
  private readonly entries = new Map<string, Entry>();
  private readonly changed = new Emitter<string>();

  /** Fires with the name of the database whose searchability changed. */
  readonly onDidChange = this.changed.event;

  constructor(saved?: unknown) {
    for (const [connectionId, value] of Object.entries(isJsonObject(saved) ? saved : {})) {
      const entry = readEntry(value);
      if (entry) this.entries.set(connectionId, entry);
    }
  }

  get({ connectionId, version }: ServiceVersion, database: string): Searchability | undefined {
    const entry = this.entries.get(connectionId);
    return entry?.version === version ? entry.databases.get(database) : undefined;
  }

  /** Sets the searchability of a database; undefined clears it. */
  set(service: ServiceVersion, database: string, learned: Searchability | undefined): void {
    const known = this.get(service, database);
    if (known?.kind === learned?.kind && known?.detail === learned?.detail) return;
    const { databases } = this.getEntry(service);
    databases.delete(database);
    if (learned) databases.set(database, learned);
    for (const oldest of [...databases.keys()].slice(0, -maxDatabases)) databases.delete(oldest);
    this.changed.fire(database);
  }

  toJSON(): Record<string, unknown> {
    return Object.fromEntries(
      [...this.entries].map(([connectionId, { version, databases }]) => [
        connectionId,
        { version, databases: [...databases] },
      ]),
    );
  }

  private getEntry({ connectionId, version }: ServiceVersion): Entry {
    const known = this.entries.get(connectionId);
    const entry = known?.version === version ? known : { version, databases: new Map<string, Searchability>() };
    this.entries.delete(connectionId);
    this.entries.set(connectionId, entry);
    for (const oldest of [...this.entries.keys()].slice(0, -maxConnections)) this.entries.delete(oldest);
    return entry;
  }
}

function readEntry(value: unknown): Entry | undefined {
  if (!isJsonObject(value) || typeof value['version'] !== 'string' || !Array.isArray(value['databases'])) {
    return undefined;
  }
  const pairs = (value['databases'] as readonly unknown[]).flatMap((pair) => {
    const [name, saved] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
    const searchability = readSearchability(saved);
    return typeof name === 'string' && searchability ? [[name, searchability] as const] : [];
  });
  return { version: value['version'], databases: new Map(pairs) };
}

/** A database's search parameters by name, or the `reason` why they are unknown. */
export interface ParameterListing {
  readonly parameters: Readonly<Record<string, SearchParameter>>;
  readonly reason?: Reason;
}

/**
 * Stores the search parameters of the connected service's databases. A database is absent until its parameters are
 * loaded.
 */
export class ParameterStore {
  private readonly listings = new Map<string, ParameterListing>();
  private readonly changed = new Emitter<string>();

  /** Fires with the name of the database whose parameters were set. */
  readonly onDidChange = this.changed.event;

  get(database: string): ParameterListing | undefined {
    return this.listings.get(database);
  }

  set(database: string, listing: ParameterListing): void {
    this.listings.set(database, listing);
    this.changed.fire(database);
  }

  /** Clears all parameters without firing an event, because the connection store reports the change. */
  clear(): void {
    this.listings.clear();
  }
}
