import { TransferLedger } from '../../../src/core/ledger/transferLedger.ts';
import { hasEnded, type Transfer, type TransferState } from '../../../src/core/model/transferModel.ts';
import { systemClock, wait } from '../../../src/core/util/clock.ts';
import { eventually } from '../eventually.ts';
import { MemoryLog } from '../memoryLog.ts';
import { SoakGround } from './soakGround.ts';
import { soakPlan, type SoakAction } from './soakPlan.ts';
import { faultsOfEnd, faultsOfLanding, faultsOfRecords, readJournal, type TrueTransfer } from './soakTruth.ts';
import { descriptionOf } from './soakWindow.ts';

/** Options of a soak. */
export interface SoakOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly transfers: number;
  /** Receives progress messages, one line at a time. */
  say(line: string): void;
}

/** The result of a soak; `faults` is empty if the ledger agrees with the service about every transfer. */
export interface SoakResult {
  readonly seed: number;
  readonly minutes: number;
  readonly transfers: number;
  readonly serviceKills: number;
  readonly windowKills: number;
  /** Number of transfers in the ledger by state, after the last kill and at the end. */
  readonly afterKills: Readonly<Record<string, number>>;
  readonly inTheEnd: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

const calmLimitMs = 90_000;
const lookEveryMs = 250;
const sayEveryMs = 10_000;

/**
 * Submits transfers through the built service while it and the windows are killed. The service's journal is the
 * reference.
 */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const ground = await SoakGround.make();
  try {
    return await new Soak(options, ground).run();
  } finally {
    await ground.end();
  }
}

class Soak {
  private readonly options: SoakOptions;
  private readonly ground: SoakGround;
  private readonly paths = new Map<string, readonly string[]>();
  private readonly faults: string[] = [];
  /** Pending kills of the service and of windows; those of each kind run one at a time. */
  private readonly working = { killService: Promise.resolve(), killWindow: Promise.resolve() };

  constructor(options: SoakOptions, ground: SoakGround) {
    this.options = options;
    this.ground = ground;
  }

  async run(): Promise<SoakResult> {
    const { seed, minutes, transfers } = this.options;
    await this.carryOut(soakPlan(seed, minutes * 60_000, transfers));
    await this.untilCalm();
    const afterKills = countsOf(await this.ground.window(0).list());
    await this.decideWhatIsOpen();
    await this.untilCalm();
    const inTheEnd = countsOf(await this.ground.window(0).list());
    await this.check();
    const kills = { serviceKills: this.ground.kills.service, windowKills: this.ground.kills.window };
    return { seed, minutes, transfers, ...kills, afterKills, inTheEnd, faults: this.faults };
  }

  private async carryOut(plan: readonly SoakAction[]): Promise<void> {
    const startedAt = Date.now();
    let saidAt = startedAt;
    for (const [place, action] of plan.entries()) {
      await wait(systemClock, Math.max(0, startedAt + action.at - Date.now()));
      await this.act(action);
      if (Date.now() < saidAt + sayEveryMs) continue;
      saidAt = Date.now();
      const { service, window } = this.ground.kills;
      const done = `${String(Math.round(action.at / 1000))} s, ${String(place + 1)} of ${String(plan.length)} done`;
      this.options.say(`${done}, ${String(service)} kills of the service and ${String(window)} of windows`);
    }
    await Promise.all([this.working.killService, this.working.killWindow]);
  }

  /** Performs an action. Doesn't wait for kills, so that submissions can meet a service that is not running. */
  private async act(action: SoakAction): Promise<void> {
    const { ground, working } = this;
    if (action.kind === 'killService') {
      working.killService = working.killService.then(() => ground.killService(action.pauseMs));
    } else if (action.kind === 'killWindow') {
      working.killWindow = working.killWindow.then(() => ground.killWindow(action.window, action.pauseMs));
    } else {
      if (action.kind === 'submit') this.paths.set(descriptionOf(action.number), action.paths);
      await ground.window(action.window).tell(action);
    }
  }

