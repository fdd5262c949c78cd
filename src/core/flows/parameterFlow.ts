import type { Database } from '../model/database.ts';
import type { ConnectionStore } from '../store/connectionStore.ts';
import type { ParameterListing, ParameterStore } from '../store/parameterStore.ts';
import { Lifetime, type Disposable } from '../util/lifetime.ts';
import { asked } from './asked.ts';
import type { Session, Sessions } from './sessions.ts';

/** What a {@link ParameterFlow} needs. */
export interface ParameterParts {
  readonly sessions: Sessions;
  readonly connectionStore: ConnectionStore;
  readonly store: ParameterStore;
}

/** Asks once for what the searches of a database may be given (D26), and again when the databases were listed anew. */
export class ParameterFlow implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly parts: ParameterParts;
  private readonly asking = new Map<string, Promise<ParameterListing>>();
  private listed: readonly Database[] = [];

  constructor(parts: ParameterParts) {
    this.parts = parts;
    const { connectionStore, store } = parts;
    this.lifetime.track(
      connectionStore.onDidChange(() => {
        if (connectionStore.listing.databases === this.listed) return;
        this.listed = connectionStore.listing.databases;
        this.asking.clear();
        store.clear();
      }),
    );
  }

  /** The parameters of a database of the active connection, by its name; those that are known already at once. */
  async load(database: string): Promise<ParameterListing> {
    const known = this.parts.store.get(database);
    if (known && !known.reason) return known;
    const asking = this.asking.get(database) ?? this.fetch(database);
    this.asking.set(database, asking);
    try {
      return await asking;
    } finally {
      if (this.asking.get(database) === asking) this.asking.delete(database);
    }
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private async fetch(name: string): Promise<ParameterListing> {
    const { sessions, connectionStore, store } = this.parts;
    const session = sessions.active;
    const database = connectionStore.database(name);
    const listing: ParameterListing =
      session && database ? await ask(session, database.id) : { parameters: {}, reason: { kind: 'notConnected' } };
    if (sessions.active === session && connectionStore.database(name) === database) store.set(name, listing);
    return listing;
  }
}

async function ask(session: Session, databaseId: string): Promise<ParameterListing> {
  const { value, reason } = await asked(() => session.client.searchParameters(databaseId));
  return { parameters: value ?? {}, ...(reason && { reason }) };
}
