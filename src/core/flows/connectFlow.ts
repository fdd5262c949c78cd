import type { DataTransferClient } from '../client/dataTransferClient.ts';
import type { Connection } from '../model/connection.ts';
import type { Database } from '../model/database.ts';
import type { Reason, ReasonKind } from '../model/reason.ts';
import type { ConnectionState, ConnectionStore } from '../store/connectionStore.ts';
import { wait, type Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import { asked, refusalOf } from './asked.ts';
import { connectOptions } from './connectOptions.ts';
import { isKeyRejection, type KeyWatch } from './keyWatch.ts';
import { ServiceWatch } from './serviceWatch.ts';
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
  /** Stores which connection is active, before it is shown as connected (D45). Must not reject. */
  remember(connectionId: string): Promise<void>;
}

const firstPauseMs = 2_000;
const longestPauseMs = 5 * 60_000;

/** What may be over in a while, without anybody doing anything here. */
const passing: ReadonlySet<ReasonKind> = new Set(['unreachable', 'timeout', 'dropped', 'serverError']);

/** Opens and closes connections. Only a listing of the databases proves a key (D6). */
export class ConnectFlow implements Disposable {
  private readonly parts: ConnectParts;
  private opening: AbortController | undefined;
  private readonly ending = new AbortController();
  /** The connections that are being opened beside the active one. */
  private readonly awaited = new Map<string, AbortController>();
  private readonly followingKeys: Disposable;
  private listings = 0;
  private lastListing = 0;
  private readonly watch: ServiceWatch;

  constructor(parts: ConnectParts) {
    this.parts = parts;
    this.followingKeys = parts.keys.onDidChange((id) => this.showDoubt(id));
    this.watch = new ServiceWatch({ ...parts, check: () => this.refreshDatabases() });
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
    this.awaited.get(session.connection.id)?.abort();
    this.parts.sessions.activate(session);
    this.parts.keys.watch(session);
    this.watch.watch(session);
    this.parts.store.setState({ kind: 'connected', connection: session.connection, service: session.service });
    this.parts.store.setListing({ databases, loading: false });
  }

  /** Shows that a connection is being opened, before all is there that it needs; aborted when something else is wanted. */
  prepare(connection: Connection): AbortSignal {
    this.opening?.abort();
    this.opening = new AbortController();
    this.enter({ kind: 'connecting', connection });
    return this.opening.signal;
  }

  /** Connects and shows how that goes; a later call overtakes an earlier one. A person waits for it: one 401 is enough (D28). */
  async open(connection: Connection, apiKey: string): Promise<Attempt> {
    const signal = this.prepare(connection);
    return await this.conclude(connection, await this.attempt(connection, apiKey, signal), signal);
  }

  /** As {@link open}, by itself and with a key that was accepted before: tries again while that is only doubted (D28). */
  async reopen(connection: Connection, apiKey: string): Promise<Attempt> {
    const { store } = this.parts;
    const signal = this.prepare(connection);
    const show = (doubt: Reason): void => store.setState({ kind: 'connecting', connection, doubt });
    return await this.conclude(connection, await this.attemptPatiently(connection, apiKey, signal, show), signal);
  }

  /**
   * As {@link reopen}, without making the connection the active one: so that its transfers are watched. Goes on trying,
   * ever more slowly, while the service cannot be reached; one that is shown as failed is shown as connected then.
   */
  async openBeside(connection: Connection, apiKey: string): Promise<void> {
    const { sessions, keys, store } = this.parts;
    const { id } = connection;
    this.awaited.get(id)?.abort();
    const awaited = new AbortController();
    this.awaited.set(id, awaited);
    const signal = AbortSignal.any([awaited.signal, this.ending.signal]);
    const attempt = await this.attemptUntilReached(connection, apiKey, signal);
    if (attempt.session && store.shown?.id === id) await this.parts.remember(id);
    if (this.awaited.get(id) === awaited) this.awaited.delete(id);
    if (!attempt.session) return;
    const isWanted = !signal.aborted && !sessions.get(id);
    if (!isWanted) attempt.session.client.dispose();
    else if (store.state.kind === 'failed' && store.shown?.id === id) this.use(attempt.session, attempt.databases);
    else {
      sessions.add(attempt.session);
      keys.watch(attempt.session);
    }
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
    this.enter({ kind: 'failed', connection, reason });
  }

  /** Shows that a service was ended on purpose: there is nothing to try again until somebody starts it (D29). */
  showStopped(connection: Connection): void {
    this.opening?.abort();
    this.enter({ kind: 'stopped', connection });
  }

  /** Closes the active connection, also one that is only being opened. */
  disconnect(): void {
    const { sessions, store } = this.parts;
    this.opening?.abort();
    for (const id of [sessions.active?.connection.id, store.shown?.id]) if (id !== undefined) this.close(id);
    store.setState({ kind: 'disconnected' });
  }

  /** Closes a connection that is open beside what is shown, also one that is only being opened. */
  close(connectionId: string): void {
    this.awaited.get(connectionId)?.abort();
    this.parts.sessions.close(connectionId);
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
    this.followingKeys.dispose();
    this.watch.dispose();
    this.ending.abort();
    this.opening?.abort();
  }

  private showDoubt(connectionId: string): void {
    const { store, keys } = this.parts;
    if (store.shown?.id === connectionId) store.setDoubt(keys.rejection(connectionId));
  }

  /** What is shown is what is used: whatever else was active stays open, but only for its transfers. */
  private enter(state: Exclude<ConnectionState, { readonly kind: 'disconnected' }>): void {
    this.parts.sessions.deactivate();
    this.parts.store.setState(state);
  }

  private async attemptUntilReached(connection: Connection, apiKey: string, signal: AbortSignal): Promise<Attempt> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const attempt = await this.attemptPatiently(connection, apiKey, signal, () => undefined);
      if (signal.aborted || attempt.session || !passing.has(attempt.reason.kind)) return attempt;
      await wait(this.parts.clock, pauseMs, signal);
    }
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
      if (!isKeyRejection(attempt.reason) || keys.standing(connection.id) !== 'doubted') return attempt;
      whenDoubted(attempt.reason);
      await wait(clock, keys.pauseMs(connection.id), signal);
    }
  }

  private async conclude(connection: Connection, attempt: Attempt, signal: AbortSignal): Promise<Attempt> {
    if (attempt.session && !signal.aborted) await this.parts.remember(connection.id);
    if (signal.aborted) attempt.session?.client.dispose();
    else if (attempt.session) this.use(attempt.session, attempt.databases);
    else this.enter({ kind: 'failed', connection, reason: attempt.reason });
    return attempt;
  }
}
