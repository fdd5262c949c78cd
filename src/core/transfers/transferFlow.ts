import { randomUUID } from 'node:crypto';
import type { DataTransferClient } from '../client/dataTransferClient.ts';
import { catchRefusal, type OpenConnections } from '../connections/openConnections.ts';
import type { ServiceInfo } from '../model/connection.ts';
import { toTransferFacts } from '../model/foreignResponse.ts';
import type { Reason } from '../model/reason.ts';
import type { TurnObserver, TurnOptions } from '../model/requestTurn.ts';
import {
  getSentInstructions,
  withFolderName,
  getState,
  hasEnded,
  isOfService,
  isWaitingToBeSent,
  toTrustedStatus,
  withState,
  type Transfer,
  type TransferOrder,
  type TransferRequester,
  type TransferState,
  type TransferStatus,
} from '../model/transferModel.ts';
import type { Clock } from '../util/clock.ts';
import { getErrorCode } from '../util/errorFacts.ts';
import { findFollowUp } from '../util/followUp.ts';
import { omit } from '../util/json.ts';
import type { Logger } from '../util/logger.ts';
import { lastFinishedCount, type PendingSubmissions, type SavedTransfers } from './savedTransfers.ts';
import { applyReply, emptyHistory } from './statusUpdates.ts';
import type { TransferLedger } from './transferLedger.ts';
import type { TransferStore } from './transferStore.ts';

/**
 * The maximum number of files whose metadata is requested to learn whether the server requires database names or IDs
 * (D36: names before submission).
 */
const namingSampleSize = 5;

/** Delay before finished transfers can be loaded again after a failure. Rows and estimates request them often. */
const loadRetryMs = 10_000;

/** Records the progress of a submission. */
interface SubmissionAttempt {
  transfer: Transfer;
  /** The ID that the server returned, unless it is another transfer's. */
  id?: string;
}

interface TransferFlowDependencies {
  readonly sessions: OpenConnections;
  readonly store: TransferStore;
  readonly ledger: TransferLedger;
  readonly saved: SavedTransfers;
  readonly submissions: PendingSubmissions;
  readonly clock: Clock;
  readonly log: Logger;
  getTimeoutSeconds(): number | undefined;
}

/** Submits and cancels transfers. Writes each submission to the ledger before sending it. */
export class TransferFlow {
  private readonly dependencies: TransferFlowDependencies;
  private loading: Promise<void> | undefined;
  /** Earliest time to load the finished transfers again after a failure, in milliseconds since 1970. */
  private loadsAgainAt = 0;
  private readonly own = new Set<string>();
  /** Transfer IDs that servers returned to this window, including those not yet in the ledger. */
  private readonly receivedIds = new Set<string>();

  constructor(dependencies: TransferFlowDependencies) {
    this.dependencies = dependencies;
  }

  /** Loads the running transfers from the ledger, and starts showing changes to the ledger. Logs failures. */
  async resume(): Promise<void> {
    const { ledger, store, saved, log } = this.dependencies;
    try {
      await saved.prepare();
      const hasEnded = ledger.hasEnded();
      // Prevent an unhandled rejection if loading the running transfers fails first; that error is logged instead.
      hasEnded.catch(() => undefined);
      store.put(await ledger.loadRunning());
      store.setHasEarlier(await hasEnded);
      await saved.settleSubmissions();
    } catch (error) {
      log.error(`The records of transfers could not be read: ${String(error)}`);
    }
    void saved.follow();
  }

  /** Loads the transfers that ended in earlier sessions, unless they are already loaded. Logs failures. */
  async loadFinished(): Promise<void> {
    if (!this.dependencies.store.hasEarlier) return;
    this.loading ??= this.load().finally(() => {
      this.loading = undefined;
    });
    await this.loading;
  }

  /** Loads the most recent transfers that ended in earlier sessions. Is fast even for a long history. Logs failures. */
  async loadLastFinished(): Promise<void> {
    const { ledger, store, log } = this.dependencies;
    if (!store.hasEarlier || this.loading) return;
    try {
      const { transfers, hasMore } = await ledger.loadLastEnded(lastFinishedCount);
      this.showLoaded(transfers);
      if (!hasMore) store.setHasEarlier(false);
    } catch (error) {
      log.error(`The records of the last finished transfers could not be read: ${String(error)}`);
    }
  }

