import type { ClientRequest, IncomingMessage } from 'node:http';
import { createInterface, type Interface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Emitter, type Disposable } from '../../core/util/lifetime.ts';
import { isJsonObject } from '../../core/util/json.ts';
import { findRemoteProblem } from '../../core/util/remote.ts';
import type { ServedLocation } from '../editor/settings.ts';
import { endAfter, requestLease, waitForResponse } from './serviceLink.ts';
import type { SharedServiceAccess } from './serviceRecord.ts';

/** The reason that a lease ended: the service was stopped or replaced, or the connection was lost. */
export type LeaseEnd = 'stopped' | 'replaced' | 'lost';

/** Thrown if the service refuses a lease. The message contains the reason and, if reported, the affected databases. */
class LeaseRefused extends Error {
  override readonly name = 'LeaseRefused';
}

const startTimeoutMs = 30_000;

/** An open connection through which a window uses the shared service (D29: shared service). */
export class Lease implements Disposable {
  /** Resolves when the lease ends, including through {@link dispose}. */
  readonly ended: Promise<LeaseEnd>;
  private readonly request: ClientRequest;
  private readonly changed = new Emitter<void>();
  private endReason: LeaseEnd = 'lost';

  /** Fires when the service's list of databases changes. */
  readonly onDidChangeDatabases = this.changed.event;

  private constructor(request: ClientRequest, response: IncomingMessage, lines: Interface) {
    this.request = request;
    lines.on('line', (line) => this.read(line));
    this.ended = new Promise((resolve) => response.once('close', () => resolve(this.endReason)));
  }

  /**
   * Requests a lease. Resolves once the service serves the databases. Rejects with {@link LeaseRefused} if the service
   * refuses the lease, or with another error if the service can't be reached.
   */
  static async start(access: SharedServiceAccess, databases: readonly ServedLocation[]): Promise<Lease> {
    const request = requestLease(access, databases);
    const timeout = endAfter(request, startTimeoutMs);
    try {
      const response = await waitForResponse(request);
      if (response.statusCode !== 200) throw await createLeaseRefused(response, databases);
      const lines = createInterface({ input: response });
      const lease = new Lease(request, response, lines);
      await waitForFirstLine(response, lines);
      return lease;
    } finally {
      clearTimeout(timeout);
    }
  }

  dispose(): void {
    this.changed.dispose();
    this.request.destroy();
  }

  private read(line: string): void {
    const event = parseEvent(line);
    if (event === 'stopped' || event === 'replaced') this.endReason = event;
    else if (event === 'databases') this.changed.fire();
  }
}

/** Returns the event name in a line; undefined if the line is invalid, for example truncated by a lost connection. */
function parseEvent(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value['event'] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Waits for the first line. Rejects if the response ends first. The error listeners stay registered, so that later
 * connection errors are handled.
 */
async function waitForFirstLine(response: IncomingMessage, lines: Interface): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const handleEnd = (): void => reject(new Error('The local service has just ended'));
    for (const emitter of [response, lines]) emitter.on('error', handleEnd);
    response.once('close', handleEnd);
    lines.once('line', () => resolve());
  });
}

/** Returns a database's folder or remote in parentheses; empty for an invalid remote, which may contain a password. */
function describePlace({ folder, remote = '' }: ServedLocation): string {
  if (folder !== undefined) return ` (${folder})`;
  return findRemoteProblem(remote) === undefined ? ` (${remote})` : '';
}

/** Creates an error from a problem document, including the names of the affected databases. */
async function createLeaseRefused(
  response: IncomingMessage,
  databases: readonly ServedLocation[],
): Promise<LeaseRefused> {
  const value: unknown = JSON.parse(await text(response));
  const { detail, errors } = isJsonObject(value) ? value : {};
  const lines = (Array.isArray(errors) ? errors : []).filter(isJsonObject).map(({ location, message }) => {
    const [, index] = /^body\.databases\.(\d+)/.exec(String(location)) ?? [];
    const database = databases[Number(index)];
    const reason = String(message).replace(/^databases\.\d+\./, '');
    if (database === undefined) return String(message);
    return `${database.name}${describePlace(database)}: ${reason}`;
  });
  const summary = typeof detail === 'string' ? detail : `The local service responded with ${response.statusCode}`;
  return new LeaseRefused(lines.join('; ') || summary);
}
