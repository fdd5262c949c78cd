import { Emitter } from '../util/lifetime.ts';

/** The result of looking up a recipe's IDs. */
interface IdLookup {
  readonly connectionId: string;
  /** The name of the database. */
  readonly database: string;
  readonly ids: readonly string[];
  /** The IDs for which the database had no file. */
  readonly missing: readonly string[];
}

const none: ReadonlySet<string> = new Set();

/** Stores the IDs that were missing from a database when a recipe's IDs were last looked up. */
export class MissingIds {
  private readonly found = new Map<string, Set<string>>();
  private readonly changed = new Emitter<void>();

  readonly onDidChange = this.changed.event;

  /** Returns the IDs for which a database had no file. */
  get(connectionId: string, database: string): ReadonlySet<string> {
    return this.found.get(toKey(connectionId, database)) ?? none;
  }

  /** Records the result of a lookup. Replaces earlier results for the same IDs. */
  record({ connectionId, database, ids, missing }: IdLookup): void {
    const key = toKey(connectionId, database);
    const known = new Set(this.found.get(key));
    for (const id of ids) known.delete(id);
    for (const id of missing) known.add(id);
    this.found.set(key, known);
    this.changed.fire();
  }
}

function toKey(connectionId: string, database: string): string {
  return JSON.stringify([connectionId, database]);
}
