import type { DataTransferClient } from '../client/dataTransferClient.ts';
import { ConnectionError, isArgumentError, RuntimeError } from '../client/reply.ts';
import type { CodeRequest } from '../code/codeRequest.ts';
import type { Connection, ServiceInfo } from '../model/connection.ts';
import type { Reason, ReasonKind } from '../model/reason.ts';
import type { Transfer } from '../model/transferModel.ts';
import { getBackoffMs, wait, type Clock } from '../util/clock.ts';
import { createConnectionId } from '../util/connectionId.ts';
import { Emitter, type Disposable } from '../util/lifetime.ts';
import type { ConnectionStore } from './connectionStore.ts';

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
  describe(connectionId: string): Pick<Transfer, 'service' | 'addressId'> {
    const open = this.get(connectionId);
    if (open === undefined) return {};
    return { service: open.connection.name, addressId: createConnectionId(open.service.address) };
  }

  /** Returns the IDs that records of a connection's service can have: the connection's and, if known, its address's. */
  getServiceIds(connectionId: string): ReadonlySet<string> {
    return new Set([connectionId, this.describe(connectionId).addressId ?? connectionId]);
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

/** Awaits a client's operation. Resolves to the reason for an error that {@link toRefusal} converts. */
export async function catchRefusal<R extends { readonly reason?: Reason }>(
  operation: Promise<R>,
): Promise<R | { readonly value?: never; readonly reason: Reason }> {
  try {
    return await operation;
  } catch (error) {
    return { reason: toRefusal(error) };
  }
}

interface ServiceWatchDependencies {
  readonly sessions: OpenConnections;
  readonly store: ConnectionStore;
  readonly clock: Clock;
  /** Sends a request that every service supports. Resolves to the reason if it fails; `onDidReply` fires too. */
  check(): Promise<Reason | undefined>;
}

/** The checks of a service that may not be responding. */
interface CheckLoop {
  readonly session: OpenConnection;
  readonly ending: AbortController;
  /** Ends the pause before the next check early. */
  wake: AbortController;
  /** Number of requests that have succeeded since the loop started. */
  successCount: number;
}

type Finding = 'up' | 'down' | 'ambiguous' | 'inconclusive';

const firstServicePauseMs = 5_000;
const maxServicePauseMs = 5 * 60_000;

/** Failures that do not indicate whether the service is available. */
const inconclusiveKinds: ReadonlySet<ReasonKind> = new Set(['cancelled', 'badArgument', 'notConnected', 'tooLarge']);

/** Failures that indicate that the service is unavailable for all requests. */
const downKinds: ReadonlySet<ReasonKind> = new Set([
  'unreachable',
  'certificate',
  'proxy',
  'redirect',
  'noService',
  'unreadable',
]);

/** Failures that may affect only a single request, such as one that queries a slow database or crashes its handler. */
const ambiguousKinds: ReadonlySet<ReasonKind> = new Set(['timeout', 'dropped']);

/** Statuses of a gateway without its service, or of a service without one of its databases. */
const ambiguousStatuses: ReadonlySet<number | undefined> = new Set([502, 503, 504]);

/** Tracks the availability of the active service. Checks an unavailable one at increasing intervals. */
export class ServiceWatch implements Disposable {
  private readonly dependencies: ServiceWatchDependencies;
  private readonly subscription: Disposable;
  private loop: CheckLoop | undefined;
  private checkedAtMs = -Infinity;

  constructor(dependencies: ServiceWatchDependencies) {
    this.dependencies = dependencies;
    this.subscription = dependencies.sessions.onDidChange(() => this.endOutdatedLoop());
  }

  /** Watches the replies of a connection that was just opened. */
  watch(session: OpenConnection): void {
    this.checkedAtMs = -Infinity;
    session.client.onDidReply((reason) => this.recordReply(session, reason));
  }

  dispose(): void {
    this.subscription.dispose();
    this.loop?.ending.abort();
  }

  private endOutdatedLoop(): void {
    if (this.loop && this.loop.session !== this.dependencies.sessions.active) this.loop.ending.abort();
  }

  private recordReply(session: OpenConnection, reason: Reason | undefined): void {
    const { sessions, store, clock } = this.dependencies;
    const finding = classifyReply(reason);
    if (sessions.active !== session || finding === 'inconclusive') return;
    const loop = this.loop?.session === session ? this.loop : undefined;
    if (loop && finding === 'up') this.recordSuccess(loop);
    if (finding !== 'ambiguous') store.setProblem(finding === 'down' ? reason : undefined, clock.now());
    if (!loop && finding !== 'up') void this.settle(session, Number(finding === 'down'));
  }

  private recordSuccess(loop: CheckLoop): void {
    loop.successCount++;
    if (this.isProblemShown()) loop.wake.abort();
  }

  private getMinPauseMs(): number {
    const elapsedMs = Math.max(0, this.dependencies.clock.now() - this.checkedAtMs);
    return Math.max(0, firstServicePauseMs - elapsedMs);
  }

  /** Checks the service until it is available or its connection is no longer active. */
  private async settle(session: OpenConnection, failuresBefore: number): Promise<void> {
    const loop = { session, ending: new AbortController(), wake: new AbortController(), successCount: 0 };
    this.loop?.ending.abort();
    this.loop = loop;
    try {
      for (let failures = failuresBefore; ; failures += 1) {
        await this.pause(loop, getBackoffMs(failures, firstServicePauseMs, maxServicePauseMs));
        if (!(await this.isDown(loop))) return;
      }
    } finally {
      this.remove(loop);
    }
  }

  private remove(loop: CheckLoop): void {
    if (this.loop === loop) this.loop = undefined;
  }

  /**
   * Waits before a check, at least until the shortest interval since the last one has passed. A success after a failure
   * ends a longer pause early, so that the databases are listed again.
   */
  private async pause(loop: CheckLoop, delayMs: number): Promise<void> {
    const { clock } = this.dependencies;
    loop.wake = new AbortController();
    const signal = AbortSignal.any([loop.ending.signal, loop.wake.signal]);
    if (delayMs > 0) await wait(clock, delayMs, signal);
    const restMs = this.getMinPauseMs();
    if (restMs > 0) await wait(clock, restMs, loop.ending.signal);
  }

  /**
   * Checks the service. Shows an ambiguous failure of the check as the service's, unless another request has succeeded
   * meanwhile. Returns false if no further check is needed.
   */
  private async isDown(loop: CheckLoop): Promise<boolean> {
    const { store, clock, check } = this.dependencies;
    const hasEnded = (): boolean => loop.ending.signal.aborted;
    if (hasEnded()) return false;
    const successCount = loop.successCount;
    const reason = await check();
    if (hasEnded()) return false;
    this.checkedAtMs = clock.now();
    const finding = classifyReply(reason);
    if (finding === 'ambiguous' && loop.successCount === successCount) store.setProblem(reason, clock.now());
    return finding === 'down' || finding === 'ambiguous' || this.isProblemShown();
  }

  private isProblemShown(): boolean {
    const { state } = this.dependencies.store;
    return state.kind === 'connected' && state.problem !== undefined;
  }
}

/** Classifies the reply to a request. An ambiguous failure may affect only that request. */
function classifyReply(reason: Reason | undefined): Finding {
  if (!reason) return 'up';
  if (inconclusiveKinds.has(reason.kind)) return 'inconclusive';
  if (downKinds.has(reason.kind)) return 'down';
  return isAmbiguous(reason) ? 'ambiguous' : 'up';
}

function isAmbiguous({ kind, status }: Reason): boolean {
  return ambiguousKinds.has(kind) || (kind === 'serverError' && ambiguousStatuses.has(status));
}

/** The status of an accepted key: `doubted` while a rejection may be a mistake (D28: retry rejected keys). */
type KeyStatus = 'good' | 'doubted' | 'refused';

interface Doubt {
  /** The start of the current series of refusals or, if `count` is 0, the last outage. In milliseconds since 1970. */
  readonly since: number;
  /** The number of consecutive refusals; 0 after an outage. */
  readonly count: number;
  /** The number of consecutive rejections, including outages. */
  readonly rejections: number;
  readonly isRefused: boolean;
  /** The last rejection; `keyWorked` is set until the key counts as refused. */
  readonly reason: Reason;
}

const refusalThreshold = 3;
const refusalThresholdMs = 5 * 60_000;
const firstKeyPauseMs = 2_000;

/** Returns true for a rejected sign-in, unless due to the ORCID iD or account (D44: classify sign-in failures). */
export function isKeyRejection({ kind, signIn }: Reason): boolean {
  return kind === 'unauthorized' && signIn !== 'orcid' && signIn !== 'account';
}

/**
 * Tracks rejections of keys that services accepted before. A key counts as refused after three consecutive 401
 * responses over at least five minutes. Until then, the key is retried and background work is suspended (D28: retry
 * rejected keys). An outage of the sign-in service never makes a key count as refused (D44: classify sign-in failures).
 */
export class KeyWatch implements Disposable {
  private readonly sessions: OpenConnections;
  private readonly clock: Clock;
  private readonly doubts = new Map<string, Doubt>();
  private readonly changed = new Emitter<string>();
  private readonly ending = new AbortController();

  /** Fires with the ID of a connection when the status of the connection's key has changed. */
  readonly onDidChange = this.changed.event;

  constructor(sessions: OpenConnections, clock: Clock) {
    this.sessions = sessions;
    this.clock = clock;
  }

  getStatus(connectionId: string): KeyStatus {
    const doubt = this.doubts.get(connectionId);
    if (!doubt) return 'good';
    return doubt.isRefused ? 'refused' : 'doubted';
  }

  /**
   * Returns true if the connection's key was accepted before and does not count as refused. In that case, the
   * connection is open or the key is doubted.
   */
  isTrusted(connectionId: string): boolean {
    if (this.getStatus(connectionId) === 'refused') return false;
    return this.doubts.has(connectionId) || this.sessions.get(connectionId) !== undefined;
  }

  /** Returns the last rejection of a doubted (`keyWorked` is set) or refused key; undefined for a good key. */
  getRejection(connectionId: string): Reason | undefined {
    return this.doubts.get(connectionId)?.reason;
  }

  /** Watches the replies on an open connection whose key was just accepted. */
  watch(session: OpenConnection): void {
    const { id } = session.connection;
    this.recordReply(id, undefined);
    let settling: AbortController | undefined;
    session.client.onDidReply((reason) => {
      if (this.sessions.get(id)?.client !== session.client) return;
      const before = this.getStatus(id);
      this.recordReply(id, reason);
      if (before !== 'good' || this.getStatus(id) !== 'doubted') return;
      // The retries of an earlier doubt may still be waiting.
      settling?.abort();
      settling = new AbortController();
      void this.settle(session, AbortSignal.any([settling.signal, this.ending.signal]));
    });
  }

  /**
   * Records the reply to a request with a key that was accepted before. A rejection that concerns only the account
   * shows that the key is valid; other failures that do not concern the key are ignored.
   */
  recordReply(connectionId: string, reason: Reason | undefined): void {
    const before = this.getStatus(connectionId);
    if (!reason || reason.signIn === 'account') this.doubts.delete(connectionId);
    else if (isKeyRejection(reason)) this.recordRejection(connectionId, reason);
    if (this.getStatus(connectionId) !== before) this.changed.fire(connectionId);
  }

  /**
   * Returns the delay before the next retry of a doubted key, in milliseconds. For five minutes after the first refusal
   * or the last outage, the delay doubles with each rejection, but never exceeds the time that remains. After that, the
   * delay is constant.
   */
  getPauseMs(connectionId: string): number {
    const doubt = this.doubts.get(connectionId);
    if (!doubt) return 0;
    const left = doubt.since + refusalThresholdMs - this.clock.now();
    return left > 0 ? getBackoffMs(doubt.rejections, firstKeyPauseMs, left) : firstKeyPauseMs;
  }

  dispose(): void {
    this.ending.abort();
    this.changed.dispose();
  }

  private recordRejection(connectionId: string, reason: Reason): void {
    const now = this.clock.now();
    const before = this.doubts.get(connectionId);
    const { since, count } = countRefusal(before, reason, now);
    const isConfirmed = count >= refusalThreshold && now - since >= refusalThresholdMs;
    const isRefused = isConfirmed || before?.isRefused === true;
    const { keyWorked, ...rejection } = reason;
    this.doubts.set(connectionId, {
      since,
      count,
      rejections: (before?.rejections ?? 0) + 1,
      isRefused,
      reason: isRefused ? rejection : { ...rejection, keyWorked: true },
    });
  }

  /**
   * Tests the key at intervals until it is no longer in doubt, the connection is closed, or `signal` is aborted.
   * Failures other than rejections don't affect the key's status.
   */
  private async settle(session: OpenConnection, signal: AbortSignal): Promise<void> {
    const { id } = session.connection;
    const isOpen = (): boolean => !signal.aborted && this.sessions.get(id) === session;
    for (let otherFailures = 0; ;) {
      const backoffMs = getBackoffMs(otherFailures + 1, firstKeyPauseMs, refusalThresholdMs);
      await wait(this.clock, otherFailures > 0 ? backoffMs : this.getPauseMs(id), signal);
      if (!isOpen() || this.getStatus(id) !== 'doubted') return;
      const { reason } = await catchRefusal(session.client.databases(signal));
      otherFailures = reason && !isKeyRejection(reason) ? otherFailures + 1 : 0;
    }
  }
}

/** Counts a refusal. Restarts after an outage, which may have caused the earlier refusals. */
function countRefusal(before: Doubt | undefined, { signIn }: Reason, now: number): Pick<Doubt, 'since' | 'count'> {
  if (signIn === 'outage') return { since: now, count: 0 };
  return before && before.count > 0 ? { since: before.since, count: before.count + 1 } : { since: now, count: 1 };
}
