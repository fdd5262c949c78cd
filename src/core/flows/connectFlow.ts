import type { DataTransferClient } from '../client/dataTransferClient.ts';
import type { Connection } from '../model/connection.ts';
import type { Database } from '../model/database.ts';
import type { Reason } from '../model/reason.ts';
import type { ConnectionStore } from '../store/connectionStore.ts';
import { asked, refusalOf } from './asked.ts';
import type { Session, Sessions } from './sessions.ts';

/** What came of trying a connection: a session with its databases, or the reason why there is none. */
export type Attempt =
  | { readonly session: Session; readonly databases: readonly Database[] }
  | { readonly session?: never; readonly reason: Reason };

/** What a {@link ConnectFlow} needs. */
export interface ConnectParts {
  readonly sessions: Sessions;
  readonly store: ConnectionStore;
  newClient(): DataTransferClient;
}

/** Opens and closes connections. Only a listing of the databases proves a key (D6). */
export class ConnectFlow {
  private readonly parts: ConnectParts;
  private opening: AbortController | undefined;

  constructor(parts: ConnectParts) {
    this.parts = parts;
  }

  /** Tries a connection without changing anything that is open or shown. */
  async attempt(connection: Connection, apiKey: string, signal?: AbortSignal): Promise<Attempt> {
    const client = this.parts.newClient();
    const { server, port, scheme, allowInsecureHttp } = connection;
    try {
      const service = await client.connect(
        {
          server,
          apiKey,
          ...(port !== undefined && { port }),
          ...(scheme && { scheme }),
          ...(allowInsecureHttp && { allowInsecureHttp }),
        },
        signal,
      );
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
    this.parts.store.setState({ kind: 'connected', connection: session.connection, service: session.service });
    this.parts.store.setListing({ databases, loading: false });
  }

  /** Connects and shows how that goes; a later call overtakes an earlier one. */
  async open(connection: Connection, apiKey: string): Promise<Attempt> {
    this.opening?.abort();
    const opening = new AbortController();
    this.opening = opening;
    this.parts.store.setState({ kind: 'connecting', connection });
    const attempt = await this.attempt(connection, apiKey, opening.signal);
    if (opening.signal.aborted) {
      attempt.session?.client.dispose();
      return attempt;
    }
    if (attempt.session) this.use(attempt.session, attempt.databases);
    else this.parts.store.setState({ kind: 'failed', connection, reason: attempt.reason });
    return attempt;
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

  /** Lists the databases again; those of the last listing stay when it fails. */
  async refreshDatabases(): Promise<void> {
    const { sessions, store } = this.parts;
    const session = sessions.active;
    if (!session) return;
    store.setListing({ ...store.listing, loading: true });
    const reply = await asked(() => session.client.databases());
    if (sessions.active !== session) return;
    const databases = reply.value && !reply.reason ? reply.value : store.listing.databases;
    store.setListing({ databases, loading: false, ...(reply.reason && { reason: reply.reason }) });
  }
}
