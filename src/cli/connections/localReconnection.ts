import type { Transfer } from '../../core/model/transferModel.ts';
import { affectsWholeServer } from '../../core/transfers/statusUpdates.ts';
import { getBackoffMs, wait } from '../../core/util/clock.ts';
import type { CliSession } from './cliSession.ts';
import { findRecordConnection } from './connectionsFile.ts';

const firstDelayMs = 1_000;
const maxDelayMs = 10_000;

/** Opens connections to local services again, which have another address and key after each start (D29: shared service). */
export class LocalReconnection {
  private readonly session: CliSession;
  /** The IDs of the connections that are being opened. */
  private readonly trying = new Set<string>();
  private readonly seen = new Map<string, Transfer['problem']>();

  constructor(session: CliSession) {
    this.session = session;
  }

  /** Tries to open a connection again, unless it leads to another service. Resolves to false if that fails. */
  async tryToOpen(connectionId: string): Promise<boolean> {
    const { explorer, context, file } = this.session;
    const connection = findRecordConnection(context.options, file, connectionId);
    // Other keys may not be readable twice.
    if (connection?.serviceFile === undefined) return true;
    explorer.connectFlow.close(connectionId);
    return await this.session.open(connection).then(
      () => true,
      () => false,
    );
  }

  /** Opens the connections of transfers whose service has failed since the last call, as soon as that is possible. */
  update(transfers: readonly Transfer[], signal: AbortSignal): void {
    for (const { key, problem, order } of transfers) {
      const isNew = problem !== this.seen.get(key);
      this.seen.set(key, problem);
      const hasFailed = problem !== undefined && problem.kind !== 'queued' && affectsWholeServer(problem);
      if (isNew && hasFailed) void this.open(order.connectionId, signal);
    }
  }

  private async open(connectionId: string, signal: AbortSignal): Promise<void> {
    if (this.trying.has(connectionId)) return;
    this.trying.add(connectionId);
    for (let round = 1; !signal.aborted && !(await this.tryToOpen(connectionId)); round += 1)
      await wait(this.session.context.clock, getBackoffMs(round, firstDelayMs, maxDelayMs), signal);
    this.trying.delete(connectionId);
  }
}
