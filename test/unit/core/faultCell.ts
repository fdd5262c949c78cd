import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasEnded, type Transfer } from '../../../src/core/model/transferModel.ts';
import { FileLock } from '../../../src/core/util/fileLock.ts';
import { CoreWindow, type TransferWindow, type WindowPlace } from '../../support/coreWindow.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { TruthfulServer } from '../../support/truthfulServer.ts';
import { untilIdle } from '../../support/untilIdle.ts';
import { WindowProcess } from '../../support/windowProcess.ts';

const second = 1000;
/** The real time to wait for disk and network operations after each step of the clock. */
const stepPauseMs = 8;
/** The real time after which a test fails if its condition has not become true. */
const waitLimitMs = 120_000;
/** The time within which a window must read what another window has written. */
const lagMs = 15_000;

/** One cell of the fault matrix: a transfer, the windows that show it, and the server with its actual state. */
export class FaultCell {
  readonly clock: ManualClock;
  readonly server: TruthfulServer;
  readonly ledgerFolder: string;
  windows: readonly TransferWindow[] = [];
  /** Lets the transfer continue from the moment at which it is held. */
  release: () => Promise<void> | void = () => undefined;
  /** The number of status requests received before polling became possible again. */
  pollsBefore = 0;
  private readonly folder: string;
  private readonly cleanups: (() => Promise<void> | void)[] = [];

  private constructor(server: TruthfulServer, folder: string, clock: ManualClock) {
    this.clock = clock;
    this.server = server;
    this.folder = folder;
    this.ledgerFolder = join(folder, 'transfers');
  }

  /** Starts a cell with a first window. If `isProcess`, it runs in a separate process that a test can kill. */
  static async start(options: { readonly isProcess: boolean; readonly isHeld: boolean }): Promise<FaultCell> {
    const clock = new ManualClock();
    const server = await TruthfulServer.start(clock);
    const cell = new FaultCell(server, await mkdtemp(join(tmpdir(), 'matrix-')), clock);
    const place = cell.place(options.isHeld);
    cell.windows = [options.isProcess ? await WindowProcess.start(place) : await CoreWindow.open(place, clock)];
    return cell;
  }

  get first(): TransferWindow {
    const [window] = this.windows;
    assert.ok(window);
    return window;
  }

  /** The first window. Throws if it runs in a separate process. */
  get firstLocal(): CoreWindow {
    assert.ok(this.first instanceof CoreWindow);
    return this.first;
  }

  /** Opens another window in this process. */
  async openWindow(): Promise<CoreWindow> {
    const window = await CoreWindow.open(this.place(false), this.clock);
    this.windows = [...this.windows, window];
    return window;
  }

  /** Records that polling is possible from now on. */
  allowPolling(): void {
    this.pollsBefore = this.server.polls.length;
  }

  /** Advances the clocks of all windows in steps. Asserts after each step that no window contradicts the server. */
  async pass(ms: number, stepMs = second): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) await this.step(stepMs);
  }

  /** Advances the clocks like {@link pass}, but stops them while a request is queued or pending. */
  async passBetweenRequests(ms: number, stepMs: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await this.step(stepMs);
      await this.waitFor('no request is pending', async () => !(await this.hasServerLock()));
    }
  }

  /** Advances the clocks until a condition is true. Fails after `limitMs`. */
  async passUntil(
    description: string,
    condition: () => Promise<boolean> | boolean,
    limitMs: number,
    stepMs = 500,
  ): Promise<void> {
    const until = this.clock.now() + limitMs;
    while (!(await condition())) {
      assert.ok(
        this.clock.now() <= until,
        `${description}: not within ${String(limitMs)} ms; ${await this.describeShown()}`,
      );
      await this.step(stepMs);
    }
  }

  /** Waits in real time, with stopped clocks, until a condition is true. */
  async waitFor(description: string, condition: () => Promise<boolean> | boolean): Promise<void> {
    const until = Date.now() + waitLimitMs;
    while (!(await condition())) {
      assert.ok(Date.now() <= until, `${description}: did not become true; ${await this.describeShown()}`);
      await this.step(0);
    }
  }

  /** Locks the record of the transfer so that no window can write it, as if the disk were slow. */
  async lockRecord(): Promise<FileLock> {
    const lock = join(this.ledgerFolder, 'locks', `${await this.keyInLedger()}.lock`);
    return await eventually(() => FileLock.acquire(lock, this.clock));
  }

  /** Returns the file names of the records in a folder of the ledger. */
  async records(folder: 'running' | 'ended'): Promise<readonly string[]> {
    const names = await readdir(join(this.ledgerFolder, folder)).catch(() => []);
    return names.filter((name) => name.endsWith('.json'));
  }

  /** Adds a function to run at the end of the test. */
  addCleanup(act: () => Promise<void> | void): void {
    this.cleanups.push(act);
  }

  async end(): Promise<void> {
    for (const act of this.cleanups) await act();
    await this.release();
    this.server.statusGate.release();
    this.server.submissionGate.release();
    for (const window of this.windows) await window.end();
    await this.server.http.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }

  private async step(ms: number): Promise<void> {
    await this.clock.pass(ms);
    for (const window of this.windows) await window.pass(ms);
    await untilIdle(stepPauseMs);
    await this.assertWindows();
  }

  private async hasServerLock(): Promise<boolean> {
    const names = await readdir(join(this.ledgerFolder, 'servers')).catch(() => []);
    return names.some((name) => name.endsWith('.lock'));
  }

  /** Describes the state that each window shows, for failure messages. */
  private async describeShown(): Promise<string> {
    const shown = await Promise.all(this.windows.map((window) => window.shown()));
    return shown.map((transfer) => `${transfer?.state ?? 'nothing'} ${transfer?.problem?.kind ?? ''}`).join(', ');
  }

  /**
   * Asserts that no window contradicts the server, nothing was submitted twice, and no status requests were concurrent.
   */
  private async assertWindows(): Promise<void> {
    assert.ok(this.server.submissions <= 1, 'it was submitted twice');
    assert.ok(this.server.maxConcurrentCount <= 1, 'two status requests were concurrent');
    for (const window of this.windows) {
      const transfer = await window.shown();
      if (transfer) this.assertMatches(transfer, window);
    }
  }

  private assertMatches({ state, id }: Transfer, window: TransferWindow): void {
    const [actual] = this.server.transfers;
    if (id !== undefined) assert.equal(id, actual?.id);
    if (state === 'refused') assert.equal(actual, undefined, 'it is shown as refused, and the server has it');
    else if (hasEnded(state)) assert.equal(state, actual?.words.at(-1));
    else if (state === 'staging' || state === 'active')
      assert.ok(actual?.words.includes(state), `it was never ${state}`);
    if (state !== 'submitting' || !(window instanceof CoreWindow)) return;
    const isWaitedFor = this.windows.some((one) => one instanceof CoreWindow && one.isSubmitting);
    assert.ok(
      isWaitedFor || this.isNew(window),
      'it is shown as being submitted, but no window waits for the response',
    );
  }

  private isNew(window: CoreWindow): boolean {
    return window.explorer.transferStore.getRunning().every(({ createdAt }) => this.clock.now() - createdAt < lagMs);
  }

  private place(isHeld: boolean): WindowPlace {
    const { ledgerFolder, server, clock } = this;
    return { ledgerFolder, server: server.http.address, key: server.key, now: clock.now(), isHeld };
  }

  private async keyInLedger(): Promise<string> {
    const [name] = await this.records('running');
    assert.ok(name);
    return name.replace(/\.json$/, '');
  }
}
