import { randomUUID } from 'node:crypto';
import type { Submissions } from '../ledger/submissions.ts';
import type { TransferLedger } from '../ledger/transferLedger.ts';
import type { Reason } from '../model/reason.ts';
import { hasEnded, inState, type Transfer, type TransferOrder } from '../model/transfer.ts';
import type { TransferStore } from '../store/transferStore.ts';
import type { Clock } from '../util/clock.ts';
import type { Logger } from '../util/logger.ts';
import { asked } from './asked.ts';
import type { KeptTransfers } from './keptTransfers.ts';
import type { Sessions } from './sessions.ts';

/** What a {@link TransferFlow} needs. */
export interface TransferParts {
  readonly sessions: Sessions;
  readonly store: TransferStore;
  readonly ledger: TransferLedger;
  readonly kept: KeptTransfers;
  readonly submissions: Submissions;
  readonly clock: Clock;
  readonly log: Logger;
  /** Longest wait for the answer to a submission, in seconds; undefined for the client's own (D16). */
  timeoutSeconds(): number | undefined;
}

/** Submits and cancels transfers; nothing is sent that is not in the ledger first. */
export class TransferFlow {
  private readonly parts: TransferParts;
  private loading: Promise<void> | undefined;
  private readonly own = new Set<string>();

  constructor(parts: TransferParts) {
    this.parts = parts;
  }

  /** Brings back the transfers that had not ended when the program last did; a failure is logged. */
  async resume(): Promise<void> {
    const { ledger, store, kept, log } = this.parts;
    try {
      store.put(await ledger.loadRunning());
      store.setHasEarlier(await ledger.hasEnded());
      await kept.settleSubmissions();
    } catch (error) {
      log.error(`The records of transfers could not be read: ${String(error)}`);
    }
    void kept.follow();
  }

  /** Brings in the transfers that ended in earlier sessions, once however often it is asked for; a failure is logged. */
  async loadFinished(): Promise<void> {
    this.loading ??= this.load().finally(() => {
      this.loading = undefined;
    });
    await this.loading;
  }

  /**
   * Submits a transfer (§4.5); resolves with how it stands: accepted, refused, or not confirmed (D12).
   * `replacedKey` names one that was not confirmed and that the person says never began: it is given up for this one.
   * Rejects when the intent could not be written to the ledger; then nothing was sent, and nothing given up.
   */
  async submit(order: TransferOrder, replacedKey?: string): Promise<Transfer> {
    const { ledger, store, submissions, clock } = this.parts;
    const createdAt = clock.now();
    const intent: Transfer = {
      key: randomUUID(),
      order,
      createdAt,
      state: 'submitting',
      changes: [{ state: 'submitting', at: createdAt }],
    };
    await submissions.begin(intent.key);
    try {
      await ledger.write(intent);
      this.own.add(intent.key);
      store.put([intent]);
      await this.giveUp(replacedKey, intent);
      const outcome = await this.send(intent);
      await this.keep(outcome);
      return outcome;
    } finally {
      await submissions.end(intent.key);
    }
  }

  /** Takes in a transfer that this window is to watch, and to tell of, from now on. */
  async adopt(transfer: Transfer): Promise<Transfer> {
    this.own.add(transfer.key);
    return await this.keep(transfer);
  }

  /** Whether the person submitted a transfer, or took it over, in this window. */
  isOwn(key: string): boolean {
    return this.own.has(key);
  }

  /** Asks the service to cancel (§4.7). Resolves with the reason when it did not accept. */
  async cancel(key: string): Promise<Reason | undefined> {
    const { sessions, store, clock } = this.parts;
    const transfer = store.get(key);
    if (!transfer || transfer.id === undefined || hasEnded(transfer.state)) return undefined;
    const session = sessions.get(transfer.order.connectionId);
    if (!session) return { kind: 'notConnected' };
    const request = { id: transfer.id, orcid: transfer.order.orcid };
    const reply = await asked(() => session.client.cancelTransfer(request));
    if (reply.reason) return reply.reason;
    const latest = store.get(key);
    if (latest && !hasEnded(latest.state)) await this.keep({ ...latest, cancelAcceptedAt: clock.now() });
    return undefined;
  }

  /** Records that the local service was stopped: its running transfers wait until it starts again (D29). */
  async pauseAll(connectionId: string): Promise<readonly Transfer[]> {
    const { store, kept } = this.parts;
    const paused = store
      .running()
      .filter(({ order, id }) => order.connectionId === connectionId && id !== undefined)
      .map((transfer) => ({ ...transfer, problem: { kind: 'serviceStopped' } as const }));
    await kept.keepAll(paused);
    return paused;
  }

  /** Forgets transfers that have ended; for a day they can be restored. */
  async forget(keys: readonly string[]): Promise<void> {
    await this.parts.ledger.remove(keys);
    this.parts.store.remove(keys);
  }

  /** Returns what was forgotten and can still be restored, the last forgotten first. */
  async loadRemoved(): Promise<readonly Transfer[]> {
    return await this.parts.ledger.loadRemoved();
  }

  /** Brings back what was forgotten, as far as it is still there. */
  async restore(keys: readonly string[]): Promise<void> {
    this.parts.store.put(await this.parts.ledger.restore(keys));
  }

  /** Puts what is known of a transfer where it is shown, and in the ledger. */
  async keep(transfer: Transfer): Promise<Transfer> {
    return await this.parts.kept.keep(transfer);
  }

  /** One that the person says never began is given up for the one that is submitted instead. */
  private async giveUp(key: string | undefined, instead: Transfer): Promise<void> {
    const given = key === undefined ? undefined : this.parts.store.get(key);
    if (given?.state !== 'notConfirmed') return;
    await this.keep({ ...inState(given, 'refused', instead.createdAt), replacedBy: instead.key });
  }

  private async load(): Promise<void> {
    const { ledger, store, log } = this.parts;
    if (!store.hasEarlier) return;
    try {
      const ended = await ledger.loadEnded();
      store.put(ended.filter((transfer) => store.get(transfer.key) === undefined));
    } catch (error) {
      log.error(`The records of finished transfers could not be read: ${String(error)}`);
    }
    store.setHasEarlier(false);
  }

  private async send(intent: Transfer): Promise<Transfer> {
    const { sessions, clock } = this.parts;
    const { connectionId, orcid, source, destination, files, description, instructions } = intent.order;
    const session = sessions.get(connectionId);
    if (!session) return { ...inState(intent, 'refused', clock.now()), problem: { kind: 'notConnected' } };
    const timeout = this.parts.timeoutSeconds();
    const request = {
      orcid,
      source,
      destination,
      fileIds: files.map((file) => file.id),
      ...(description !== undefined && { description }),
      ...(instructions && { instructions }),
      ...(timeout !== undefined && { timeout }),
    };
    const reply = await asked(() => session.client.transfer(request));
    const at = clock.now();
    if (reply.value !== undefined) return { ...inState(intent, 'accepted', at), id: reply.value };
    const problem = reply.reason ?? { kind: 'unreadable', maybeDone: true };
    return { ...inState(intent, problem.maybeDone ? 'notConfirmed' : 'refused', at), problem };
  }
}
