import type { Transfer } from '../../core/model/transferModel.ts';
import { affectsWholeServer } from '../../core/transfers/statusUpdates.ts';
import { getBackoffMs, wait } from '../../core/util/clock.ts';
import { readServiceFile, type CliSession } from './cliSession.ts';
import { findRecordConnection } from './connectionsFile.ts';

const firstDelayMs = 1_000;
const maxDelayMs = 10_000;

/** Opens connections to local services again, which have another address and key after each start (D29: shared service). */
export class LocalReconnection {
  private readonly session: CliSession;
  /** The IDs of the connections that are being opened. */
  private readonly trying = new Set<string>();
  /** The IDs of the connections whose service has failed and hasn't replied since. */
  private failing: ReadonlySet<string> = new Set();
  /** The addresses and keys with which connections were opened last, by their ID. */
  private readonly used = new Map<string, string>();

  constructor(session: CliSession) {
    this.session = session;
  }

  /** Tries to open a connection again, unless it leads to another service. Resolves to false if that fails. */
  async tryToOpen(connectionId: string): Promise<boolean> {
    const { explorer, context, file } = this.session;
    const connection = findRecordConnection(context.options, file, connectionId);
    // Other keys may not be readable twice.
    if (connection?.serviceFile === undefined) return true;
    const access = await readServiceFile(connection.serviceFile).catch(() => undefined);
    if (!access) return false;
    const text = `${access.address} ${access.token}`;
    // A request to the same service may be under way.
    if (text === this.used.get(connectionId) && explorer.sessions.get(connectionId)) return true;
    explorer.connectFlow.close(connectionId);
    this.used.set(connectionId, text);
    return await this.session.open(connection).then(
      () => true,
      () => false,
    );
  }

  /** Opens the connections of transfers whose service fails, whenever it was started again, until it replies. */
  update(transfers: readonly Transfer[], signal: AbortSignal): void {
    const failing = transfers.filter(({ problem }) => {
      return problem !== undefined && problem.kind !== 'queued' && affectsWholeServer(problem);
    });
    this.failing = new Set(failing.map(({ order }) => order.connectionId));
    for (const connectionId of this.failing) void this.open(connectionId, signal);
  }

  private async open(connectionId: string, signal: AbortSignal): Promise<void> {
    if (this.trying.has(connectionId)) return;
    this.trying.add(connectionId);
    // A connection that was opened may have failed again before the first request.
    for (let round = 1; !signal.aborted && this.failing.has(connectionId); round += 1) {
      await this.tryToOpen(connectionId);
      await wait(this.session.context.clock, getBackoffMs(round, firstDelayMs, maxDelayMs), signal);
    }
    this.trying.delete(connectionId);
  }
}
