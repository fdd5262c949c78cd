import type { Reason } from '../model/reason.ts';
import type { SearchParameter } from '../model/databaseModel.ts';
import { Emitter } from '../util/lifetime.ts';

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
