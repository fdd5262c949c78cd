import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { isJsonObject } from '../../core/util/json.ts';
import type { SharedServiceAccess } from './serviceRecord.ts';

/** How a shared service stands (D29). */
interface ServiceState {
  readonly pid: number;
  /** How many leases are held on it. */
  readonly leases: number;
}

const stateLimitMs = 10_000;
const stopLimitMs = 60_000;

/** Asks a service for what only those who share it ask (D29); its databases are the client's business. */
export class ServiceLink {
  private readonly access: SharedServiceAccess;

  constructor(access: SharedServiceAccess) {
    this.access = access;
  }

  /** Rejects when nothing answers there in time, or it is not the service that this token opens. */
  async state(): Promise<ServiceState> {
    const sent = this.send('GET', '/service', this.access.token);
    const { status, body } = await answerTo(sent, stateLimitMs);
    const value: unknown = JSON.parse(body);
    const { pid, leases } = isJsonObject(value) ? value : {};
    if (status !== 200 || typeof pid !== 'number' || typeof leases !== 'number') {
      throw new Error(`The local service answered ${status}`);
    }
    return { pid, leases };
  }

  /** Resolves when the service has put everything away; `isReplaced` tells its windows that another follows at once. */
  async stop(isReplaced: boolean): Promise<void> {
    const sent = this.send('DELETE', `/service?replaced=${isReplaced}`, this.sharingToken);
    const { status } = await answerTo(sent, stopLimitMs);
    if (status !== 204) throw new Error(`The local service answered ${status}`);
  }

  /** Requests a lease on these folders; the response stays open as long as the lease. */
  requestLease(databases: readonly unknown[]): ClientRequest {
    return this.send('POST', '/leases', this.sharingToken, { databases });
  }

  private get sharingToken(): string {
    return this.access.sharingToken ?? this.access.token;
  }

  private send(method: string, path: string, token: string, body?: unknown): ClientRequest {
    const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && jsonHeaders) };
    const sent = request(this.access.address + path, { method, headers, agent: false });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    return sent;
  }
}

async function answerTo(sent: ClientRequest, limitMs: number): Promise<{ status: number; body: string }> {
  const limit = setTimeout(() => sent.destroy(new Error('The local service does not answer')), limitMs);
  try {
    const response = await responseTo(sent);
    return { status: response.statusCode ?? 0, body: await text(response) };
  } finally {
    clearTimeout(limit);
  }
}

const jsonHeaders = { 'content-type': 'application/json' };

/** Resolves to the response; rejects when there is none. Errors of the request after that are not thrown. */
export async function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
  });
}