  /**
   * Requests the status of an ended transfer once more if the program that follows it was running: the program may have
   * ended. If the request fails, leaves the transfer as it is and resolves to the reason.
   */
  async refreshFollowUp(key: string): Promise<Reason | undefined> {
    const { sessions, store, saved, clock } = this.dependencies;
    const { id, order, status } = store.get(key) ?? {};
    const client = order && sessions.get(order.connectionId)?.client;
    if (id === undefined || status?.followUp?.state !== 'started') return undefined;
    if (!client) return { kind: 'notConnected' };
    const { value, reason } = await catchRefusal(client.transferStatus(id));
    const transfer = store.get(key);
    if (!transfer || value?.followUp?.path !== status.followUp.path) return reason ?? { kind: 'foreignAnswer' };
    const { followUp } = value;
    await saved.save({ ...transfer, status: { ...transfer.status, followUp }, askedAt: clock.now() });
    return undefined;
  }

  /**
   * Submits a transfer (§4.5). Resolves to the transfer, which is accepted, refused, not confirmed (D12: never
   * resubmit), or canceled before it was sent. `replacedKey` identifies an unconfirmed transfer that, according to the
   * user, never started. The new transfer replaces it as soon as sending begins. `turn` observes or cancels the request
   * (D34: serialized requests). `requestedBy` is stored in the record. If the record can't be written, rejects without
   * sending or replacing anything. Never rejects after that.
   */
  async submit(
    order: TransferOrder,
    replacedKey?: string,
    turn?: TurnOptions,
    requestedBy?: TransferRequester,
  ): Promise<Transfer> {
    const { sessions, ledger, saved, submissions, clock } = this.dependencies;
    const createdAt = clock.now();
    const intent: Transfer = {
      key: randomUUID(),
      order: sessions.get(order.connectionId)?.service.canChooseFolder ? withFolderName(order) : order,
      createdAt,
      state: 'submitting',
      changes: [{ state: 'submitting', at: createdAt }],
      sendingAt: 0,
      ...(requestedBy && { requestedBy }),
      ...sessions.describe(order.connectionId),
    };
    await submissions.start(intent.key);
    try {
      await ledger.write(intent);
      this.own.add(intent.key);
      saved.display([intent]);
      const outcome = await this.complete({ transfer: intent }, replacedKey, turn);
      await this.save(outcome);
      return outcome;
    } finally {
      await submissions.end(intent.key);
    }
  }

  /** Saves a transfer and enables its notifications in this window. */
  async track(transfer: Transfer): Promise<Transfer> {
    this.own.add(transfer.key);
    return await this.save(transfer);
  }

  /** Returns true if the user submitted or tracked a transfer in this window. */
  isOwn(key: string): boolean {
    return this.own.has(key);
  }

  /**
   * Requests a cancellation (§4.7). Resolves to the reason for a failure, if any. Does nothing if the transfer has
   * ended or has no ID. `turn` observes or cancels the request (D34: serialized requests).
   */
  async cancel(key: string, turn?: TurnOptions): Promise<Reason | undefined> {
    const { sessions, store, clock } = this.dependencies;
    const transfer = store.get(key);
    if (!transfer || transfer.id === undefined || hasEnded(transfer.state)) return undefined;
    const session = sessions.get(transfer.order.connectionId);
    if (!session) return { kind: 'notConnected' };
    const request = { id: transfer.id, orcid: transfer.order.orcid };
    const facts = toTransferFacts(transfer);
    const reply = await catchRefusal(session.client.cancelTransfer(request, { ...turn, facts }));
    if (reply.reason) return reply.reason;
    const latest = store.get(key);
    if (latest && !hasEnded(latest.state)) await this.save({ ...latest, cancelAcceptedAt: clock.now() });
    return undefined;
  }

  /**
   * Pauses or resumes a transfer of the local service, and saves the status that the service
   * returns (D70: paused transfers). Resolves to the reason for a failure, if any. Does nothing if
   * the transfer has ended or has no ID.
   */
  async changePause(key: string, change: 'pause' | 'resume', signal?: AbortSignal): Promise<Reason | undefined> {
    const { sessions, store, clock } = this.dependencies;
    const transfer = store.get(key);
    if (!transfer || transfer.id === undefined || hasEnded(transfer.state)) return undefined;
    const client = sessions.get(transfer.order.connectionId)?.client;
    if (!client) return { kind: 'notConnected' };
    const request = { id: transfer.id, orcid: transfer.order.orcid };
    const isPause = change === 'pause';
    const reply = await catchRefusal(
      isPause ? client.pauseTransfer(request, signal) : client.resumeTransfer(request, signal),
    );
    const latest = store.get(key);
    if (latest && reply.value && !hasEnded(latest.state))
      await this.save(applyReply(latest, emptyHistory, reply, clock.now())[0]);
    return reply.reason;
  }

