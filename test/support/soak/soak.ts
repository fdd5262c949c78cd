import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import { hasEnded, type Transfer, type TransferState } from '../../../src/core/model/transferModel.ts';
import { systemClock, wait } from '../../../src/core/util/clock.ts';
import { eventually } from '../eventually.ts';
import { MemoryLog } from '../memoryLog.ts';
import { SoakEnvironment } from './soakEnvironment.ts';
import { createSoakPlan, type SoakAction } from './soakPlan.ts';
import { findStateFaults, findFileFaults, findRecordFaults, readJournal, type JournalTransfer } from './soakTruth.ts';
import { createDescription } from './soakWindow.ts';

/** Options of a soak test: the seed of its plan, its duration, and the number of transfers to submit. */
export interface SoakOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly transfers: number;
  /** Receives progress messages, one line at a time. */
  log(line: string): void;
}

/** The result of a soak test; `faults` is empty if the ledger agrees with the service about every transfer. */
export interface SoakResult {
  readonly seed: number;
  readonly minutes: number;
  readonly transfers: number;
  readonly serviceKills: number;
  readonly windowKills: number;
  /** Number of transfers in each state, after the last kill. */
  readonly afterKills: Readonly<Record<string, number>>;
  /** Number of transfers in each state at the end, after the unconfirmed ones have been resolved. */
  readonly final: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

const settleLimitMs = 90_000;
const checkIntervalMs = 250;
const logIntervalMs = 10_000;

/**
 * Runs a soak test. Submits transfers through the built service while the service and the windows are killed
 * repeatedly, and then compares the ledger with the service's journal.
 */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const environment = await SoakEnvironment.create();
  try {
    return await new Soak(options, environment).run();
  } finally {
    await environment.end();
  }
}

class Soak {
  private readonly options: SoakOptions;
  private readonly environment: SoakEnvironment;
  private readonly paths = new Map<string, readonly string[]>();
  private readonly faults: string[] = [];
  /** Pending kills of the service and of windows; those of each kind run one at a time. */
  private readonly working = { killService: Promise.resolve(), killWindow: Promise.resolve() };

  constructor(options: SoakOptions, environment: SoakEnvironment) {
    this.options = options;
    this.environment = environment;
  }

  async run(): Promise<SoakResult> {
    const { seed, minutes, transfers } = this.options;
    await this.runActions(createSoakPlan(seed, minutes * 60_000, transfers));
    await this.waitUntilSettled();
    const afterKills = countStates(await this.environment.window(0).list());
    await this.resolveUnconfirmed();
    await this.waitUntilSettled();
    const final = countStates(await this.environment.window(0).list());
    await this.check();
    const kills = { serviceKills: this.environment.kills.service, windowKills: this.environment.kills.window };
    return { seed, minutes, transfers, ...kills, afterKills, final, faults: this.faults };
  }

  private async runActions(plan: readonly SoakAction[]): Promise<void> {
    const startedAt = Date.now();
    let loggedAt = startedAt;
    for (const [place, action] of plan.entries()) {
      await wait(systemClock, Math.max(0, startedAt + action.at - Date.now()));
      await this.act(action);
      if (Date.now() < loggedAt + logIntervalMs) continue;
      loggedAt = Date.now();
      const { service, window } = this.environment.kills;
      const done = `${String(Math.round(action.at / 1000))} s, ${String(place + 1)} of ${String(plan.length)} done`;
      this.options.log(`${done}, ${String(service)} kills of the service and ${String(window)} of windows`);
    }
    await Promise.all([this.working.killService, this.working.killWindow]);
  }

  /**
   * Performs an action. Doesn't wait for kills, so that transfers are also submitted while the service isn't running.
   */
  private async act(action: SoakAction): Promise<void> {
    const { environment, working } = this;
    if (action.kind === 'killService') {
      working.killService = working.killService.then(() => environment.killService(action.pauseMs));
    } else if (action.kind === 'killWindow') {
      working.killWindow = working.killWindow.then(() => environment.killWindow(action.window, action.pauseMs));
    } else {
      if (action.kind === 'submit') this.paths.set(createDescription(action.number), action.paths);
      await environment.window(action.window).send(action);
    }
  }

