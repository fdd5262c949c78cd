import type { DatabaseDocument } from '../../contract/database.ts';
import type { Catalog } from './catalog.ts';

/** A database that the service serves. */
export interface ServedDatabase {
  readonly document: DatabaseDocument;
  readonly folder: string;
  readonly catalog: Catalog;
}

/** What is served at the moment; it changes while the service runs. */
export interface ServedDatabases {
  /** In the order in which they were asked for; what was asked for last comes first. */
  list(): readonly ServedDatabase[];
  /** Finds a database by its name, as the specification has it, or by its id (D26). A name goes before an id. */
  find(nameOrId: string): ServedDatabase | undefined;
  /** Finds a database by its id alone, as transfers are kept. */
  byId(id: string): ServedDatabase | undefined;
}