  /**
   * Marks a connection's running transfers as paused after its local service was stopped (D29: shared service). Skips
   * transfers without an ID. Resolves to the marked transfers.
   */
  async pauseAll(connectionId: string): Promise<readonly Transfer[]> {
    const { store, saved } = this.dependencies;
    const paused = store
      .getRunning()
      .filter(({ order, id }) => order.connectionId === connectionId && id !== undefined)
      .map((transfer) => ({ ...transfer, problem: { kind: 'serviceStopped' } as const }));
    await saved.saveAll(paused);
    return paused;
  }

  /** Removes transfers from the history. They can be restored for a day. */
  async forget(keys: readonly string[]): Promise<void> {
    await this.dependencies.ledger.remove(keys);
    this.dependencies.store.remove(keys);
  }

  /** Resolves to the removed transfers that can still be restored, most recently removed first. */
  async loadRemoved(): Promise<readonly Transfer[]> {
    return await this.dependencies.ledger.loadRemoved();
  }

  /** Restores removed transfers. Resolves to the number of transfers whose records no longer exist. */
  async restore(keys: readonly string[]): Promise<number> {
    const { store, ledger } = this.dependencies;
    const restored = await ledger.restore(keys);
    store.put(restored);
    return keys.length - restored.length;
  }

  async save(transfer: Transfer): Promise<Transfer> {
    return await this.dependencies.saved.save(transfer);
  }

  /**
   * Completes a submission. After an unexpected error, keeps the ID if the server has returned one; otherwise, the
   * transfer is not confirmed if sending had begun (D12: never resubmit).
   */
  private async complete(attempt: SubmissionAttempt, replacedKey?: string, turn?: TurnOptions): Promise<Transfer> {
    const { sessions, clock } = this.dependencies;
    const { order } = attempt.transfer;
    const session = sessions.get(order.connectionId);
    if (!session) return this.toRefused(attempt.transfer, { kind: 'notConnected' });
    const { client } = session;
    const lack = findLack(order, session.service);
    if (lack) return this.toRefused(attempt.transfer, lack);
    try {
      const isNamingKnown = client.isNamingKnown([order.source, order.destination]);
      const problem = isNamingKnown ? undefined : await this.learnNaming(order, client);
      return problem ? this.toRefused(attempt.transfer, problem) : await this.send(attempt, client, replacedKey, turn);
    } catch (error) {
      const { transfer, id } = attempt;
      const maybeDone = transfer.sendingAt !== 0;
      const problem = { ...client.reportBug(error), ...(maybeDone && { maybeDone }) };
      return id === undefined ? toNotAccepted(transfer, problem, clock.now()) : this.toAccepted(transfer, id);
    }
  }

  /**
   * Records that sending begins, and then marks the transfer with the given key as replaced. Resolves to a reason not
   * to send if that can't be recorded, or if another window has settled or removed the transfer in the meantime.
   */
  private async beginSending(
    attempt: SubmissionAttempt,
    replacedKey?: string,
    signal?: AbortSignal,
  ): Promise<Reason | undefined> {
    const { ledger, saved, clock } = this.dependencies;
    const { key } = attempt.transfer;
    try {
      const begun = await ledger.update(key, (stored) =>
        isWaitingToBeSent(stored) ? { ...stored, sendingAt: clock.now() } : undefined,
      );
      if (!begun?.hasChanged) return { kind: 'notSent' };
      attempt.transfer = begun.transfer;
      saved.display([begun.transfer]);
      // Nothing is sent if the user canceled while the record was written.
      if (signal?.aborted) return { kind: 'cancelled' };
    } catch (error) {
      return { kind: 'notSent', code: getErrorCode(error) };
    }
    if (replacedKey !== undefined) await this.markReplaced(replacedKey, attempt.transfer);
    return undefined;
  }

