import type { ServerResponse } from 'node:http';

const pieceBytes = 256 * 1024;

interface Unsent {
  bytes: number;
  /** When its reader last took something; milliseconds since 1970. */
  movedAtMs: number;
}

/**
 * Sends bodies no faster than they are read, and gives up readers that stand still, so that what nobody reads does not
 * stay in memory: each for a time, and all together up to a number of bytes.
 */
export class AnswerFlow {
  private readonly stallLimitMs: number;
  private readonly maxUnsentBytes: number;
  private readonly unsent = new Map<ServerResponse, Unsent>();

  constructor(stallLimitMs: number, maxUnsentBytes: number) {
    this.stallLimitMs = stallLimitMs;
    this.maxUnsentBytes = maxUnsentBytes;
  }

  /** Writes a body, but does not end the answer. Resolves when all is handed over or the connection has ended. */
  async write(response: ServerResponse, body: Buffer): Promise<void> {
    const state: Unsent = { bytes: body.length, movedAtMs: Date.now() };
    this.unsent.set(response, state);
    this.makeRoom(response);
    try {
      for (let start = 0; start < body.length && !response.destroyed; start += pieceBytes) {
        if (!response.write(body.subarray(start, start + pieceBytes))) await this.drained(response);
        state.bytes = Math.max(0, body.length - start - pieceBytes);
        state.movedAtMs = Date.now();
      }
    } finally {
      this.unsent.delete(response);
    }
  }

  private async drained(response: ServerResponse): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => response.destroy(), this.stallLimitMs);
      const settle = (): void => {
        clearTimeout(timer);
        response.off('drain', settle).off('close', settle);
        resolve();
      };
      response.on('drain', settle).on('close', settle);
      if (response.destroyed) settle();
    });
  }

  private makeRoom(newest: ServerResponse): void {
    let sum = [...this.unsent.values()].reduce((total, state) => total + state.bytes, 0);
    const others = [...this.unsent].filter(([response]) => response !== newest);
    for (const [response, state] of others.sort(([, one], [, other]) => one.movedAtMs - other.movedAtMs)) {
      if (sum <= this.maxUnsentBytes) return;
      sum -= state.bytes;
      response.destroy();
    }
  }
}
