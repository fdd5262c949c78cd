import { asked } from '../flows/asked.ts';
import type { KeyWatch } from '../flows/keyWatch.ts';
import type { Session, Sessions } from '../flows/sessions.ts';
import type { AskingLease } from '../ledger/askingLease.ts';
import type { Reason } from '../model/reason.ts';
import type { TurnObserver } from '../model/requestTurn.ts';
import { mostFilesOf, type Transfer } from '../model/transfer.ts';
import type { TransferStore } from '../store/transferStore.ts';
import type { Clock } from '../util/clock.ts';
import type { Disposable } from '../util/lifetime.ts';
import { isWatched, pollIntervalMs } from './pollSchedule.ts';
import { ServerLine, type Asked } from './serverLine.ts';
import {
  noAnswers,
  troubleOf,
  withoutTrouble,
  withReply,
  withTrouble,
  type Answers,
  type StatusReply,
} from './statusReading.ts';

/** How often the interval of a transfer is doubled that alone cannot be asked for. */
const mostDoublings = 5;

/** A status that waits longer than this for a submission to end is shown with its age. */
const shownWaitMs = 5_000;

/** What a {@link TransferMonitor} needs. */
export interface MonitorParts {
  readonly sessions: Sessions;
  readonly keys: KeyWatch;
  readonly store: TransferStore;
  readonly clock: Clock;
  /** Which connections this window asks for, and not another. */
  readonly lease: Pick<AskingLease, 'isHeld' | 'onDidChange' | 'onDidWantNow' | 'wantNow'>;
  /** Keeps what became of transfers, in store and ledger. */
  keep(...transfers: readonly Transfer[]): Promise<unknown>;
  /** The person's shortest interval, in milliseconds (D33). */
  shortestMs(): number;
  hasFocus(): boolean;
}

/** A transfer that is asked for, and where. */
interface Watch {
  readonly server: string;
  answers: Answers;
  /** Withdraws the request that waits for its turn, if there is one (D34). */
  withdraw?: (() => void) | undefined;
}

/** Asks for the status of every running transfer, on the schedule of D33, one line a server. */
export class TransferMonitor implements Disposable {
  private readonly parts: MonitorParts;
  /** By the address of the server. */
  private readonly lines = new Map<string, ServerLine>();
  /** The addresses of the servers that do not answer. */
  private readonly troubled = new Set<string>();
  private readonly watches = new Map<string, Watch>();
  private readonly subscriptions: readonly Disposable[];
  private readonly ending = new AbortController();

  constructor(parts: MonitorParts) {
    this.parts = parts;
    this.subscriptions = [
      parts.store.onDidChange((keys) => keys.forEach((key) => this.follow(key))),
      parts.sessions.onDidChange(() => this.followAll()),
      parts.keys.onDidChange(() => this.followAll()),
      parts.lease.onDidChange(() => this.followAll()),
      parts.lease.onDidWantNow(({ key }) => this.askHere(key)),
    ];
  }

  /** Asks for everything that runs, or for one transfer, at once: on focus, after a cancel, on Refresh (D33). */
  askNow(key?: string): void {
    this.askHere(key);
    const { store, lease } = this.parts;
    const wanted = store.running().filter((transfer) => isWatched(transfer) && (key ?? transfer.key) === transfer.key);
    for (const connectionId of new Set(wanted.map(({ order }) => order.connectionId))) {
      if (!lease.isHeld(connectionId)) void lease.wantNow({ connectionId, ...(key !== undefined && { key }) });
    }
  }