  /** Waits until, in every window, each transfer has ended or awaits the user's decision. */
  private async untilCalm(): Promise<void> {
    const until = Date.now() + calmLimitMs;
    for (;;) {
      const shown = await Promise.all(this.ground.allWindows().map((window) => window.list()));
      const open = shown.flatMap((transfers) => transfers.filter(({ state }) => !isCalm(state)));
      if (open.length === 0) return;
      if (Date.now() > until) {
        this.faults.push(...open.map((transfer) => `${String(transfer.order.description)} stays ${transfer.state}`));
        return;
      }
      await wait(systemClock, lookEveryMs);
    }
  }

  /**
   * Acts like the user: confirms unconfirmed transfers that the service has started, and resubmits those that it has
   * not (D12: never resubmit).
   */
  private async decideWhatIsOpen(): Promise<void> {
    await this.ground.stopService();
    const truths = readJournal(this.ground.dataFolder);
    await this.ground.startService(false);
    const shown = await this.ground.window(0).list();
    for (let number = 0; number < this.options.transfers; number++) {
      const description = descriptionOf(number);
      const records = shown.filter(({ order }) => order.description === description);
      const begun = truths.filter((truth) => truth.description === description);
      await this.decide(number, records, begun);
    }
  }

  private async decide(number: number, records: readonly Transfer[], truths: readonly TrueTransfer[]): Promise<void> {
    const description = descriptionOf(number);
    const [truth] = truths;
    const open = records.find(({ state }) => state === 'notConfirmed');
    if (truths.length > 1) this.faults.push(`${description} was submitted ${String(truths.length)} times`);
    if (records.some(({ state }) => state !== 'refused' && state !== 'notConfirmed')) return;
    const window = this.ground.window(0);
    if (open && truth) await window.see({ kind: 'confirm', key: open.key, id: truth.id });
    else if (truth) this.faults.push(`${description} has begun, and is kept as ${records[0]?.state ?? 'nothing'}`);
    else {
      const paths = this.paths.get(description) ?? [];
      await window.see({ kind: 'submit', number, paths, ...(open && { replacedKey: open.key }) });
    }
  }

  /** Compares the ledger and the windows with the service's journal and destination. */
  private async check(): Promise<void> {
    const { ground, faults } = this;
    const ledger = new TransferLedger(ground.ledgerFolder, new MemoryLog());
    const isSame = async (): Promise<true | undefined> => {
      const [kept, ...shown] = [ledger.loadEnded(), ...ground.allWindows().map((window) => window.list())];
      const [wanted, ...others] = (await Promise.all([kept, ...shown])).map(endsOf);
      return others.every((ends) => ends === wanted) || undefined;
    };
    await eventually(isSame).catch(() => faults.push('the windows do not show what the ledger holds'));
    await ground.stopService();
    const truths = readJournal(ground.dataFolder);
    const records = [...(await ledger.loadRunning()), ...(await ledger.loadEnded())];
    for (let number = 0; number < this.options.transfers; number++) {
      const description = descriptionOf(number);
      const own = records.filter(({ order }) => order.description === description);
      const begun = truths.filter((truth) => truth.description === description);
      faults.push(...faultsOfRecords(description, own, begun));
      for (const truth of begun) {
        faults.push(...faultsOfEnd(truth, this.paths.get(description) ?? []));
        faults.push(...(await faultsOfLanding(ground.target, truth, own)));
      }
    }
  }
}

function isCalm(state: TransferState): boolean {
  return hasEnded(state) || state === 'notConfirmed';
}

function endsOf(transfers: readonly Transfer[]): string {
  return JSON.stringify(transfers.map(({ key, id, state }) => [key, id, state].join(' ')).sort());
}

function countsOf(transfers: readonly Transfer[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of transfers) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
