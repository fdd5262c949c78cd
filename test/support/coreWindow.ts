import { Explorer } from '../../src/core/explorer.ts';
import type { Transfer } from '../../src/core/model/transfer.ts';
import { ManualClock } from './manualClock.ts';
import { Gate } from './gate.ts';
import { MemoryLog } from './memoryLog.ts';
import { namesLearned, orcid, surroundingsOf } from './surroundings.ts';

/** What a window is opened with. */
export interface WindowPlace {
  readonly ledgerFolder: string;
  /** The address of the server. */
  readonly server: string;
  readonly key: string;
  /** What its clock shows in the beginning; milliseconds since 1970. */
  readonly now: number;
  /** Whether submissions are held before they are sent. */
  readonly isHeld?: boolean;
}

/** A window with one transfer, wherever it runs. */
export interface TransferWindow {
  /** Begins to submit; resolves before that has come to its end. */
  submit(): Promise<void>;
  /** The one transfer, as a person sees it. */
  shown(): Promise<Transfer | undefined>;
  /** Lets time pass in this window. */
  pass(ms: number): Promise<void>;
  /** Ends as it does in order, or, where it is a process of its own, by force. */
  end(): Promise<void>;
}

/** The core as it is in a window, in this process. */
export class CoreWindow implements TransferWindow {
  readonly explorer: Explorer;
  /** Before a submission is sent. */
  readonly sending = new Gate();
  /** What a submission came to: how it stands, or that it was given up. */
  outcome: Promise<Transfer | 'given up'> | undefined;
  isSubmitting = false;
  private readonly place: WindowPlace;
  private readonly clock: ManualClock | undefined;

  /** With `clock`, time is that of the test; else the window has a clock of its own. */
  private constructor(place: WindowPlace, clock?: ManualClock) {
    this.place = place;
    this.clock = clock ? undefined : new ManualClock(place.now);
    if (place.isHeld) this.sending.hold();
    this.explorer = new Explorer(
      surroundingsOf({
        log: new MemoryLog(),
        clock: clock ?? this.ownClock,
        ledgerFolder: place.ledgerFolder,
        dialects: namesLearned(place.server),
        fetch: async (address, init) => {
          if (init.method === 'POST') await this.sending.pass();
          return await fetch(address, init);
        },
      }),
    );
  }

  /** Opens as the extension does: the ledger first, then the connection. */
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
    return Promise.resolve(this.explorer.transferStore.all()[0]);
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
