import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hasEnded, type Transfer } from '../../../src/core/model/transferModel.ts';
import { FileLock } from '../../../src/core/util/fileLock.ts';
import { CoreWindow, type TransferWindow, type WindowPlace } from '../../support/coreWindow.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { TruthfulServer } from '../../support/truthfulServer.ts';
import { WindowProcess } from '../../support/windowProcess.ts';

const second = 1000;
/** The time that a window has for disk and network between two steps of the clock. */
const breathMs = 8;
const patienceMs = 5_000;
/** So long a window may take to see what another one has written. */
const lagMs = 15_000;

/** One transfer at one moment of its life, the windows that show it, and the server that knows the truth of it. */
export class FaultCell {
  readonly clock: ManualClock;
  readonly server: TruthfulServer;
  readonly ledgerFolder: string;
  windows: readonly TransferWindow[] = [];
  /** Lets go of what holds the transfer at its moment. */
  release: () => Promise<void> | void = () => undefined;
  /** How many questions had been asked when everything was in order again. */
  questionsBefore = 0;
  private readonly folder: string;
  private readonly endings: (() => Promise<void> | void)[] = [];

  private constructor(server: TruthfulServer, folder: string, clock: ManualClock) {
    this.clock = clock;
    this.server = server;
    this.folder = folder;
    this.ledgerFolder = join(folder, 'transfers');
  }

  /** With a first window, which is a process of its own where it is to be killed. */
  static async start(how: { readonly isProcess: boolean; readonly isHeld: boolean }): Promise<FaultCell> {
    const clock = new ManualClock();
    const server = await TruthfulServer.start(clock);
    const cell = new FaultCell(server, await mkdtemp(join(tmpdir(), 'matrix-')), clock);
    const place = cell.place(how.isHeld);
    cell.windows = [how.isProcess ? await WindowProcess.start(place) : await CoreWindow.open(place, clock)];
    return cell;
  }

  get first(): TransferWindow {
    const [window] = this.windows;
    assert.ok(window);
    return window;
  }

  /** The first window, where it runs in this process. */
  get here(): CoreWindow {
    assert.ok(this.first instanceof CoreWindow);
    return this.first;
  }

  /** One more window, in this process. */
  async openWindow(): Promise<CoreWindow> {
    const window = await CoreWindow.open(this.place(false), this.clock);
    this.windows = [...this.windows, window];
    return window;
  }

  /** From now on nothing is in the way of asking. */
  nothingIsInTheWay(): void {
    this.questionsBefore = this.server.questions.length;
  }

  /** Lets time pass for all in steps; after each, what is shown must not be untrue. */
  async pass(ms: number, stepMs = second): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) await this.step(stepMs);
  }

  /** The same, where no time passes while a request waits for its turn or is under way. */
  async passBetweenRequests(ms: number, stepMs: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await this.step(stepMs);
      await this.settled('no request is under way', async () => !(await this.hasServerLock()));
    }
  }

  /** The same, until something is so; fails when it is not after `limitMs`. Resolves with how long that took. */
  async passUntil(what: string, isSo: () => Promise<boolean> | boolean, limitMs: number, stepMs = 500): Promise<void> {
    const until = this.clock.now() + limitMs;
    while (!(await isSo())) {
      assert.ok(this.clock.now() <= until, `${what}: not within ${String(limitMs)} ms; ${await this.told()}`);
      await this.step(stepMs);
    }
  }

  /** Waits for disk and network alone, while the clock stands. */
  async settled(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
    const until = Date.now() + patienceMs;
    while (!(await isSo())) {
      assert.ok(Date.now() <= until, `${what}: it did not come to that; ${await this.told()}`);
      await this.step(0);
    }
  }

  /** Keeps everybody from writing the record of the one transfer, as a slow disk does. */
  async holdRecord(): Promise<FileLock> {
    const lock = join(this.ledgerFolder, 'locks', `${await this.keyInLedger()}.lock`);
    return await eventually(() => FileLock.acquire(lock, this.clock));
  }

  /** The names of the records, by shelf. */
  async records(shelf: 'running' | 'ended'): Promise<readonly string[]> {
    const names = await readdir(join(this.ledgerFolder, shelf)).catch(() => []);
    return names.filter((name) => name.endsWith('.json'));
  }

  /** Does something at the end of the test. */
  atEnd(act: () => Promise<void> | void): void {
    this.endings.push(act);
  }

  async end(): Promise<void> {
    for (const act of this.endings) await act();
    await this.release();
    this.server.answering.release();
    this.server.submitting.release();
    for (const window of this.windows) await window.end();
    await this.server.http.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }

  private async step(ms: number): Promise<void> {
    await this.clock.pass(ms);
    for (const window of this.windows) await window.pass(ms);
    await setTimeout(breathMs);
    await this.assertNothingUntrue();
  }

  private async hasServerLock(): Promise<boolean> {
    const names = await readdir(join(this.ledgerFolder, 'servers')).catch(() => []);
    return names.some((name) => name.endsWith('.lock'));
  }

  /** What every window shows, for who has to find out why. */
  private async told(): Promise<string> {
    const shown = await Promise.all(this.windows.map((window) => window.shown()));
    return shown.map((transfer) => `${transfer?.state ?? 'nothing'} ${transfer?.problem?.kind ?? ''}`).join(', ');
  }

  /** Whatever happens, nobody may be told what the server knows to be otherwise. */
  private async assertNothingUntrue(): Promise<void> {
    assert.ok(this.server.submissions <= 1, 'it was submitted twice');
    assert.ok(this.server.mostAtOnce <= 1, 'two questions were under way at once');
    for (const window of this.windows) {
      const transfer = await window.shown();
      if (transfer) this.assertTrue(transfer, window);
    }
  }

  private assertTrue({ state, id }: Transfer, window: TransferWindow): void {
    const [truth] = this.server.transfers;
    if (id !== undefined) assert.equal(id, truth?.id);
    if (state === 'refused') assert.equal(truth, undefined, 'it is shown as refused, and the server has it');
    else if (hasEnded(state)) assert.equal(state, truth?.words.at(-1));
    else if (state === 'staging' || state === 'active')
      assert.ok(truth?.words.includes(state), `it was never ${state}`);
    if (state !== 'submitting' || !(window instanceof CoreWindow)) return;
    const isWaitedFor = this.windows.some((one) => one instanceof CoreWindow && one.isSubmitting);
    assert.ok(isWaitedFor || this.isNew(window), 'nobody waits for the answer to what is shown as being submitted');
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
