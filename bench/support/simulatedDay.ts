import assert from 'node:assert/strict';
import type { Reply } from '../../src/core/client/reply.ts';
import { KeyWatch, OpenConnections, type OpenConnection } from '../../src/core/connections/openConnections.ts';
import type { Transfer, TransferStatus } from '../../src/core/model/transferModel.ts';
import { TransferMonitor } from '../../src/core/transfers/transferMonitor.ts';
import { Emitter } from '../../src/core/util/lifetime.ts';
import { TransferStore } from '../../src/core/transfers/transferStore.ts';
import { ManualClock } from '../../test/support/manualClock.ts';

/** Durations in milliseconds. */
export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;

/** A transfer of the simulated day. Durations are in milliseconds. */
export interface SimulatedTransfer {
  readonly key: string;
  /** Age at the start of the day; negative if the transfer is submitted later. */
  readonly ageMs: number;
  /** The interval between transferred files; absent if none is transferred. */
  readonly movesEveryMs?: number;
  readonly isCancelUnheeded?: boolean;
}

/** Returns true if the window has the focus at a time of the day. */
export function hasFocusAt(dayMs: number): boolean {
  return dayMs % (3 * hour) < hour;
}

/** Requests the status of a transfer from the scripted or the real server. */
export type RequestStatus = (life: SimulatedTransfer, dayMs: number) => Promise<Reply<TransferStatus | undefined>>;

/** The lease of the only window, which polls all transfers. */
const singleWindowLease: Omit<ConstructorParameters<typeof TransferMonitor>[0]['lease'], 'isAnyWindowFocused'> = {
  hasLease: () => true,
  onDidChange: new Emitter<void>().event,
  onDidRequestPoll: new Emitter<never>().event,
  requestPoll: () => Promise.resolve(),
  setEligible: () => undefined,
};

/** Runs a monitor over many transfers, with a clock that advances as fast as the machine allows. */
export class SimulatedDay {
  readonly clock = new ManualClock();
  /** Number of requests so far. */
  requestCount = 0;
  /** Number of requests without a response so far. */
  pendingCount = 0;
  private readonly startedAt = this.clock.now();
  private readonly store = new TransferStore();
  private readonly sessions = new OpenConnections();
  private readonly monitor: TransferMonitor;
  private readonly transfers: ReadonlyMap<string, SimulatedTransfer>;
  private readonly requestStatus: RequestStatus;
  private lastRequestAt = -Infinity;

  constructor(transfers: readonly SimulatedTransfer[], requestStatus: RequestStatus) {
    this.transfers = new Map(transfers.map((life) => [life.key, life]));
    this.requestStatus = requestStatus;
    const { clock, sessions, store } = this;
    this.monitor = new TransferMonitor({
      sessions,
      keys: new KeyWatch(sessions, clock),
      store,
      clock,
      lease: { ...singleWindowLease, isAnyWindowFocused: () => hasFocusAt(this.dayMs) },
      saved: {
        save: (transfer) => {
          store.put([transfer]);
          return Promise.resolve(transfer);
        },
        saveAll: (transfers) => {
          store.put(transfers);
          return Promise.resolve();
        },
      },
      getMinIntervalMs: () => second,
    });
    sessions.add(this.session());
  }

  /** Milliseconds since the start. */
  get dayMs(): number {
    return this.clock.now() - this.startedAt;
  }

  /** Adds transfers that the monitor polls. */
  start(transfers: Iterable<SimulatedTransfer>): void {
    this.store.put([...transfers].map((life) => this.createTransfer(life)));
  }

  end(): void {
    this.monitor.dispose();
  }

  /** Creates a transfer whose ID is its key. */
  private createTransfer({ key, ageMs, isCancelUnheeded }: SimulatedTransfer): Transfer {
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
    const life = this.transfers.get(id);
    assert.ok(life);
    assert.equal(this.pendingCount, 0, 'never two concurrent requests to one server');
    assert.ok(this.clock.now() - this.lastRequestAt >= 200, 'at most five a second');
    this.lastRequestAt = this.clock.now();
    this.requestCount += 1;
    this.pendingCount += 1;
    const reply = await this.requestStatus(life, this.dayMs);
    this.pendingCount -= 1;
    return reply;
  }
}
