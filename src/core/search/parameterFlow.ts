import type { Database } from '../model/databaseModel.ts';
import type { ConnectionStore } from '../connections/connectionStore.ts';
import type { ParameterListing, ParameterStore } from './searchabilityStore.ts';
import { Lifetime, type Disposable } from '../util/lifetime.ts';
import { catchRefusal, type OpenConnection, type OpenConnections } from '../connections/openConnections.ts';

interface ParameterFlowDependencies {
  readonly sessions: OpenConnections;
  readonly connectionStore: ConnectionStore;
  readonly store: ParameterStore;
}

/**
 * Fetches databases' search parameters on demand, and caches them until the databases are listed again (D26: service
 * HTTP behavior).
 */
export class ParameterFlow implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly dependencies: ParameterFlowDependencies;
  private readonly pending = new Map<string, Promise<ParameterListing>>();
  private listed: readonly Database[] = [];

  constructor(dependencies: ParameterFlowDependencies) {
    this.dependencies = dependencies;
    const { connectionStore, store } = dependencies;
    this.lifetime.track(
      connectionStore.onDidChange(() => {
        if (connectionStore.listing.databases === this.listed) return;
        this.listed = connectionStore.listing.databases;
        this.pending.clear();
        store.clear();
      }),
    );
  }

  /**
   * Resolves to the search parameters of the database with this name on the active connection, from the cache if
   * possible. If the request fails, the listing contains the reason.
   */
  async load(database: string): Promise<ParameterListing> {
    const known = this.dependencies.store.get(database);
    if (known && !known.reason) return known;
    const request = this.pending.get(database) ?? this.fetch(database);
    this.pending.set(database, request);
    try {
      return await request;
    } finally {
      if (this.pending.get(database) === request) this.pending.delete(database);
    }
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private async fetch(name: string): Promise<ParameterListing> {
    const { sessions, connectionStore, store } = this.dependencies;
    const session = sessions.active;
    const database = connectionStore.findDatabase(name);
    const listing: ParameterListing =
      session && database
        ? await requestParameters(session, database.id)
        : { parameters: {}, reason: { kind: 'notConnected' } };
    if (sessions.active === session && connectionStore.findDatabase(name) === database) store.set(name, listing);
    return listing;
  }
}

async function requestParameters(session: OpenConnection, databaseId: string): Promise<ParameterListing> {
  const { value, reason } = await catchRefusal(() => session.client.searchParameters(databaseId));
  return { parameters: value ?? {}, ...(reason && { reason }) };
}
