import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Explorer } from '../../../src/core/explorer.ts';
import type { OpenConnection } from '../../../src/core/connections/openConnections.ts';
import type { Connection } from '../../../src/core/model/connection.ts';
import type { TransferOrder } from '../../../src/core/model/transferModel.ts';
import type { Emitter } from '../../../src/core/util/lifetime.ts';
import { json } from '../../support/faultBehaviors.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { namesLearned, orcid, createExplorerDependencies } from '../../support/explorerDependencies.ts';
import { untilIdle } from '../../support/untilIdle.ts';

/** The whole core, with a real HTTP server whose responses a test sets, and a clock that the test advances. */
export class Rig {
  readonly server: FaultServer;
  readonly folder: string;
  readonly clock = new ManualClock();
  readonly log = new MemoryLog();
  hasFocus = true;
  /** The saved dialects of servers, which a restarted core loads. */
  savedDialects: unknown;
  /** Stores the ID of the active connection. */
  remember: (connectionId: string) => Promise<void> = () => Promise.resolve();
  /** The saved searchability of databases, which a restarted core loads. */
  savedSearchability: unknown;
  explorer: Explorer;
  private readonly others: Explorer[] = [];

  private constructor(server: FaultServer, folder: string) {
    this.server = server;
    this.folder = folder;
    this.savedDialects = namesLearned(server.address);
    this.explorer = this.newExplorer();
  }

  static async start(): Promise<Rig> {
    const server = await FaultServer.start();
    server.on('GET /', json({ name: 'Test service', version: '1.2.3' }));
    server.on('GET /api/v1/databases', json(databases));
    return new Rig(server, await mkdtemp(join(tmpdir(), 'explorer-')));
  }

  get connection(): Connection {
    return { id: 'c', name: 'Test', server: this.server.address };
  }

  get order(): TransferOrder {
    const files = [{ id: 'f1', name: 'f1.csv', sizeBytes: 5 }];
    return { connectionId: 'c', orcid, source: 'Alpha', destination: 'Beta', files };
  }

  async connect(explorer = this.explorer): Promise<OpenConnection> {
    await explorer.connectFlow.open(this.connection, 'the-key');
    const { active } = explorer.sessions;
    if (!active) throw new Error('The rig could not connect');
    return active;
  }

  /** Advances the clock until a promise settles, for operations that wait between retries. */
  async advanceUntilSettled<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    while (!isSettled) {
      await this.clock.pass(1000);
      // File locks take real time, during which the manual clock must not advance too far.
      await untilIdle(1);
    }
    return await promise;
  }

  /** Disposes of the core, as a closing window does, and starts a new one with the same ledger. */
  restart(): void {
    this.explorer.dispose();
    this.explorer = this.newExplorer();
  }

  /** Opens another window with the same ledger. */
  openWindow(hasFocus = (): boolean => false): Explorer {
    const explorer = this.newExplorer(hasFocus);
    this.others.push(explorer);
    return explorer;
  }

  async end(): Promise<void> {
    for (const explorer of [this.explorer, ...this.others]) explorer.dispose();
    await this.server.stop();
    // What a disposed core is still writing would create the folder again.
    await untilIdle(1);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }

  private newExplorer(hasFocus = (): boolean => this.hasFocus): Explorer {
    return new Explorer(
      createExplorerDependencies({
        log: this.log,
        clock: this.clock,
        ledgerFolder: join(this.folder, 'transfers'),
        hasFocus,
        savedDialects: this.savedDialects,
        savedSearchability: this.savedSearchability,
        saveSearchability: (learned) => {
          this.savedSearchability = JSON.parse(JSON.stringify(learned));
        },
        saveDialects: (learned) => {
          this.savedDialects = JSON.parse(JSON.stringify(learned));
        },
        rememberConnection: (id) => this.remember(id),
      }),
    );
  }
}

const databases = [
  { id: 'a', name: 'Alpha', organization: 'One', url: '' },
  { id: 'b', name: 'Beta', organization: 'Two', url: '' },
];

type Event<T> = Emitter<T>['event'];

/** Resolves when `condition` returns true. Calls `condition` immediately and after every event. */
export async function until(
  event: Event<never> | Event<void> | Event<readonly string[]> | Event<object | undefined>,
  condition: () => boolean,
): Promise<void> {
  if (condition()) return;
  await new Promise<void>((resolve) => {
    const subscription = (event as Event<unknown>)(() => {
      if (!condition()) return;
      subscription.dispose();
      resolve();
    });
  });
}
