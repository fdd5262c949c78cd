import { once } from 'node:events';
import * as http from 'node:http';
import { createInterface, type Interface } from 'node:readline';

/** A folder requested by a lease. */
export interface LeasedFolder {
  readonly name: string;
  readonly folder: string;
  readonly organization?: string;
  readonly readOnly?: boolean;
}

/** A store requested by a lease. */
export interface LeasedStore {
  readonly name: string;
  readonly remote: string;
  readonly rescanMinutes?: number;
  readonly restore?: object;
}

/** A database as described in the first line of a lease's response. */
interface LeasedDatabase {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly url: string;
}

/** Holds a lease on a service over plain HTTP, as an independent program would. */
export class TestLease {
  /** The databases that are served for the lease. */
  readonly databases: readonly LeasedDatabase[];
  /** Names of the events that the service has sent after the first line, in order. */
  readonly events: string[] = [];
  /** Resolves when the service has closed the connection. */
  readonly ended: Promise<void>;
  private readonly request: http.ClientRequest;

  private constructor(request: http.ClientRequest, lines: Interface, databases: readonly LeasedDatabase[]) {
    this.request = request;
    this.databases = databases;
    lines.on('line', (line) => this.events.push((JSON.parse(line) as { event: string }).event));
    this.ended = new Promise((resolve) => request.once('close', resolve));
  }

  /** Opens a lease; rejects with the text of the problem if the service refuses it. */
  static async open(
    { address, sharingToken }: { readonly address: string; readonly sharingToken: string | undefined },
    databases: readonly (LeasedFolder | LeasedStore)[],
    more: object = {},
  ): Promise<TestLease> {
    const headers = { authorization: `Bearer ${sharingToken}`, 'content-type': 'application/json' };
    const request = http.request(`${address}/leases`, { method: 'POST', headers, agent: false });
    request.end(JSON.stringify({ databases, ...more }));
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const lines = createInterface({ input: response });
    for (const end of [request, response, lines]) end.on('error', () => undefined);
    const [first] = (await once(lines, 'line')) as [string];
    if (response.statusCode !== 200) throw new Error(first);
    return new TestLease(request, lines, (JSON.parse(first) as { databases: LeasedDatabase[] }).databases);
  }

  /** Closes the connection abruptly, as when a process dies. */
  disconnect(): void {
    this.request.destroy();
  }
}
