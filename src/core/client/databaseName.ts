import type { ClientSession } from './clientSession.ts';
import type { RequestFailure, Result } from './reply.ts';

/** Determines whether requests refer to a database by its name or its ID (D7: database name or id). */
export class DatabaseName {
  private readonly session: ClientSession;
  readonly name: string;
  /** The name or ID that requests currently use. */
  sent: string;
  private isTried = false;

  private constructor(session: ClientSession, name: string, sent: string) {
    this.session = session;
    this.name = name;
    this.sent = sent;
  }

  /**
   * Chooses the value to send for the database `name`, based on the server's learned dialect. Does not reject if the
   * name is unknown.
   */
  static async resolve(session: ClientSession, name: string, signal?: AbortSignal): Promise<DatabaseName> {
    const isIdWanted = session.dialects.get(session.service).idsWanted === true;
    const id = isIdWanted ? await findId(session, name, signal) : undefined;
    return new DatabaseName(session, name, id ?? name);
  }

  /**
   * Switches to the ID after the first 404. Does nothing if the ID is unknown, equals the name, or is the name of
   * another database. Resolves to true if the request should be retried.
   */
  async tryId(signal?: AbortSignal): Promise<boolean> {
    if (this.isTried || this.sent !== this.name) return false;
    this.isTried = true;
    const id = await findId(this.session, this.name, signal);
    if (id === undefined || id === this.name) return false;
    const isAmbiguous = (await this.session.getDatabases(signal)).some((database) => database.name === id);
    if (isAmbiguous) return false;
    this.sent = id;
    return true;
  }

  /** Reverts to the name after the ID also resulted in a 404. */
  revertToName(): void {
    if (this.isTried) this.sent = this.name;
  }

  /** Records whether the server accepted the name or the ID, if these differ. Called after a successful request. */
  confirm(): void {
    const { dialects, service, listed = [] } = this.session;
    if (this.isTried && this.sent !== this.name) dialects.learn(service, { idsWanted: true });
    if (this.sent !== this.name || dialects.get(service).idsWanted !== undefined) return;
    if (listed.some(({ id, name }) => name === this.name && id !== name)) dialects.learn(service, { idsWanted: false });
  }
}

/**
 * Returns true if it is known whether to send these databases' names or IDs, or if both work (D36: names before
 * submission).
 */
export function isNamingKnown({ dialects, service, listed }: ClientSession, names: readonly string[]): boolean {
  if (service.hasFullPages || dialects.get(service).idsWanted !== undefined) return true;
  return names.every((name) => listed?.every((database) => database.name !== name || database.id === name));
}

async function findId(session: ClientSession, name: string, signal?: AbortSignal): Promise<string | undefined> {
  const databases = await session.getDatabases(signal);
  return databases.find((database) => database.name === name)?.id;
}

/**
 * Sends a request that refers to a database. After a 404, retries once with the database's ID if possible (D7: database
 * name or id).
 */
export async function requestWithName<T>(
  name: DatabaseName,
  request: (sent: string) => Promise<Result<T>>,
  isNotFound: (failure: RequestFailure) => boolean,
  signal?: AbortSignal,
): Promise<Result<T>> {
  const first = await request(name.sent);
  if (first.reason && isNotFound(first) && (await name.tryId(signal))) {
    const second = await request(name.sent);
    if (!second.reason || !isNotFound(second)) {
      if (!second.reason) name.confirm();
      return second;
    }
    name.revertToName();
  } else if (!first.reason) name.confirm();
  return first;
}