  dispose(): void {
    this.ending.abort();
    for (const line of this.lines.values()) line.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private askHere(key: string | undefined): void {
    for (const line of this.lines.values()) line.askNow(key);
  }

  private followAll(): void {
    for (const { key } of this.parts.store.running()) this.follow(key);
  }

  /** Puts a transfer into the line of its server, or takes it out where nobody is to be asked for it. */
  private follow(key: string): void {
    const transfer = this.parts.store.get(key);
    const server = transfer && isWatched(transfer) ? this.sessionToAsk(transfer)?.service.address : undefined;
    const watch = this.watches.get(key);
    if (watch && watch.server !== server) {
      watch.withdraw?.();
      this.lines.get(watch.server)?.remove(key);
      this.watches.delete(key);
    }
    if (!transfer || server === undefined || this.watches.has(key)) return;
    this.watches.set(key, { server, answers: noAnswers });
    this.lineTo(server).add(key, this.intervalMs(transfer));
  }

  private lineTo(server: string): ServerLine {
    const { clock } = this.parts;
    const line =
      this.lines.get(server) ?? new ServerLine({ clock, ask: async (key, didStart) => await this.ask(key, didStart) });
    this.lines.set(server, line);
    return line;
  }

  /**
   * The open session that a transfer is asked for in, where this window is the one that asks, and unless its key is in
   * doubt: then it waits (D28).
   */
  private sessionToAsk({ order: { connectionId } }: Transfer): Session | undefined {
    const { keys, sessions, lease } = this.parts;
    return lease.isHeld(connectionId) && keys.standing(connectionId) === 'good'
      ? sessions.get(connectionId)
      : undefined;
  }

  private async ask(key: string, didStart: () => void): Promise<Asked> {
    const transfer = this.parts.store.get(key);
    const session = transfer && this.sessionToAsk(transfer);
    const id = transfer?.id;
    if (id === undefined || !session) return {};
    const withdrawal = new AbortController();
    const watch = this.watches.get(key);
    if (watch) watch.withdraw = () => withdrawal.abort();
    const observer = this.observe(session, () => {
      if (watch) watch.withdraw = undefined;
      didStart();
    });
    const options = { observer, mostFiles: mostFilesOf(transfer) };
    const signal = AbortSignal.any([this.ending.signal, withdrawal.signal]);
    const reply = await asked(() => session.client.transferStatus(id, signal, options));
    observer.dispose();
    if (signal.aborted || this.parts.sessions.get(session.connection.id) !== session) return {};
    const trouble = troubleOf(reply);
    this.tell(session, trouble);
    return trouble ? { trouble } : this.keep(key, reply);
  }

  /** Shows the age of the last answers while a submission keeps the request waiting (D34). */
  private observe(session: Session, didStart: () => void): TurnObserver & Disposable {
    let notice: Disposable | undefined;
    const show = (): void => this.tell(session, { kind: 'queued' });
    return {
      didWait: ({ behind }) => {
        if (behind === 'submission') notice ??= this.parts.clock.after(shownWaitMs, show);
      },
      didStart: () => {
        notice?.dispose();
        didStart();
      },
      dispose: () => notice?.dispose(),
    };
  }

  /** What the store holds may have changed since the question was sent. */
  private keep(key: string, reply: StatusReply): Asked {
    const { store, keep, clock } = this.parts;
    const before = store.get(key);
    const watch = this.watches.get(key);
    if (!before || !watch) return {};
    const [transfer, answers] = withReply(before, watch.answers, reply, clock.now());
    watch.answers = answers;
    void keep(transfer);
    return { intervalMs: this.intervalMs(transfer) * 2 ** Math.min(answers.failed, mostDoublings) };
  }

  private intervalMs(transfer: Transfer): number {
    const { clock, shortestMs, hasFocus } = this.parts;
    return pollIntervalMs(transfer, clock.now(), { shortestMs: shortestMs(), hasFocus: hasFocus() });
  }

  /** What holds up the whole line is said of all its transfers, and taken back of all at once, in every window. */
  private tell({ service }: Session, trouble: Reason | undefined): void {
    if (!trouble && !this.troubled.delete(service.address)) return;
    if (trouble) this.troubled.add(service.address);
    const { store, sessions, keep } = this.parts;
    const changed = store.running().flatMap((before) => {
      if (sessions.get(before.order.connectionId)?.service.address !== service.address) return [];
      const transfer = trouble ? withTrouble(before, trouble) : withoutTrouble(before);
      return transfer === before ? [] : [transfer];
    });
    if (changed.length > 0) void keep(...changed);
  }
}
