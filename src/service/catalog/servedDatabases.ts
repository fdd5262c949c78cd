import type { DatabaseDocument } from '../../contract/database.ts';
import type { RestoreOptions } from '../stores/storeRestore.ts';
import type { Catalog } from './catalog.ts';

export interface ServedDatabase {
  readonly document: DatabaseDocument;
  /** The served folder, or the served rclone remote including its path (D62: stores through rclone). */
  readonly location: DatabaseLocation;
  readonly catalog: Catalog;
  /**
   * Options for restoring archived objects of a store; absent if transfers must not restore them (D67: archived
   * objects).
   */
  readonly restore?: RestoreOptions | undefined;
}

export type DatabaseLocation =
  { readonly folder: string; readonly remote?: undefined } | { readonly remote: string; readonly folder?: undefined };

/** Returns true for a database that cannot be the destination of a transfer (D43: read-only databases). */
export function isReadOnly({ document }: ServedDatabase): boolean {
  return document['readOnly'] === true;
}

/** Provides access to the databases that are currently served. They can change while the service runs. */
export interface ServedDatabases {
  /** Returns the databases, starting with the most recently requested ones. */
  list(): readonly ServedDatabase[];
  /** Finds a database by name or, if no name matches, by id (D26: service HTTP behavior). */
  find(nameOrId: string): ServedDatabase | undefined;
  /** Finds a database by id only. Stored transfers identify databases by id. */
  findById(id: string): ServedDatabase | undefined;
}
