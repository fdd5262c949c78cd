import type { Session } from './session.ts';

/** What a request calls a database: by its name as the specification says, or by its id where a server wants that (D7). */
export class DatabaseName {
  private readonly session: Session;
  private readonly name: string;
  /** What stands in the request now. */
  sent: string;
  private isTried = false;

  private constructor(session: Session, name: string, sent: string) {
    this.session = session;
    this.name = name;
    this.sent = sent;
  }

  /** Finds what to send for `name`, by what was learned of the server; never throws for an unknown name. */
  static async of(session: Session, name: string, signal?: AbortSignal): Promise<DatabaseName> {
    const isIdWanted = session.dialects.get(session.service).idsWanted === true;
    const id = isIdWanted ? await idOf(session, name, signal) : undefined;
    return new DatabaseName(session, name, id ?? name);
  }

  /** After a 404: switches to the id, once, where there is one that is nobody's name. Returns whether to ask again. */
  async tryId(signal?: AbortSignal): Promise<boolean> {
    if (this.isTried || this.sent !== this.name) return false;
    this.isTried = true;
    const id = await idOf(this.session, this.name, signal);
    if (id === undefined || id === this.name) return false;
    const isAmbiguous = (await this.session.knownDatabases(signal)).some((database) => database.name === id);
    if (isAmbiguous) return false;
    this.sent = id;
    return true;
  }

  /** After a 404 to the id too: goes back to the name. */
  giveUpId(): void {
    if (this.isTried) this.sent = this.name;
  }

  /** After a success: remembers whether the server took the name or the id, if these differ. */
  confirm(): void {
    const { dialects, service, listed = [] } = this.session;
    if (this.isTried && this.sent !== this.name) dialects.learn(service, { idsWanted: true });
    if (this.sent !== this.name || dialects.get(service).idsWanted !== undefined) return;
    if (listed.some(({ id, name }) => name === this.name && id !== name)) dialects.learn(service, { idsWanted: false });
  }
}

/**
 * Returns true if it is known whether the server wants these databases by name or by id, or if that makes no difference
 * (D36). The local service takes both (D26).
 */
export function isNamingKnown({ dialects, service, listed }: Session, names: readonly string[]): boolean {
  if (service.pagesExactly || dialects.get(service).idsWanted !== undefined) return true;
  return names.every((name) => listed?.every((database) => database.name !== name || database.id === name));
}

async function idOf(session: Session, name: string, signal?: AbortSignal): Promise<string | undefined> {
  const databases = await session.knownDatabases(signal);
  return databases.find((database) => database.name === name)?.id;
}

/** Sends a request that names a database; a 404 is asked again with the id where D7 says so. */
export async function askWithName<O extends { readonly kind: string }>(
  name: DatabaseName,
  ask: (sent: string) => Promise<O>,
  isNotFound: (outcome: O) => boolean,
  signal?: AbortSignal,
): Promise<O> {
  const first = await ask(name.sent);
  if (isNotFound(first) && (await name.tryId(signal))) {
    const second = await ask(name.sent);
    if (!isNotFound(second)) {
      if (second.kind !== 'failed') name.confirm();
      return second;
    }
    name.giveUpId();
  } else if (first.kind !== 'failed') name.confirm();
  return first;
}
