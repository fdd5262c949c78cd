import type { Reason } from '../model/reason.ts';
import type { SearchParameter } from '../model/searchParameter.ts';
import { Emitter } from '../util/emitter.ts';

/** What a database's own searches may be given, by name; empty where the service does not tell. `reason`: why it is not known. */
export interface ParameterListing {
  readonly parameters: Readonly<Record<string, SearchParameter>>;
  readonly reason?: Reason;
}

/** The search parameters of the databases of the connected service, as far as they were asked for. */
export class ParameterStore {
  private readonly listings = new Map<string, ParameterListing>();
  private readonly changed = new Emitter<string>();

  /** Carries the name of the database whose parameters have come. */
  readonly onDidChange = this.changed.event;

  /** Undefined until they were asked for. */
  get(database: string): ParameterListing | undefined {
    return this.listings.get(database);
  }

  set(database: string, listing: ParameterListing): void {
    this.listings.set(database, listing);
    this.changed.fire(database);
  }

  /** Forgets them, without a word: what is connected or listed has changed, and that is told elsewhere. */
  clear(): void {
    this.listings.clear();
  }
}
