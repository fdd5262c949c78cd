import assert from 'node:assert/strict';
import type { Reply } from '../../src/core/client/reply.ts';
import { KeyWatch } from '../../src/core/flows/keyWatch.ts';
import { OpenConnections, type OpenConnection } from '../../src/core/flows/openConnections.ts';
import type { Transfer, TransferStatus } from '../../src/core/model/transferModel.ts';
import { TransferMonitor } from '../../src/core/monitor/transferMonitor.ts';
import { Emitter } from '../../src/core/util/emitter.ts';
import { TransferStore } from '../../src/core/store/transferStore.ts';
import { ManualClock } from '../../test/support/manualClock.ts';

/** Milliseconds. */
export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;

/** How one transfer goes through the day. Times in milliseconds from its beginning. */
export interface Life {
  readonly key: string;
  /** Its age at the beginning of the day; less than 0 for one that is submitted later. */
  readonly ageMs: number;
  /** A file moves this often; absent where nothing moves. */
  readonly movesEveryMs?: number;
  readonly isCancelUnheeded?: boolean;
}

/** Whether the person looks at the window, at a time of the day. */
export function hasFocusAt(dayMs: number): boolean {
  return dayMs % (3 * hour) < hour;
}

/** Answers for the scripted server; the real one, where the bench asks it. */
export type AskStatus = (life: Life, dayMs: number) => Promise<Reply<TransferStatus | undefined>>;

/** The only window there is asks for everything. */
const alone: ConstructorParameters<typeof TransferMonitor>[0]['lease'] = {
  hasLease: () => true,
  onDidChange: new Emitter<void>().event,
  onDidRequestPoll: new Emitter<never>().event,
  requestPoll: () => Promise.resolve(),
};

/** A monitor over many transfers, whose time passes as fast as the machine can work. */
export class SimulatedDay {
  readonly clock = new ManualClock();
  /** Questions so far. */
  asked = 0;
  /** Questions under way. */
  underWay = 0;
  private readonly startedAt = this.clock.now();
  private readonly store = new TransferStore();
  private readonly sessions = new OpenConnections();
  private readonly monitor: TransferMonitor;
  private readonly lives: ReadonlyMap<string, Life>;
  private readonly askStatus: AskStatus;
  private lastBegan = -Infinity;

  constructor(lives: readonly Life[], askStatus: AskStatus) {
    this.lives = new Map(lives.map((life) => [life.key, life]));
    this.askStatus = askStatus;
    const { clock, sessions, store } = this;
    this.monitor = new TransferMonitor({
      sessions,
      keys: new KeyWatch(sessions, clock),
      store,
      clock,
      lease: alone,
      save: async (...transfers) => {
        store.put(transfers);
        await Promise.resolve();
      },
      getMinIntervalMs: () => second,
      hasFocus: () => hasFocusAt(this.dayMs),
    });
    sessions.add(this.session());
  }

  /** Milliseconds since the beginning. */
  get dayMs(): number {
    return this.clock.now() - this.startedAt;
  }

  /** Submits what is to run from the beginning, or from now on. */
  begin(lives: Iterable<Life>): void {
    this.store.put([...lives].map((life) => this.transferOf(life)));
  }

  end(): void {
    this.monitor.dispose();
  }

  /** The id of a transfer is its key: no two lives are mixed up. */
  private transferOf({ key, ageMs, isCancelUnheeded }: Life): Transfer {
    const createdAt = this.startedAt - ageMs;
    return {
      key,
      id: key,
      order: { connectionId: 'c', orcid: 'o', source: 'A', destination: 'B', files: [{ id: 'f', name: 'f' }] },
      createdAt,
      state: 'active',
      changes: [{ state: 'active', at: createdAt }],
      status: { status: 'active' },
      ...(isCancelUnheeded && { cancelAcceptedAt: createdAt, cancelUnheeded: true }),
    };
  }

  private session(): OpenConnection {
    const client = { transferStatus: async (id: string) => await this.answer(id), dispose: () => undefined };
    const service = { address: 'https://example.org', name: 'Scripted', version: '1' };
    const connection = { id: 'c', name: 'Scripted', server: service.address };
    return { connection, service, client: client as unknown as OpenConnection['client'] };
  }

  private async answer(id: string): Promise<Reply<TransferStatus | undefined>> {
    const life = this.lives.get(id);
    assert.ok(life);
    assert.equal(this.underWay, 0, 'never two questions at once to one server');
    assert.ok(this.clock.now() - this.lastBegan >= 200, 'at most five a second');
    this.lastBegan = this.clock.now();
    this.asked += 1;
    this.underWay += 1;
    const reply = await this.askStatus(life, this.dayMs);
    this.underWay -= 1;
    return reply;
  }
}