  /** Marks an unconfirmed transfer as replaced because, according to the user, it never started. */
  private async markReplaced(key: string, replacement: Transfer): Promise<void> {
    const replaced = this.dependencies.store.get(key);
    if (replaced?.state !== 'notConfirmed') return;
    await this.save({ ...withState(replaced, 'refused', replacement.createdAt), replacedBy: replacement.key });
  }

  private async load(): Promise<void> {
    const { ledger, store, log, clock } = this.dependencies;
    if (clock.now() < this.loadsAgainAt) return;
    try {
      this.showLoaded(await ledger.loadEnded());
      store.setHasEarlier(false);
    } catch (error) {
      this.loadsAgainAt = clock.now() + loadRetryMs;
      log.error(`The records of finished transfers could not be read: ${String(error)}`);
    }
  }

  /** Shows transfers from the ledger. Skips transfers that this window already shows, possibly in a newer state. */
  private showLoaded(transfers: readonly Transfer[]): void {
    const { store } = this.dependencies;
    store.put(transfers.filter(({ key }) => store.get(key) === undefined));
  }

  /**
   * Learns from requests whether the server requires database names or IDs (D36: names before submission). Requests
   * metadata and, if necessary, searches the destination. Resolves to a reason not to submit if the answer remains
   * unknown.
   */
  private async learnNaming({ orcid, source, destination, files }: TransferOrder, client: DataTransferClient) {
    const databases = [source, destination];
    const ids = files.slice(0, namingSampleSize).map(({ id }) => id);
    const { reason } = await catchRefusal(client.fetchMetadata({ database: source, orcid, ids }));
    if (client.isNamingKnown(databases)) return undefined;
    // A source whose name equals its ID reveals nothing, so try the destination.
    const query = { database: destination, orcid, query: ids[0] ?? '', limit: 1 };
    const reply = reason ? { reason } : await catchRefusal(client.search(query));
    if (client.isNamingKnown(databases)) return undefined;
    const cause = reply.reason ?? { kind: 'unreadable' };
    return { kind: 'lookupFailed', cause } satisfies Reason;
  }

  private toRefused(intent: Transfer, problem: Reason): Transfer {
    return { ...withState(intent, 'refused', this.dependencies.clock.now()), problem };
  }

  private toAccepted(transfer: Transfer, id: string): Transfer {
    return { ...withState(transfer, 'accepted', this.dependencies.clock.now()), id };
  }

  private async send(
    attempt: SubmissionAttempt,
    client: DataTransferClient,
    replacedKey?: string,
    turn?: TurnOptions,
  ): Promise<Transfer> {
    const { clock, getTimeoutSeconds } = this.dependencies;
    const { orcid, source, destination, files, description } = attempt.transfer.order;
    const instructions = getSentInstructions(attempt.transfer.order);
    const timeout = getTimeoutSeconds();
    const fileIds = files.map((file) => file.id);
    const request = { orcid, source, destination, fileIds, description, instructions, timeout };
    const willSend = (): Promise<Reason | undefined> => this.beginSending(attempt, replacedKey, turn?.signal);
    const { value: id, reason } = await catchRefusal(client.transfer(request, { ...turn, willSend }));
    // Only the user cancels a submission; a connection that was closed merely left it unsent.
    const wasClosed = reason?.kind === 'cancelled' && !reason.maybeDone && !turn?.signal?.aborted;
    const problem: Reason | undefined = wasClosed ? { kind: 'notSent' } : reason;
    if (id === undefined) return toNotAccepted(attempt.transfer, problem, clock.now());
    attempt.id = id;
    if (!(await this.isTaken(id, attempt.transfer.key))) return this.toAccepted(attempt.transfer, id);
    const taken = { kind: 'foreignAnswer', code: 'KNOWN_ID', detail: id, maybeDone: true } as const;
    return toNotAccepted(attempt.transfer, taken, clock.now());
  }

  /**
   * Resolves to true if a server returned the same ID for another transfer on this machine (D35: misrouted responses).
   */
  private async isTaken(id: string, key: string): Promise<boolean> {
    if (this.receivedIds.has(id)) return true;
    this.receivedIds.add(id);
    await this.loadFinished();
    const { store, ledger } = this.dependencies;
    if (store.hasOther(id, key)) return true;
    // Ignore an unreadable ledger, because the server did respond with an ID.
    return await ledger.hasRunningOrRemoved(id, key).catch(() => false);
  }
}