  /**
   * Waits until each window has completed its commands and shows only transfers that have ended or await the user's
   * decision. A submission that waits for the service isn't shown yet. After 90 seconds, records everything that is
   * still pending as a fault.
   */
  private async waitUntilSettled(): Promise<void> {
    const until = Date.now() + settleLimitMs;
    for (;;) {
      const states = await Promise.all(this.environment.allWindows().map((window) => window.getState()));
      const open = states.flatMap(({ transfers }) => transfers.filter(({ state }) => !isSettled(state)));
      const pendingCount = states.reduce((sum, state) => sum + state.pendingCount, 0);
      if (open.length + pendingCount === 0) return;
      if (Date.now() > until) {
        this.faults.push(...open.map((transfer) => `${String(transfer.order.description)} stays ${transfer.state}`));
        if (pendingCount > 0) this.faults.push(`${String(pendingCount)} commands did not complete`);
        return;
      }
      await wait(systemClock, checkIntervalMs);
    }
  }

  /**
   * Resolves unconfirmed transfers as a user would. Confirms those that the service has started, and resubmits those
   * that it hasn't (D12: never resubmit).
   */
  private async resolveUnconfirmed(): Promise<void> {
    await this.environment.stopService();
    const truths = readJournal(this.environment.dataFolder);
    await this.environment.startService(false);
    const shown = await this.environment.window(0).list();
    for (let number = 0; number < this.options.transfers; number++) {
      const description = createDescription(number);
      const records = shown.filter(({ order }) => order.description === description);
      const started = truths.filter((truth) => truth.description === description);
      await this.resolveTransfer(number, records, started);
    }
  }

  private async resolveTransfer(
    number: number,
    records: readonly Transfer[],
    truths: readonly JournalTransfer[],
  ): Promise<void> {
    const description = createDescription(number);
    const [truth] = truths;
    const open = records.find(({ state }) => state === 'notConfirmed');
    if (truths.length > 1) this.faults.push(`${description} was submitted ${String(truths.length)} times`);
    if (records.some(({ state }) => state !== 'refused' && state !== 'notConfirmed')) return;
    const window = this.environment.window(0);
    if (open && truth) await window.run({ kind: 'confirm', key: open.key, id: truth.id });
    else if (truth) this.faults.push(`${description} has begun, and is kept as ${records[0]?.state ?? 'nothing'}`);
    else {
      const paths = this.paths.get(description) ?? [];
      await window.run({ kind: 'submit', number, paths, ...(open && { replacedKey: open.key }) });
    }
  }

  /**
   * Compares the ledger and the windows with the service's journal and destination, and records the differences as
   * faults.
   */
  private async check(): Promise<void> {
    const { environment, faults } = this;
    const ledger = new TransferLedger(environment.ledgerFolder, new MemoryLog());
    const isSame = async (): Promise<true | undefined> => {
      const [kept, ...shown] = [ledger.loadEnded(), ...environment.allWindows().map((window) => window.list())];
      const [expected, ...others] = (await Promise.all([kept, ...shown])).map(formatEnds);
      return others.every((ends) => ends === expected) || undefined;
    };
    await eventually(isSame).catch(() => faults.push('the windows do not show what the ledger holds'));
    await environment.stopService();
    const truths = readJournal(environment.dataFolder);
    const records = [...(await ledger.loadRunning()), ...(await ledger.loadEnded())];
    for (let number = 0; number < this.options.transfers; number++) {
      const description = createDescription(number);
      const own = records.filter(({ order }) => order.description === description);
      const started = truths.filter((truth) => truth.description === description);
      faults.push(...findRecordFaults(description, own, started));
      for (const truth of started) {
        faults.push(...findStateFaults(truth, this.paths.get(description) ?? []));
        faults.push(...(await findFileFaults(environment.target, truth, own)));
      }
    }
  }
}

function isSettled(state: TransferState): boolean {
  return hasEnded(state) || state === 'notConfirmed';
}

function formatEnds(transfers: readonly Transfer[]): string {
  return JSON.stringify(transfers.map(({ key, id, state }) => [key, id, state].join(' ')).sort());
}

function countStates(transfers: readonly Transfer[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of transfers) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
