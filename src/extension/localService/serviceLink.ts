import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { isJsonObject } from '../../core/util/json.ts';
import type { SharedServiceAccess } from './serviceRecord.ts';

/** The state of a shared service (D29: shared service). */
interface ServiceState {
  readonly pid: number;
  /** Number of open leases. */
  readonly leases: number;
}

const stateTimeoutMs = 10_000;
const stopTimeoutMs = 60_000;

/** Requests the service's state. Rejects if the service doesn't respond in time or doesn't accept the token. */
export async function getServiceState(access: SharedServiceAccess): Promise<ServiceState> {
  const { status, body } = await readResponse(send(access, 'GET', '/service', access.token), stateTimeoutMs);
  const value: unknown = JSON.parse(body);
  const { pid, leases } = isJsonObject(value) ? value : {};
  if (status !== 200 || typeof pid !== 'number' || typeof leases !== 'number') {
    throw new Error(`The local service responded with ${status}`);
  }
  return { pid, leases };
}

/**
 * Stops a service for all windows. Resolves once the service has released its resources. `isReplaced` is true if a new
 * service will take its place.
 */
export async function stopService(access: SharedServiceAccess, isReplaced: boolean): Promise<void> {
  const sent = send(access, 'DELETE', `/service?replaced=${isReplaced}`, getSharingToken(access));
  const { status } = await readResponse(sent, stopTimeoutMs);
  if (status !== 204) throw new Error(`The local service responded with ${status}`);
}

/** Starts a scan of a store, given the ID of its database. Resolves when the scan is queued. */
export async function scanDatabase(access: SharedServiceAccess, id: string): Promise<void> {
  const sent = send(access, 'POST', `/databases/${encodeURIComponent(id)}/scans`, access.token);
  const { status } = await readResponse(sent, stateTimeoutMs);
  if (status !== 202) throw new Error(`The local service responded with ${status}`);
}

/** Requests a lease for the given databases. The response stays open until the lease ends. */
export function requestLease(access: SharedServiceAccess, databases: readonly unknown[]): ClientRequest {
  return send(access, 'POST', '/leases', getSharingToken(access), { databases });
}

function getSharingToken({ sharingToken, token }: SharedServiceAccess): string {
  return sharingToken ?? token;
}

function send(
  { address }: SharedServiceAccess,
  method: string,
  path: string,
  token: string,
  body?: unknown,
): ClientRequest {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const sent = request(address + path, { method, headers, agent: false });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return sent;
}

async function readResponse(sent: ClientRequest, timeoutMs: number): Promise<{ status: number; body: string }> {
  const timeout = endAfter(sent, timeoutMs);
  try {
    const response = await waitForResponse(sent);
    return { status: response.statusCode ?? 0, body: await text(response) };
  } finally {
    clearTimeout(timeout);
  }
}

/** Starts a timer that ends a request without a response. */
export function endAfter(sent: ClientRequest, timeoutMs: number): NodeJS.Timeout {
  return setTimeout(() => sent.destroy(new Error("The local service doesn't respond")), timeoutMs);
}

/** Resolves to the response to a request. Rejects if none arrives. Ignores later errors on the request. */
export async function waitForResponse(sent: ClientRequest): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
  });
}
