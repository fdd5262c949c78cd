import type { DatabaseDocument } from '../../contract/contract.ts';
import { HttpProblem } from '../http/httpProblem.ts';
import { toQuotable } from '../http/quotable.ts';
import type { RestoreOptions } from '../stores/storeRestore.ts';
import type { Catalog } from './catalog.ts';

/** A database that the service serves, and its location. */
export interface ServedDatabase {
  readonly document: DatabaseDocument;
  /** The served folder, or the served rclone remote including its path (D62: stores through rclone). */
  readonly location: DatabaseLocation;
  readonly catalog: Catalog;
  /** Absent if transfers must not restore archived objects (D67: archived objects). */
  readonly restore?: RestoreOptions | undefined;
}

/** The place of a database's files: a folder or an rclone remote. */
export type DatabaseLocation =
  { readonly folder: string; readonly remote?: undefined } | { readonly remote: string; readonly folder?: undefined };

/** Returns true for a database that cannot be a transfer's destination (D43: read-only databases). */
export function isReadOnly({ document }: ServedDatabase): boolean {
  return document['readOnly'] === true;
}

/** Provides access to the databases that are served. The list can change while the service runs. */
export interface ServedDatabases {
  /** Returns the databases, most recently requested first. */
  list(): readonly ServedDatabase[];
  /** Finds a database by name or, if no name matches, by ID (D26: service HTTP behavior). */
  find(nameOrId: string): ServedDatabase | undefined;
  /** Finds a database by ID only. Stored transfers identify databases by ID. */
  findById(id: string): ServedDatabase | undefined;
}

/** Throws {@link HttpProblem} 404 if there is none; `location` is the position in the request. */
export function mustFindDatabase(databases: ServedDatabases, nameOrId: string, location: string): ServedDatabase {
  const database = databases.find(nameOrId);
  if (database !== undefined) return database;
  throw createUnknownDatabasesProblem([{ nameOrId, location }]);
}

/** Throws an {@link HttpProblem} 404 that lists each unknown database of a transfer. */
export function mustFindBoth(
  databases: ServedDatabases,
  names: { readonly source: string; readonly destination: string },
): { readonly source: ServedDatabase; readonly destination: ServedDatabase } {
  const [source, destination] = [databases.find(names.source), databases.find(names.destination)];
  if (source !== undefined && destination !== undefined) return { source, destination };
  const sides = ['source', 'destination'] as const;
  const unknown = sides.filter((side) => databases.find(names[side]) === undefined);
  throw createUnknownDatabasesProblem(unknown.map((side) => ({ nameOrId: names[side], location: `body.${side}` })));
}

function createUnknownDatabasesProblem(unknown: readonly { nameOrId: string; location: string }[]): HttpProblem {
  const errors = unknown.map(({ nameOrId, location }) => {
    return { message: `There is no database "${toQuotable(nameOrId)}".`, location };
  });
  return new HttpProblem(404, errors.map(({ message }) => message).join(' '), { errors });
}
