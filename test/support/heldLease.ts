import { once } from 'node:events';
import * as http from 'node:http';
import { createInterface, type Interface } from 'node:readline';

/** A folder that a lease asks for. */
export interface LeasedFolder {
  readonly name: string;
  readonly folder: string;
  readonly organization?: string;
  readonly readOnly?: boolean;
}

/** A database as the first line of a lease tells it. */
interface LeasedDatabase {
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly url: string;
}

/** A lease on a service, held over plain HTTP as another program would. */
export class HeldLease {
  /** What is served for it. */
  readonly databases: readonly LeasedDatabase[];
  /** The later lines, as they came. */
  readonly events: string[] = [];
  /** Resolves when the service has ended the connection. */
  readonly ended: Promise<void>;
  private readonly request: http.ClientRequest;

  private constructor(request: http.ClientRequest, lines: Interface, databases: readonly LeasedDatabase[]) {
    this.request = request;
    this.databases = databases;
    lines.on('line', (line) => this.events.push((JSON.parse(line) as { event: string }).event));
    this.ended = new Promise((resolve) => request.once('close', resolve));
  }

  /** Resolves when the lease has begun; rejects with the problem's text when it was refused. */
  static async begin(
    { address, sharingToken }: { readonly address: string; readonly sharingToken: string | undefined },
    databases: readonly LeasedFolder[],
  ): Promise<HeldLease> {
    const headers = { authorization: `Bearer ${sharingToken}`, 'content-type': 'application/json' };
    const request = http.request(`${address}/leases`, { method: 'POST', headers, agent: false });
    request.end(JSON.stringify({ databases }));
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const lines = createInterface({ input: response });
    for (const end of [request, response, lines]) end.on('error', () => undefined);
    const [first] = (await once(lines, 'line')) as [string];
    if (response.statusCode !== 200) throw new Error(first);
    return new HeldLease(request, lines, (JSON.parse(first) as { databases: LeasedDatabase[] }).databases);
  }

  /** Lets go without a word, as a process that dies does. */
  die(): void {
    this.request.destroy();
  }
}
