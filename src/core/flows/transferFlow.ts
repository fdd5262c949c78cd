import { randomUUID } from 'node:crypto';
import type { Submissions } from '../ledger/submissions.ts';
import type { TransferLedger } from '../ledger/transferLedger.ts';
import type { Reason } from '../model/reason.ts';
import type { TurnOptions } from '../model/requestTurn.ts';
import { hasEnded, inState, type Transfer, type TransferOrder } from '../model/transfer.ts';
import type { TransferStore } from '../store/transferStore.ts';
import type { Clock } from '../util/clock.ts';
import type { Logger } from '../util/logger.ts';
import { asked } from './asked.ts';
import type { KeptTransfers } from './keptTransfers.ts';
import type { Sessions } from './sessions.ts';

/** Files of the source whose metadata are requested to learn how the server wants databases named (D36). */
const askedForNaming = 5;

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
  /** The ids that servers answered here, also before they are in the ledger. */
  private readonly answeredIds = new Set<string>();

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
   * Submits a transfer (§4.5); resolves with how it stands: accepted, refused, not confirmed (D12), or cancelled before it was sent.
   * `replacedKey` names one that was not confirmed and that the person says never began: it is given up for this one.
   * `turn` follows the request while it waits for its turn (D34). Rejects when the intent could not be written to the ledger; then nothing was sent, and nothing given up.
   */
  async submit(order: TransferOrder, replacedKey?: string, turn?: TurnOptions): Promise<Transfer> {
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
      const problem = await this.learnNaming(order);
      const outcome = problem ? this.refused(intent, problem) : await this.sendInstead(replacedKey, intent, turn);
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

  /** Asks the service to cancel (§4.7). Resolves with the reason when it did not accept. `turn` as in {@link submit}. */
  async cancel(key: string, turn?: TurnOptions): Promise<Reason | undefined> {
    const { sessions, store, clock } = this.parts;
    const transfer = store.get(key);
    if (!transfer || transfer.id === undefined || hasEnded(transfer.state)) return undefined;
    const session = sessions.get(transfer.order.connectionId);
    if (!session) return { kind: 'notConnected' };
    const request = { id: transfer.id, orcid: transfer.order.orcid };
    const reply = await asked(() => session.client.cancelTransfer(request, turn));
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

  /** Sends a submission. The one that it replaces is given up when it goes out: until then it can be withdrawn (D34). */
  private async sendInstead(key: string | undefined, intent: Transfer, turn: TurnOptions = {}): Promise<Transfer> {
    const { observer, signal } = turn;
    let givingUp: Promise<void> | undefined;
    const giveUp = async (): Promise<void> => await (givingUp ??= this.giveUp(key, intent));
    const didStart = (): void => {
      observer?.didStart?.();
      void giveUp();
    };
    const outcome = await this.send(intent, {
      signal,
      observer: { didWait: (wait) => observer?.didWait?.(wait), didStart },
    });
    if (outcome.state !== 'cancelled') await giveUp();
    return outcome;
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

  /**
   * Finds out by a metadata request whether the server wants databases by name or by id, where that is not known yet (D36).
   * Resolves with the reason if it stays unknown: then nothing may be sent.
   */
  private async learnNaming({ connectionId, orcid, source, destination, files }: TransferOrder) {
    const client = this.parts.sessions.get(connectionId)?.client;
    const databases = [source, destination];
    if (!client || client.knowsNaming(databases)) return undefined;
    const ids = files.slice(0, askedForNaming).map(({ id }) => id);
    const { reason } = await asked(() => client.fetchMetadata({ database: source, orcid, ids }));
    if (client.knowsNaming(databases)) return undefined;
    // The source takes either form where its name is its id: then the destination has to tell.
    const query = { database: destination, orcid, query: ids[0] ?? '', limit: 1 };
    const reply = reason ? { reason } : await asked(() => client.search(query));
    if (client.knowsNaming(databases)) return undefined;
    const cause = reply.reason ?? { kind: 'unreadable' };
    return { kind: 'lookupFailed', cause } satisfies Reason;
  }

  private refused(intent: Transfer, problem: Reason): Transfer {
    return { ...inState(intent, 'refused', this.parts.clock.now()), problem };
  }

  private async send(intent: Transfer, turn?: TurnOptions): Promise<Transfer> {
    const { sessions, clock } = this.parts;
    const { connectionId, orcid, source, destination, files, description, instructions } = intent.order;
    const session = sessions.get(connectionId);
    if (!session) return this.refused(intent, { kind: 'notConnected' });
    const timeout = this.parts.timeoutSeconds();
    const fileIds = files.map((file) => file.id);
    const request = { orcid, source, destination, fileIds, description, instructions, timeout };
    const reply = await asked(() => session.client.transfer(request, turn));
    const id = reply.value;
    if (id === undefined) return notAccepted(intent, reply.reason, clock.now());
    if (!(await this.isTaken(id, intent.key))) return { ...inState(intent, 'accepted', clock.now()), id };
    const reason = { kind: 'foreignAnswer', code: 'KNOWN_ID', detail: id, maybeDone: true } as const;
    return notAccepted(intent, reason, clock.now());
  }

  /** Returns true if a server gave the id to another transfer of this machine (D35). */
  private async isTaken(id: string, key: string): Promise<boolean> {
    if (this.answeredIds.has(id)) return true;
    this.answeredIds.add(id);
    await this.loadFinished();
    const { store, ledger } = this.parts;
    if (store.all().some((other) => other.id === id && other.key !== key)) return true;
    // A ledger that can't be read must not hide that the server has answered.
    return await ledger.hasRunning(id, key).catch(() => false);
  }
}

/** Returns a submission without an id: the person withdrew it, it may have been accepted all the same, or it was refused. */
function notAccepted(intent: Transfer, reason: Reason | undefined, at: number): Transfer {
  const problem = reason ?? { kind: 'unreadable', maybeDone: true };
  if (problem.maybeDone) return { ...inState(intent, 'notConfirmed', at), problem };
  return problem.kind === 'cancelled'
    ? inState(intent, 'cancelled', at)
    : { ...inState(intent, 'refused', at), problem };
}
