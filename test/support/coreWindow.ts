import { Explorer } from '../../src/core/explorer.ts';
import type { Transfer } from '../../src/core/model/transferModel.ts';
import { ManualClock } from './manualClock.ts';
import { Gate } from './gate.ts';
import { MemoryLog } from './memoryLog.ts';
import { namesLearned, orcid, createExplorerDependencies } from './explorerDependencies.ts';

/** Options for opening a window: its ledger, its server and its clock. */
export interface WindowPlace {
  readonly ledgerFolder: string;
  /** The base address of the server. */
  readonly server: string;
  readonly key: string;
  /** The initial time of the window's own clock, in milliseconds since 1970. */
  readonly now: number;
  /** True to block submissions before they are sent, until `sending` is released. */
  readonly isHeld?: boolean;
}

/** A window with one transfer, in this process or in a separate one. */
export interface TransferWindow {
  /** Starts a submission; resolves before it completes. */
  submit(): Promise<void>;
  /** Returns the transfer that the window shows. */
  shown(): Promise<Transfer | undefined>;
  /** Advances the window's clock by `ms` milliseconds. */
  pass(ms: number): Promise<void>;
  /** Closes the window; kills it if it runs in a separate process. */
  end(): Promise<void>;
}

/** Runs the core of a window in this process. */
export class CoreWindow implements TransferWindow {
  readonly explorer: Explorer;
  /** While held, blocks submissions before they are sent. */
  readonly sending = new Gate();
  /** The result of the last submission: the transfer, or `given up` if the submission was rejected. */
  outcome: Promise<Transfer | 'given up'> | undefined;
  isSubmitting = false;
  private readonly place: WindowPlace;
  private readonly clock: ManualClock | undefined;

  /** Uses `clock` or, if it isn't given, a new clock that `pass` advances. */
  private constructor(place: WindowPlace, clock?: ManualClock) {
    this.place = place;
    this.clock = clock ? undefined : new ManualClock(place.now);
    if (place.isHeld) this.sending.hold();
    this.explorer = new Explorer(
      createExplorerDependencies({
        log: new MemoryLog(),
        clock: clock ?? this.ownClock,
        ledgerFolder: place.ledgerFolder,
        savedDialects: namesLearned(place.server),
        fetch: async (address, init) => {
          if (init.method === 'POST') await this.sending.pass();
          return await fetch(address, init);
        },
      }),
    );
  }

  /** Opens a window in the same order as the extension: first loads the ledger, then connects. */
  static async open(place: WindowPlace, clock?: ManualClock): Promise<CoreWindow> {
    const window = new CoreWindow(place, clock);
    await window.explorer.transferFlow.resume();
    await window.explorer.transferFlow.loadFinished();
    await window.connect(place.key);
    return window;
  }

  async connect(key: string): Promise<void> {
    const transport = this.place.isHeld ? 'editor' : 'direct';
    const connection = { id: 'c', name: 'Test', server: this.place.server, transport } as const;
    await this.explorer.connectFlow.open(connection, key);
  }

  submit(): Promise<void> {
    const files = [{ id: 'f1', name: 'f1.csv', sizeBytes: 5 }];
    const order = { connectionId: 'c', orcid, source: 'Alpha', destination: 'Beta', files };
    this.isSubmitting = true;
    const submitting = this.explorer.transferFlow.submit(order).catch(() => 'given up' as const);
    this.outcome = submitting.finally(() => {
      this.isSubmitting = false;
    });
    return Promise.resolve();
  }

  shown(): Promise<Transfer | undefined> {
    return Promise.resolve(this.explorer.transferStore.getAll()[0]);
  }

  async pass(ms: number): Promise<void> {
    await this.clock?.pass(ms);
  }

  end(): Promise<void> {
    this.explorer.dispose();
    return Promise.resolve();
  }

  private get ownClock(): ManualClock {
    if (!this.clock) throw new Error('This window goes by the clock of the test');
    return this.clock;
  }
}
