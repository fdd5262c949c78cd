import type { Database } from '../model/databaseModel.ts';
import type { ClientSession } from './clientSession.ts';
import type { RequestFailure, Result } from './reply.ts';

/** A database, and whether requests refer to it by its name or its ID (D7: database name or id). */
export interface DatabaseName {
  readonly session: ClientSession;
  readonly name: string;
  /** The name or ID that requests currently use. */
  sent: string;
  hasTriedId: boolean;
}

/**
 * Chooses the value to send for the database `name`, based on the server's learned dialect. Does not reject if the name
 * is unknown.
 */
export async function resolveName(session: ClientSession, name: string, signal?: AbortSignal): Promise<DatabaseName> {
  const isIdWanted = session.dialects.get(session.service).idsWanted === true;
  const id = isIdWanted ? findId(await session.getDatabases(signal), name) : undefined;
  return { session, name, sent: id ?? name, hasTriedId: false };
}

/**
 * Sends a request that refers to a database. After a 404, retries once with the database's ID if possible (D7: database
 * name or id).
 */
export async function requestWithName<T>(
  named: DatabaseName | Promise<DatabaseName>,
  request: (sent: string) => Promise<Result<T>>,
  signal?: AbortSignal,
  isNotFound = ({ reason }: RequestFailure): boolean => reason.status === 404,
): Promise<Result<T>> {
  const database = await named;
  const first = await request(database.sent);
  if (!first.reason) learnNaming(database);
  if (!first.reason || !isNotFound(first) || !(await switchToId(database, signal))) return first;
  const second = await request(database.sent);
  if (!second.reason) learnNaming(database);
  if (!second.reason || !isNotFound(second)) return second;
  database.sent = database.name;
  return first;
}

/**
 * Switches to the ID after the first 404. Does nothing if the ID is unknown, equals the name, or is the name of another
 * database. Resolves to true if the request should be retried.
 */
async function switchToId(database: DatabaseName, signal: AbortSignal | undefined): Promise<boolean> {
  const { session, name } = database;
  if (database.hasTriedId || database.sent !== name) return false;
  database.hasTriedId = true;
  const databases = await session.getDatabases(signal);
  const id = findId(databases, name);
  if (id === undefined || databases.some((other) => other.name === id)) return false;
  database.sent = id;
  return true;
}

/** Records whether the server accepted the name or the ID, if these differ. */
function learnNaming({ session, name, sent, hasTriedId }: DatabaseName): void {
  const { dialects, service, listed = [] } = session;
  if (sent !== name) {
    if (hasTriedId) dialects.learn(service, { idsWanted: true });
  } else if (dialects.get(service).idsWanted === undefined) {
    const hasOtherId = listed.some((database) => database.name === name && database.id !== name);
    if (hasOtherId) dialects.learn(service, { idsWanted: false });
  }
}

function findId(databases: readonly Database[], name: string): string | undefined {
  return databases.find((database) => database.name === name)?.id;
}
