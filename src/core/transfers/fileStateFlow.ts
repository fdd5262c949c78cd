import { catchRefusal, type OpenConnections } from '../connections/openConnections.ts';
import { fileStates, maxFilePage, type FileState } from '../util/fileStates.ts';
import {
  findRequestedFiles,
  mayHaveUntransferred,
  type FileCounts,
  type FileProgress,
  type FileProgressPage,
} from '../model/fileProgress.ts';
import type { Transfer, TransferFile } from '../model/transferModel.ts';

/** Selects files of a transfer. */
interface FileSelection {
  readonly state: FileState;
  readonly limit?: number | undefined;
}

/** The first files of a transfer, and the number of files in each state. */
export interface FileOverview {
  readonly files: readonly FileProgress[];
  readonly counts: FileCounts;
}

/** Finds out which of a transfer's files have arrived, and why others haven't, as far as the service says (D71). */
export class FileStateFlow {
  private readonly sessions: OpenConnections;

  constructor(sessions: OpenConnections) {
    this.sessions = sessions;
  }

  private async *listPages(
    transfer: Transfer,
    { state, limit = Infinity }: FileSelection,
    signal?: AbortSignal,
  ): AsyncGenerator<FileProgressPage, undefined> {
    const client = this.sessions.get(transfer.order.connectionId)?.client;
    const { id } = transfer;
    if (client === undefined || id === undefined) return;
    let remaining = limit;
    let cursor: string | undefined;
    do {
      const request = { id, state, cursor, limit: Math.min(remaining, maxFilePage) };
      const { value: page } = await catchRefusal(client.transferFiles(request, signal));
      // The last page then still has a cursor, or there is none.
      if (page === undefined) return;
      // A service that ignores the state would otherwise have each file listed several times.
      const files = page.files.filter((file) => file.state === state);
      yield { ...page, files };
      remaining -= page.files.length;
      cursor = page.cursor === cursor ? undefined : page.cursor;
    } while (cursor !== undefined && remaining > 0);
  }

  /**
   * Returns up to `limit` files, state by state: those that failed first. Returns undefined if the service doesn't know
   * them or doesn't respond. `states` selects files, and defaults to all that the service lists.
   */
  async getOverview(
    transfer: Transfer,
    limit: number,
    states: readonly FileState[] = fileStates,
  ): Promise<FileOverview | undefined> {
    const files: FileProgress[] = [];
    let counts: FileCounts | undefined;
    for (const state of states) {
      // The counts in the response to the first request show which states are worth another one.
      if (counts && (files.length >= limit || counts[state] === undefined)) continue;
      for await (const page of this.listPages(transfer, { state, limit: limit - files.length })) {
        files.push(...page.files.slice(0, limit - files.length));
        counts = page.counts;
      }
      if (counts === undefined) return undefined;
    }
    return counts && { files, counts };
  }

  /**
   * Returns the requested files that an ended transfer didn't transfer. Returns undefined if the service doesn't know
   * them, or if none or all were transferred.
   */
  async findUntransferred(transfer: Transfer, signal?: AbortSignal): Promise<readonly TransferFile[] | undefined> {
    if (!mayHaveUntransferred(transfer)) return undefined;
    const failed = await this.listPositions(transfer, 'failed', signal);
    const unfinished = failed && (await this.listPositions(transfer, 'unfinished', signal));
    if (!unfinished) return undefined;
    const positions = [...failed, ...unfinished].sort((one, other) => one - other);
    const found = findRequestedFiles(transfer, positions);
    return found.length > 0 && found.length < transfer.order.files.length ? found : undefined;
  }

  private async listPositions(
    transfer: Transfer,
    state: FileState,
    signal: AbortSignal | undefined,
  ): Promise<readonly number[] | undefined> {
    const positions: number[] = [];
    let last: FileProgressPage | undefined;
    for await (const page of this.listPages(transfer, { state }, signal)) {
      for (const { position } of page.files) positions.push(position);
      last = page;
    }
    return last?.cursor !== undefined || last?.counts.transferred === undefined ? undefined : positions;
  }
}
