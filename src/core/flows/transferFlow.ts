import { randomUUID } from 'node:crypto';
import type { TransferLedger } from '../ledger/transferLedger.ts';
import type { Reason } from '../model/reason.ts';
import { hasEnded, inState, type Transfer, type TransferOrder } from '../model/transfer.ts';
import type { TransferStore } from '../store/transferStore.ts';
import type { Clock } from '../util/clock.ts';
import type { Logger } from '../util/logger.ts';
import { asked } from './asked.ts';
import type { Sessions } from './sessions.ts';

/** What a {@link TransferFlow} needs. */
export interface TransferParts {
  readonly sessions: Sessions;
  readonly store: TransferStore;
  readonly ledger: TransferLedger;
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
  private readonly forgotten = new Map<string, Transfer>();

  constructor(parts: TransferParts) {
    this.parts = parts;
  }

  /** Brings back the transfers that had not ended when the program last did; a failure is logged. */
  async resume(): Promise<void> {
    const { ledger, store, log } = this.parts;
    try {
      const transfers = await ledger.loadRunning();
      for (const { key } of transfers) this.own.add(key);
      store.put(transfers);
      store.setHasEarlier(await ledger.hasEnded());
      const interrupted = transfers.filter((transfer) => transfer.state === 'submitting');
      await Promise.all(interrupted.map((transfer) => this.keep(this.interrupted(transfer))));
    } catch (error) {
      log.error(`The records of transfers could not be read: ${String(error)}`);
    }
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
    const { ledger, store, clock } = this.parts;
    const createdAt = clock.now();
    const intent: Transfer = {
      key: randomUUID(),
      order,
      createdAt,
      state: 'submitting',
      changes: [{ state: 'submitting', at: createdAt }],
    };
    await ledger.write(intent);
    this.own.add(intent.key);
    store.put([intent]);
    const replaced = replacedKey === undefined ? undefined : store.get(replacedKey);
    if (replaced?.state === 'notConfirmed') {
      await this.keep({ ...inState(replaced, 'refused', createdAt), replacedBy: intent.key });
    }
    return await this.keep(await this.send(intent));
  }

  /** Takes in a transfer that this window is to watch, and to tell of, from now on. */
  async adopt(transfer: Transfer): Promise<Transfer> {
    this.own.add(transfer.key);
    return await this.keep(transfer);
  }

  /** Whether this window is the one that tells the person what becomes of a transfer: it submitted it, or took it up. */
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

  /** Forgets transfers that have ended. */
  async forget(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const transfer = this.parts.store.get(key);
      if (transfer) this.forgotten.set(key, transfer);
    }
    await this.parts.ledger.remove(keys);
    this.parts.store.remove(keys);
  }

  /** Brings back what this window has forgotten. */
  async restore(keys: readonly string[]): Promise<void> {
    const transfers = keys.flatMap((key) => this.forgotten.get(key) ?? []);
    this.parts.store.put(transfers);
    for (const transfer of transfers) await this.write(transfer);
  }

  /** Puts what is known of a transfer where it is shown, and in the ledger. A full disk does not hide what happened. */
  async keep(transfer: Transfer): Promise<Transfer> {
    this.parts.store.put([transfer]);
    await this.write(transfer);
    return transfer;
  }

  private async write(transfer: Transfer): Promise<void> {
    try {
      await this.parts.ledger.write(transfer);
    } catch (error) {
      this.parts.log.error(
        `The record of transfer ${transfer.id ?? transfer.key} could not be written: ${String(error)}`,
      );
    }
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

  /** A submission that was under way when the program ended may have been accepted (D12). */
  private interrupted(transfer: Transfer): Transfer {
    const at = this.parts.clock.now();
    return { ...inState(transfer, 'notConfirmed', at), problem: { kind: 'dropped', maybeDone: true } };
  }
}
