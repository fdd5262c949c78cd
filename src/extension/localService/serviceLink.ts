import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { createServiceEnvironment, hasPipes, type PipedChild, isOwnProcess } from '../../core/util/ownProcess.ts';
import { wait, type Clock } from '../../core/util/clock.ts';
import { createFolder } from '../../core/util/createFolder.ts';
import { FileLock } from '../../core/util/fileLock.ts';
import { isJsonObject } from '../../core/util/json.ts';
import { Emitter, type Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import { findRemoteProblem } from '../../core/util/remote.ts';
import type { ServedLocation } from '../editor/settings.ts';
import { compareVersions, readServiceRecord, type ServiceRecord, type SharedServiceAccess } from './serviceRecord.ts';

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

/** Stops a service for all windows, and waits for its end. `isReplaced`: a new one takes its place. */
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

/** The terms of a window's lease. */
export interface LeaseTerms {
  readonly databases: readonly ServedLocation[];
  /** The cluster for large transfers; null for none. The service validates it. */
  readonly cluster: unknown;
}

/** Requests a lease. The response stays open until the lease ends. */
function requestLease(access: SharedServiceAccess, terms: LeaseTerms): ClientRequest {
  return send(access, 'POST', '/leases', getSharingToken(access), terms);
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

function endAfter(sent: ClientRequest, timeoutMs: number): NodeJS.Timeout {
  return setTimeout(() => sent.destroy(new Error("The local service doesn't respond")), timeoutMs);
}

/** Resolves to the response to a request. Rejects if none arrives. Ignores later errors on the request. */
async function waitForResponse(sent: ClientRequest): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
  });
}

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
  static async start(access: SharedServiceAccess, terms: LeaseTerms): Promise<Lease> {
    const request = requestLease(access, terms);
    const timeout = endAfter(request, startTimeoutMs);
    try {
      const response = await waitForResponse(request);
      if (response.statusCode !== 200) throw await createLeaseRefused(response, terms);
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

/** Waits for the first line. Rejects if the response ends first. Later connection errors stay handled. */
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

/** Creates an error from a problem document, with its databases' names or its fields of the cluster. */
async function createLeaseRefused(response: IncomingMessage, { databases }: LeaseTerms): Promise<LeaseRefused> {
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

/** Options for {@link findOrStartService}. Paths are absolute. */
export interface ServiceOptions {
  /** Path to the service's bundle. */
  readonly program: string;
  /** Data folder of the service on this machine. */
  readonly dataFolder: string;
  /** Version of the service at {@link program}. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the settings for a service that is about to start. */
  getConfig(): Omit<LaunchOptions, 'program' | 'dataFolder'>;
}

const retryDelayMs = 100;
const maxWaitMs = 45_000;

/**
 * Finds the service that is running on this machine. Resolves to undefined if there is none, if its process isn't the
 * user's, or if it doesn't respond or doesn't accept the recorded token.
 */
export async function findService(dataFolder: string): Promise<ServiceRecord | undefined> {
  const record = await readServiceRecord(dataFolder);
  if (!record || !isOwnProcess(record)) return undefined;
  try {
    return (await getServiceState(record)).pid === record.pid ? record : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Finds the service that all windows on this machine share (D29: shared service). Starts a new one if there is none,
 * and replaces an older version. A lock ensures that only one window starts the service. Rejects if the service can't
 * be started.
 */
export async function findOrStartService(options: ServiceOptions): Promise<ServiceRecord> {
  const { clock, dataFolder } = options;
  await createFolder(dataFolder, 0o700);
  const deadline = clock.now() + maxWaitMs;
  for (;;) {
    const found = await findService(dataFolder);
    if (found && !isOlder(found, options.version)) return found;
    const lock = await FileLock.acquire(join(dataFolder, 'start.lock'), clock);
    if (lock) return await startWithLock(options, lock);
    if (clock.now() >= deadline) throw new Error('Another window has been starting the local service for too long');
    await wait(clock, retryDelayMs);
  }
}

/** Returns true if a service is older than `ownVersion`. Only version 0.1 has no sharing token (D41: two secrets). */
function isOlder({ version, sharingToken }: ServiceRecord, ownVersion: string): boolean {
  return sharingToken === undefined || compareVersions(version, ownVersion) < 0;
}

async function startWithLock(
  { log, program, dataFolder, version, getConfig }: ServiceOptions,
  lock: FileLock,
): Promise<ServiceRecord> {
  try {
    const found = await findService(dataFolder);
    if (found && !isOlder(found, version)) return found;
    if (found) {
      log.info(`Replacing the local service ${found.version} with a newer one`);
      await stopService(found, true);
    }
    await launchService({ program, dataFolder, ...getConfig() });
    const started = await readServiceRecord(dataFolder);
    if (!started) throw new Error("The local service didn't report its address");
    log.info(`The local service is listening on ${started.address}; its log is in ${dataFolder}`);
    return started;
  } finally {
    await lock.release();
  }
}

/** Options for {@link launchService}. Paths are absolute. */
export interface LaunchOptions {
  /** Path to the service's bundle. */
  readonly program: string;
  readonly dataFolder: string;
  /** Number of days for which ended transfers are retained. */
  readonly retentionDays: number;
  /** Path to rclone. If undefined, the service searches for it (D62: stores through rclone). */
  readonly rclone: string | undefined;
  /** Bytes per second that all transfers together may read from and write to stores; undefined for no limit. */
  readonly storeBytesPerSecond?: number | undefined;
}

const startLimitMs = 30_000;

/**
 * Starts a service that outlives this process. Resolves once the service is listening and has written its record to the
 * data folder. Rejects if the service can't be run, doesn't start in time, or exits (the error then contains its last
 * message).
 */
export async function launchService({ program, dataFolder, ...config }: LaunchOptions): Promise<void> {
  const child = spawn(process.execPath, [program, '--config', '-'], {
    cwd: dataFolder,
    env: createServiceEnvironment({ ELECTRON_RUN_AS_NODE: '1' }),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  if (!hasPipes(child)) throw await waitForError(child);
  // The process may have exited already. The events below report its exit.
  child.stdin.on('error', () => undefined);
  child.stdin.end(`${JSON.stringify({ dataFolder, databases: [], ...config, shared: true })}\n`);
  try {
    await waitUntilListening(child);
  } catch (error) {
    child.kill();
    throw error;
  } finally {
    for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
    child.unref();
  }
}

async function waitForError(child: ChildProcess): Promise<Error> {
  const [error] = (await once(child, 'error')) as [Error];
  return error;
}

async function waitUntilListening(child: PipedChild): Promise<void> {
  let lastMessage = '';
  createInterface({ input: child.stderr }).on('line', (line) => (lastMessage = line));
  const ended = new AbortController();
  child.once('error', (error) => ended.abort(error));
  child.once('close', () => ended.abort(new Error(lastMessage || `it exited with code ${child.exitCode}`)));
  const signal = AbortSignal.any([AbortSignal.timeout(startLimitMs), ended.signal]);
  try {
    await once(createInterface({ input: child.stdout }), 'line', { signal });
  } catch (error) {
    if (ended.signal.aborted) throw ended.signal.reason;
    throw new Error(`it didn't start within ${startLimitMs / 1000} seconds`, { cause: error });
  }
}
