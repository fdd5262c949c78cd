import type { DataTransferClient } from '../client/dataTransferClient.ts';
import type { Connection } from '../model/connection.ts';
import type { Database } from '../model/databaseModel.ts';
import type { Reason, ReasonKind } from '../model/reason.ts';
import type { ConnectionState, ConnectionStore } from './connectionStore.ts';
import { getBackoffMs, wait, type Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import {
  catchRefusal,
  isKeyRejection,
  ServiceWatch,
  toRefusal,
  type KeyWatch,
  type OpenConnection,
  type OpenConnections,
} from './openConnections.ts';

/** The result of a connection attempt: an open connection with its databases, or the reason for the failure. */
export type ConnectAttempt =
  | { readonly session: OpenConnection; readonly databases: readonly Database[]; readonly reason?: never }
  | { readonly session?: never; readonly reason: Reason };

interface ConnectFlowDependencies {
  readonly sessions: OpenConnections;
  readonly store: ConnectionStore;
  readonly keys: KeyWatch;
  readonly clock: Clock;
  createClient(): Promise<DataTransferClient>;
  /** Saves the ID of the active connection before it is shown (D45: store before showing). Must not reject. */
  readonly remember?: ((connectionId: string) => Promise<void>) | undefined;
}

const firstPauseMs = 2_000;
const maxPauseMs = 5 * 60_000;

/** Kinds of failures that can be temporary and may resolve without user action. */
const transientKinds: ReadonlySet<ReasonKind> = new Set(['unreachable', 'timeout', 'dropped', 'serverError']);

/** Opens and closes connections. A key is accepted only if the databases can be listed (D6: prove the key). */
export class ConnectFlow implements Disposable {
  private readonly dependencies: ConnectFlowDependencies;
  private opening: AbortController | undefined;
  private readonly ending = new AbortController();
  /** The abort controllers of background connection attempts, by connection ID. */
  private readonly backgroundAttempts = new Map<string, AbortController>();
  private readonly keySubscription: Disposable;
  private listings = 0;
  private lastListing = 0;
  private readonly watch: ServiceWatch;

  constructor(dependencies: ConnectFlowDependencies) {
    this.dependencies = dependencies;
    const { sessions, store, keys, clock } = dependencies;
    this.keySubscription = keys.onDidChange((id) => this.showDoubt(id));
    this.watch = new ServiceWatch({ sessions, store, clock, check: () => this.refreshDatabases() });
  }

  /** Tries to connect without changing which connections are open or shown. */
  async attempt(connection: Connection, apiKey: string, signal?: AbortSignal): Promise<ConnectAttempt> {
    const client = await this.dependencies.createClient();
    try {
      const service = await client.connect({ ...connection, apiKey }, signal);
      const reply = await client.databases(signal);
      if (!reply.reason) return { session: { connection, service, client }, databases: reply.value };
      client.dispose();
      return { reason: reply.reason };
    } catch (error) {
      client.dispose();
      return { reason: toRefusal(error) };
    }
  }

  /** Tries a key without opening the connection. Resolves to the reason for the failure, if any. */
  async checkKey(connection: Connection, apiKey: string, signal?: AbortSignal): Promise<Reason | undefined> {
    const attempt = await this.attempt(connection, apiKey, signal);
    this.discard(attempt);
    return attempt.reason;
  }

  discard(attempt: ConnectAttempt): void {
    attempt.session?.client.dispose();
  }

  /** Lists the databases of a connection; none if it is not open or the request fails. */
  async listDatabases(connectionId: string): Promise<readonly Database[]> {
    const session = this.dependencies.sessions.get(connectionId);
    const reply = session && (await catchRefusal(session.client.databases()));
    return reply?.value ?? [];
  }

  /** Activates a connection that an attempt has opened, and shows its databases. */
  use(session: OpenConnection, databases: readonly Database[]): void {
    this.opening?.abort();
    this.backgroundAttempts.get(session.connection.id)?.abort();
    this.dependencies.sessions.activate(session);
    this.dependencies.keys.watch(session);
    this.watch.watch(session);
    this.dependencies.store.setState({ kind: 'connected', connection: session.connection, service: session.service });
    this.dependencies.store.setListing({ databases, isLoading: false });
  }

  /** Shows a connection as connecting. Its signal is aborted when another call replaces this state, or on disposal. */
  prepare(connection: Connection): AbortSignal {
    this.opening?.abort();
    this.opening = new AbortController();
    this.setState({ kind: 'connecting', connection });
    return this.opening.signal;
  }

  /** Connects while the user is waiting, and therefore doesn't retry after a 401. Cancels an earlier attempt. */
  async open(connection: Connection, apiKey: string): Promise<ConnectAttempt> {
    const signal = this.prepare(connection);
    return await this.conclude(connection, await this.attempt(connection, apiKey, signal), signal);
  }

  /** Reconnects with a key that was accepted before. Retries while the key is in doubt (D28: retry rejected keys). */
  async reopen(connection: Connection, apiKey: string): Promise<ConnectAttempt> {
    const { store } = this.dependencies;
    const signal = this.prepare(connection);
    const show = (doubt: Reason): void => store.setState({ kind: 'connecting', connection, doubt });
    return await this.conclude(connection, await this.attemptWithRetries(connection, apiKey, signal, show), signal);
  }

  /**
   * Reopens a connection in the background so that its transfers are polled. Activates the connection only if it is
   * currently shown as failed. Resolves to the reason for a failure that can't be temporary, if any; `onRetry` gets
   * those of the others.
   */
  async openInBackground(
    connection: Connection,
    apiKey: string,
    onRetry: (reason: Reason) => void = () => undefined,
  ): Promise<Reason | undefined> {
    const { sessions, keys, store } = this.dependencies;
    const { id } = connection;
    this.backgroundAttempts.get(id)?.abort();
    const controller = new AbortController();
    this.backgroundAttempts.set(id, controller);
    const signal = AbortSignal.any([controller.signal, this.ending.signal]);
    const attempt = await this.attemptUntilReached(connection, apiKey, signal, onRetry);
    if (attempt.session && store.shown?.id === id) await this.dependencies.remember?.(id);
    if (this.backgroundAttempts.get(id) === controller) this.backgroundAttempts.delete(id);
    if (!attempt.session) return attempt.reason;
    const isNeeded = !signal.aborted && !sessions.get(id);
    if (!isNeeded) attempt.session.client.dispose();
    else if (store.state.kind === 'failed' && store.shown?.id === id) this.use(attempt.session, attempt.databases);
    else {
      sessions.add(attempt.session);
      keys.watch(attempt.session);
    }
    return undefined;
  }

  /** Tests the key of an open connection at the user's request. Resolves to the reason for the failure, if any. */
  async tryKey(connectionId: string): Promise<Reason | undefined> {
    const session = this.dependencies.sessions.get(connectionId);
    if (!session) return { kind: 'notConnected' };
    return (await catchRefusal(session.client.databases())).reason;
  }

  /** Shows a connection as failed without trying to connect, for example because its service did not start. */
  showFailure(connection: Connection, reason: Reason): void {
    this.opening?.abort();
    this.setState({ kind: 'failed', connection, reason });
  }

  /** Shows a connection whose service the user stopped, and cancels connecting to it (D29: shared service). */
  showStopped(connection: Connection): void {
    this.opening?.abort();
    this.setState({ kind: 'stopped', connection });
  }

  /** Closes the active connection and the shown connection, which may still be connecting. */
  disconnect(): void {
    const { sessions, store } = this.dependencies;
    this.opening?.abort();
    for (const id of [sessions.active?.connection.id, store.shown?.id]) if (id !== undefined) this.close(id);
    store.setState({ kind: 'disconnected' });
  }

  /** Closes a connection, even if it is still connecting. Does not change which connection is shown. */
  close(connectionId: string): void {
    this.backgroundAttempts.get(connectionId)?.abort();
    this.dependencies.sessions.close(connectionId);
  }

  /**
   * Lists the databases of the active connection again. If the request fails, keeps the current databases, adds the
   * reason and resolves to it. Ignores a reply that is outdated when it arrives.
   */
  async refreshDatabases(): Promise<Reason | undefined> {
    const { sessions, store } = this.dependencies;
    const session = sessions.active;
    if (!session) return undefined;
    const listing = ++this.listings;
    store.setListing({ ...store.listing, isLoading: true });
    const reply = await catchRefusal(session.client.databases());
    if (sessions.active !== session || listing < this.lastListing) return reply.reason;
    this.lastListing = listing;
    const databases = reply.value && !reply.reason ? reply.value : store.listing.databases;
    store.setListing({ databases, isLoading: false, ...(reply.reason && { reason: reply.reason }) });
    return reply.reason;
  }

  dispose(): void {
    this.keySubscription.dispose();
    this.watch.dispose();
    this.ending.abort();
    this.opening?.abort();
  }

  private showDoubt(connectionId: string): void {
    const { store, keys } = this.dependencies;
    if (store.shown?.id === connectionId) store.setDoubt(keys.getRejection(connectionId));
  }

  /** Shows a state and deactivates the active connection, which stays open for its transfers. */
  private setState(state: Exclude<ConnectionState, { readonly kind: 'disconnected' }>): void {
    this.dependencies.sessions.deactivate();
    this.dependencies.store.setState(state);
  }

  private async attemptUntilReached(
    connection: Connection,
    apiKey: string,
    signal: AbortSignal,
    onRetry: (reason: Reason) => void,
  ): Promise<ConnectAttempt> {
    for (let failures = 1; ; failures += 1) {
      const attempt = await this.attemptWithRetries(connection, apiKey, signal, () => undefined);
      if (signal.aborted || attempt.session || !transientKinds.has(attempt.reason.kind)) return attempt;
      onRetry(attempt.reason);
      await wait(this.dependencies.clock, getBackoffMs(failures, firstPauseMs, maxPauseMs), signal);
    }
  }

  private async attemptWithRetries(
    connection: Connection,
    apiKey: string,
    signal: AbortSignal,
    onDoubt: (reason: Reason) => void,
  ): Promise<ConnectAttempt> {
    const { keys, clock } = this.dependencies;
    for (;;) {
      const attempt = await this.attempt(connection, apiKey, signal);
      if (signal.aborted || attempt.session) return attempt;
      keys.recordReply(connection.id, attempt.reason);
      if (!isKeyRejection(attempt.reason) || keys.getStatus(connection.id) !== 'doubted') return attempt;
      onDoubt(attempt.reason);
      await wait(clock, keys.getPauseMs(connection.id), signal);
    }
  }

  private async conclude(
    connection: Connection,
    attempt: ConnectAttempt,
    signal: AbortSignal,
  ): Promise<ConnectAttempt> {
    if (attempt.session && !signal.aborted) await this.dependencies.remember?.(connection.id);
    if (signal.aborted) {
      this.discard(attempt);
      return attempt.session ? { reason: { kind: 'cancelled' } } : attempt;
    }
    if (attempt.session) this.use(attempt.session, attempt.databases);
    else this.setState({ kind: 'failed', connection, reason: attempt.reason });
    return attempt;
  }
}
