import type { Connection, ServiceInfo } from '../model/connection.ts';
import type { Database } from '../model/databaseModel.ts';
import type { Reason } from '../model/reason.ts';
import { Emitter } from '../util/lifetime.ts';

/**
 * The state of the active connection. `doubt` is the last rejection of a previously accepted key (D28: retry rejected
 * keys). `stopped` means that a user stopped the local service (D29: shared service). `problem` is the reason why a
 * connected service is currently not responding, and `problemAt` the time in milliseconds since when it isn't.
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
      readonly problemAt?: number;
    };

/** The connected service's databases in the service's order, and the `reason` if the last listing failed. */
interface DatabaseListing {
  readonly databases: readonly Database[];
  readonly isLoading: boolean;
  readonly reason?: Reason;
}

const noDatabases: DatabaseListing = { databases: [], isLoading: false };

/** Stores the active connection and its databases. */
export class ConnectionStore {
  private current: ConnectionState = { kind: 'disconnected' };
  private listed: DatabaseListing = noDatabases;
  private readonly changed = new Emitter<void>();

  readonly onDidChange = this.changed.event;

  get state(): ConnectionState {
    return this.current;
  }

  get listing(): DatabaseListing {
    return this.listed;
  }

  /** The active connection: open, being opened, failed or stopped. */
  get shown(): Connection | undefined {
    return this.current.kind === 'disconnected' ? undefined : this.current.connection;
  }

  rename(name: string): void {
    if (this.current.kind === 'disconnected') return;
    this.current = { ...this.current, connection: { ...this.current.connection, name } };
    this.changed.fire();
  }

  /** Sets the state and clears the listing. */
  setState(state: ConnectionState): void {
    this.current = state;
    this.listed = noDatabases;
    this.changed.fire();
  }

  /** Sets or clears the doubt about the connected service's key. Keeps the listing. */
  setDoubt(doubt: Reason | undefined): void {
    this.update({ doubt });
  }

  /**
   * Sets or clears the reason why the connected service is not responding, and keeps the time of the first reason. Fires
   * no event for an equal reason.
   */
  setProblem(problem: Reason | undefined, at: number): void {
    if (this.current.kind !== 'connected') return;
    if (JSON.stringify(this.current.problem) === JSON.stringify(problem)) return;
    this.update({ problem, problemAt: problem && (this.current.problemAt ?? at) });
  }

  private update(change: {
    readonly doubt?: Reason | undefined;
    readonly problem?: Reason | undefined;
    readonly problemAt?: number | undefined;
  }): void {
    if (this.current.kind !== 'connected') return;
    const { kind, connection, service, doubt, problem, problemAt } = { ...this.current, ...change };
    const since = problemAt === undefined ? {} : { problemAt };
    this.current = { kind, connection, service, ...(doubt && { doubt }), ...(problem && { problem }), ...since };
    this.changed.fire();
  }

  setListing(listing: DatabaseListing): void {
    this.listed = listing;
    this.changed.fire();
  }

  findDatabase(name: string): Database | undefined {
    return this.listed.databases.find((database) => database.name === name);
  }
}