/** Returns why a service can't do what an order asks beyond the contract; undefined if it can. */
export function findLack({ folder, instructions }: TransferOrder, service: ServiceInfo): Reason | undefined {
  if (folder !== undefined && !service.canChooseFolder) return { kind: 'noFolderChoice' };
  return findFollowUp(instructions) && !service.canFollowUp ? { kind: 'noFollowUp' } : undefined;
}

/** Returns the canceled, unconfirmed or refused transfer that results from a submission without a usable ID. */
function toNotAccepted(intent: Transfer, reason: Reason | undefined, at: number): Transfer {
  const problem = reason ?? { kind: 'unreadable', maybeDone: true };
  if (problem.maybeDone) return { ...withState(intent, 'notConfirmed', at), problem };
  return problem.kind === 'cancelled'
    ? withState(intent, 'cancelled', at)
    : { ...withState(intent, 'refused', at), problem };
}

/** The result of looking up a transfer: the known transfer, its status on the service, or the reason for failure. */
export type LookupResult =
  | { readonly kind: 'known'; readonly transfer: Transfer }
  | { readonly kind: 'found'; readonly id: string; readonly status: TransferStatus }
  | { readonly kind: 'failed'; readonly reason: Reason };

interface TrackFlowDependencies {
  readonly sessions: OpenConnections;
  readonly store: TransferStore;
  readonly transfers: TransferFlow;
  readonly clock: Clock;
}

/** Tracks transfers by ID: those started elsewhere, and those started here but not confirmed (D12: never resubmit). */
export class TrackFlow {
  private readonly dependencies: TrackFlowDependencies;

  constructor(dependencies: TrackFlowDependencies) {
    this.dependencies = dependencies;
  }

  /** Looks up a transfer by ID in this window and, if the transfer is unknown here, on the service (§4.6). */
  async lookUp(connectionId: string, id: string, signal?: AbortSignal, observer?: TurnObserver): Promise<LookupResult> {
    const { sessions, store, transfers } = this.dependencies;
    await transfers.loadFinished();
    const serviceIds = sessions.getServiceIds(connectionId);
    // A transfer of a connection that isn't open is not polled, so its saved status may be old.
    const isFollowed = ({ state, order }: Transfer): boolean =>
      order.connectionId === connectionId || hasEnded(state) || sessions.get(order.connectionId) !== undefined;
    const known = store.getAll().find((one) => one.id === id && isOfService(one, serviceIds) && isFollowed(one));
    if (known) return { kind: 'known', transfer: known };
    const session = sessions.get(connectionId);
    if (!session) return { kind: 'failed', reason: { kind: 'notConnected' } };
    const reply = await catchRefusal(session.client.transferStatus(id, signal, { observer }));
    if (reply.value) return { kind: 'found', id, status: reply.value };
    return { kind: 'failed', reason: reply.reason ?? { kind: 'unreadable' } };
  }

  /** Tracks a transfer that was started elsewhere, so that it is polled like any other transfer. */
  async track(connectionId: string, orcid: string, id: string, status: TransferStatus): Promise<Transfer> {
    const { sessions, clock, transfers } = this.dependencies;
    const now = clock.now();
    const state = toTrustedState(status);
    return await transfers.track({
      ...sessions.describe(connectionId),
      key: randomUUID(),
      id,
      order: { connectionId, orcid, source: '', destination: '', files: [] },
      createdAt: now,
      state,
      changes: [{ state, at: now }],
      status: toTrustedStatus(status),
      askedAt: now,
      startedElsewhere: true,
    });
  }

  /**
   * Assigns the service's ID to an unconfirmed transfer. Resolves to undefined for any other transfer (D12: never
   * resubmit).
   */
  async confirm(key: string, id: string, status: TransferStatus): Promise<Transfer | undefined> {
    const { store, clock, transfers } = this.dependencies;
    const transfer = store.get(key);
    if (transfer?.state !== 'notConfirmed') return undefined;
    const at = clock.now();
    const polled = { id, status: toTrustedStatus(status), askedAt: at };
    const confirmed = omit(withState(transfer, toTrustedState(status), at), 'problem');
    return await transfers.track({ ...confirmed, ...polled });
  }
}

/**
 * Returns the state that a status reports. Returns `accepted` for a doubtful status (D11: check status identity).
 */
export function toTrustedState(status: TransferStatus): TransferState {
  return status.doubtful ? 'accepted' : getState(status);
}
