import type { Connection, ServiceInfo } from '../model/connection.ts';
import type { Database } from '../model/database.ts';
import type { Reason } from '../model/reason.ts';
import { Emitter } from '../util/emitter.ts';

/**
 * How the active connection stands; `doubt` is the last rejection of a key that was accepted before (D28). One that is
 * `stopped` is a local service that somebody ended on purpose (D29). The `problem` of a connected one says why it does
 * not respond at the moment.
 */
export type ConnectionState =
  | { readonly kind: 'disconnected' }
  | { readonly kind: 'connecting'; readonly connection: Connection; readonly doubt?: Reason }
  | { readonly kind: 'stopped'; readonly connection: Connection }
  | { readonly kind: 'failed'; readonly connection: Connection; readonly reason: Reason }
  | {
      readonly kind: 'connected';
      readonly connection: Connection;
      readonly service: ServiceInfo;
      readonly doubt?: Reason;
      readonly problem?: Reason;
    };

/** The databases of the connected service, in the order it listed them; `reason` says why the last listing failed. */
export interface DatabaseListing {
  readonly databases: readonly Database[];
  readonly loading: boolean;
  readonly reason?: Reason;
}

const noDatabases: DatabaseListing = { databases: [], loading: false };

/** The active connection and what it offers. */
export class ConnectionStore {
  private current: ConnectionState = { kind: 'disconnected' };
  private listed: DatabaseListing = noDatabases;
  private readonly changed = new Emitter<void>();

  /** Fires after every change of the state or the listing. */
  readonly onDidChange = this.changed.event;

  get state(): ConnectionState {
    return this.current;
  }

  get listing(): DatabaseListing {
    return this.listed;
  }

  /** The connection that is shown, however it stands. */
  get shown(): Connection | undefined {
    return this.current.kind === 'disconnected' ? undefined : this.current.connection;
  }

  /** Gives the connection that is shown another name. */
  rename(name: string): void {
    if (this.current.kind === 'disconnected') return;
    this.current = { ...this.current, connection: { ...this.current.connection, name } };
    this.changed.fire();
  }

  /** Enters a state; any but `connected` has no databases. */
  setState(state: ConnectionState): void {
    this.current = state;
    this.listed = noDatabases;
    this.changed.fire();
  }

  /** Sets or removes the doubt about the key of the connected service; its listing stays. */
  setDoubt(doubt: Reason | undefined): void {
    this.change({ doubt });
  }

  /** Records why the connected service does not respond, or that it responds again. */
  setProblem(problem: Reason | undefined): void {
    if (this.current.kind !== 'connected' || this.current.problem?.kind === problem?.kind) return;
    this.change({ problem });
  }

  private change(change: { readonly doubt?: Reason | undefined; readonly problem?: Reason | undefined }): void {
    if (this.current.kind !== 'connected') return;
    const { kind, connection, service, doubt, problem } = { ...this.current, ...change };
    this.current = { kind, connection, service, ...(doubt && { doubt }), ...(problem && { problem }) };
    this.changed.fire();
  }

  setListing(listing: DatabaseListing): void {
    this.listed = listing;
    this.changed.fire();
  }

  /** The listed database of this name. */
  database(name: string): Database | undefined {
    return this.listed.databases.find((database) => database.name === name);
  }
}
