import type { DataTransferClient } from '../client/dataTransferClient.ts';
import type { Connection } from '../model/connection.ts';
import type { Database } from '../model/database.ts';
import type { Reason } from '../model/reason.ts';
import type { ConnectionStore } from '../store/connectionStore.ts';
import { wait, type Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import { asked, refusalOf } from './asked.ts';
import { connectOptions } from './connectOptions.ts';
import type { KeyWatch } from './keyWatch.ts';
import type { Session, Sessions } from './sessions.ts';

/** What came of trying a connection: a session with its databases, or the reason why there is none. */
export type Attempt =
  | { readonly session: Session; readonly databases: readonly Database[] }
  | { readonly session?: never; readonly reason: Reason };

/** What a {@link ConnectFlow} needs. */
export interface ConnectParts {
  readonly sessions: Sessions;
  readonly store: ConnectionStore;
  readonly keys: KeyWatch;
  readonly clock: Clock;
  newClient(): Promise<DataTransferClient>;
}

/** Opens and closes connections. Only a listing of the databases proves a key (D6). */
export class ConnectFlow implements Disposable {
  private readonly parts: ConnectParts;
  private opening: AbortController | undefined;
  private readonly ending = new AbortController();
  private listings = 0;
  private lastListing = 0;

  constructor(parts: ConnectParts) {
    this.parts = parts;
  }

  /** Tries a connection without changing anything that is open or shown. */
  async attempt(connection: Connection, apiKey: string, signal?: AbortSignal): Promise<Attempt> {
    const client = await this.parts.newClient();
    try {
      const service = await client.connect(connectOptions(connection, apiKey), signal);
      const reply = await client.databases(signal);
      if (!reply.reason) return { session: { connection, service, client }, databases: reply.value };
      client.dispose();
      return { reason: reply.reason };
    } catch (error) {
      client.dispose();
      return { reason: refusalOf(error) };
    }
  }

  /** Makes the session of an attempt the active one and shows its databases. */
  use(session: Session, databases: readonly Database[]): void {
    this.opening?.abort();
    this.parts.sessions.activate(session);
    this.parts.keys.watch(session);
    this.parts.store.setState({ kind: 'connected', connection: session.connection, service: session.service });
    this.parts.store.setListing({ databases, loading: false });
  }

  /** Connects and shows how that goes; a later call overtakes an earlier one. A person waits for it: one 401 is enough (D28). */
  async open(connection: Connection, apiKey: string): Promise<Attempt> {
    const { signal } = this.begin();
    this.parts.store.setState({ kind: 'connecting', connection });
    return this.conclude(connection, await this.attempt(connection, apiKey, signal), signal);
  }

  /** As {@link open}, by itself and with a key that was accepted before: tries again while that is only doubted (D28). */
  async reopen(connection: Connection, apiKey: string): Promise<Attempt> {
    const { store } = this.parts;
    const { signal } = this.begin();
    store.setState({ kind: 'connecting', connection });
    const show = (doubt: Reason): void => store.setState({ kind: 'connecting', connection, doubt });
    return this.conclude(connection, await this.attemptPatiently(connection, apiKey, signal, show), signal);
  }

  /** As {@link reopen}, without making the connection the active one or showing it: so that its transfers are watched. */
  async openBeside(connection: Connection, apiKey: string): Promise<void> {
    const { sessions, keys } = this.parts;
    const { session } = await this.attemptPatiently(connection, apiKey, this.ending.signal, () => undefined);
    if (!session) return;
    if (this.ending.signal.aborted || sessions.get(connection.id)) {
      session.client.dispose();
      return;
    }
    sessions.add(session);
    keys.watch(session);
  }

  /** Tries the key of an open connection out, for a person who asked for that; resolves with the reason when it failed. */
  async tryKey(connectionId: string): Promise<Reason | undefined> {
    const session = this.parts.sessions.get(connectionId);
    if (!session) return { kind: 'notConnected' };
    return (await asked(() => session.client.databases())).reason;
  }

  /** Shows why a connection that is wanted cannot even be tried, for example because its service did not start. */
  fail(connection: Connection, reason: Reason): void {
    this.opening?.abort();
    this.parts.store.setState({ kind: 'failed', connection, reason });
  }

  /** Closes the active connection, also one that is only being opened. */
  disconnect(): void {
    this.opening?.abort();
    const active = this.parts.sessions.active;
    if (active) this.parts.sessions.close(active.connection.id);
    this.parts.store.setState({ kind: 'disconnected' });
  }

  /** Lists the databases again; those of the last listing stay when it fails, and when this answer comes after a later one. */
  async refreshDatabases(): Promise<void> {
    const { sessions, store } = this.parts;
    const session = sessions.active;
    if (!session) return;
    this.listings += 1;
    const listing = this.listings;
    store.setListing({ ...store.listing, loading: true });
    const reply = await asked(() => session.client.databases());
    if (sessions.active !== session || listing < this.lastListing) return;
    this.lastListing = listing;
    const databases = reply.value && !reply.reason ? reply.value : store.listing.databases;
    store.setListing({ databases, loading: false, ...(reply.reason && { reason: reply.reason }) });
  }

  dispose(): void {
    this.ending.abort();
    this.opening?.abort();
  }

  private async attemptPatiently(
    connection: Connection,
    apiKey: string,
    signal: AbortSignal,
    whenDoubted: (reason: Reason) => void,
  ): Promise<Attempt> {
    const { keys, clock } = this.parts;
    for (;;) {
      const attempt = await this.attempt(connection, apiKey, signal);
      if (signal.aborted || attempt.session) return attempt;
      keys.note(connection.id, attempt.reason);
      if (attempt.reason.kind !== 'unauthorized' || keys.standing(connection.id) !== 'doubted') return attempt;
      whenDoubted(attempt.reason);
      await wait(clock, keys.pauseMs(connection.id), signal);
    }
  }

  private begin(): AbortController {
    this.opening?.abort();
    this.opening = new AbortController();
    return this.opening;
  }

  private conclude(connection: Connection, attempt: Attempt, signal: AbortSignal): Attempt {
    if (signal.aborted) attempt.session?.client.dispose();
    else if (attempt.session) this.use(attempt.session, attempt.databases);
    else this.parts.store.setState({ kind: 'failed', connection, reason: attempt.reason });
    return attempt;
  }
}
