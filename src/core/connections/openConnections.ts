import type { DataTransferClient } from '../client/dataTransferClient.ts';
import { ConnectionError, isArgumentError, RuntimeError } from '../client/reply.ts';
import type { CodeRequest } from '../code/codeRequest.ts';
import type { Connection, ServiceInfo } from '../model/connection.ts';
import type { Reason } from '../model/reason.ts';
import type { Transfer } from '../model/transferModel.ts';
import { Emitter, type Disposable } from '../util/lifetime.ts';

/** An open connection whose key was accepted (D6: prove the key). */
export interface OpenConnection {
  readonly connection: Connection;
  readonly service: ServiceInfo;
  readonly client: DataTransferClient;
}

/** Stores the open connections. At most one is active; the others stay open so that their transfers are polled. */
export class OpenConnections implements Disposable {
  private readonly open = new Map<string, OpenConnection>();
  private activeId: string | undefined;
  private readonly changed = new Emitter<void>();

  readonly onDidChange = this.changed.event;

  get active(): OpenConnection | undefined {
    return this.activeId === undefined ? undefined : this.open.get(this.activeId);
  }

  /** Returns all open connections in the order in which they were opened. */
  getAll(): readonly OpenConnection[] {
    return [...this.open.values()];
  }

  get(connectionId: string): OpenConnection | undefined {
    return this.open.get(connectionId);
  }

  /** Returns the fields that describe a connection in a new record; an empty object if the connection isn't open. */
  describe(connectionId: string): Pick<Transfer, 'service'> {
    const service = this.get(connectionId)?.connection.name;
    return service === undefined ? {} : { service };
  }

  /** Adds a connection and makes it active. Disposes of the client of the connection that it replaces, if any. */
  activate(session: OpenConnection): void {
    this.activeId = session.connection.id;
    this.add(session);
  }

  /** Deactivates the active connection, which stays open so that its transfers are polled. */
  deactivate(): void {
    if (this.activeId === undefined) return;
    this.activeId = undefined;
    this.changed.fire();
  }

  /** Adds an open connection without activating it, so that its transfers are polled. */
  add(session: OpenConnection): void {
    const older = this.open.get(session.connection.id);
    if (older && older.client !== session.client) older.client.dispose();
    this.open.set(session.connection.id, session);
    this.changed.fire();
  }

  close(connectionId: string): void {
    this.open.get(connectionId)?.client.dispose();
    this.open.delete(connectionId);
    if (this.activeId === connectionId) this.activeId = undefined;
    this.changed.fire();
  }

  dispose(): void {
    for (const session of this.open.values()) session.client.dispose();
    this.open.clear();
    this.activeId = undefined;
  }
}

/** Replaces the database names in requests with the names or IDs that the service expects (D7: database name or id). */
export async function resolveDatabaseNames(
  { client }: OpenConnection,
  requests: readonly CodeRequest[],
): Promise<readonly CodeRequest[]> {
  return await Promise.all(requests.map((request) => resolveNames(request, (name) => client.resolveDatabase(name))));
}

async function resolveNames(request: CodeRequest, resolve: (name: string) => Promise<string>): Promise<CodeRequest> {
  if (request.kind === 'status') return request;
  if (request.kind !== 'transfer') return { ...request, database: await resolve(request.database) };
  const [source, destination] = [await resolve(request.source), await resolve(request.destination)];
  return { ...request, source, destination };
}

/**
 * Returns the reason for an error from the client: invalid arguments, no connection, or a failure to connect (§4.8).
 * Rethrows any other error, which is a bug.
 */
export function toRefusal(error: unknown): Reason {
  if (error instanceof ConnectionError) return error.reason;
  if (error instanceof RuntimeError) return { kind: 'notConnected', detail: error.message };
  if (isArgumentError(error)) return { kind: 'badArgument', detail: error.message };
  throw error;
}

/**
 * Awaits a client's operation. If the operation fails with an error that {@link toRefusal} converts, resolves to the
 * reason.
 */
export async function catchRefusal<R extends { readonly reason?: Reason }>(
  operation: Promise<R>,
): Promise<R | { readonly value?: never; readonly reason: Reason }> {
  try {
    return await operation;
  } catch (error) {
    return { reason: toRefusal(error) };
  }
}
