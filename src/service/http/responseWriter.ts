import type { ServerResponse } from 'node:http';
import type { LineStream } from './router.ts';

const pieceBytes = 256 * 1024;

interface Unsent {
  bytes: number;
  /** Time at which sending last made progress, in milliseconds since 1970. */
  lastReadAtMs: number;
}

/**
 * Sends bodies as fast as clients read them. Aborts stalled responses and, if the unsent bodies together exceed a
 * memory limit, the least recently read ones.
 */
export class ResponseWriter {
  private readonly stallLimitMs: number;
  private readonly maxUnsentBytes: number;
  private readonly unsent = new Map<ServerResponse, Unsent>();

  constructor(stallLimitMs: number, maxUnsentBytes: number) {
    this.stallLimitMs = stallLimitMs;
    this.maxUnsentBytes = maxUnsentBytes;
  }

  /** Writes a body without ending the response. Resolves when the whole body is written or the connection has ended. */
  async write(response: ServerResponse, body: Buffer): Promise<void> {
    const state: Unsent = { bytes: body.length, lastReadAtMs: Date.now() };
    this.unsent.set(response, state);
    this.makeRoom(response);
    try {
      for (let start = 0; start < body.length && !response.destroyed; start += pieceBytes) {
        if (!response.write(body.subarray(start, start + pieceBytes))) await this.waitForDrain(response);
        state.bytes = Math.max(0, body.length - start - pieceBytes);
        state.lastReadAtMs = Date.now();
      }
    } finally {
      this.unsent.delete(response);
    }
  }

  private async waitForDrain(response: ServerResponse): Promise<void> {
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
    for (const [response, state] of others.sort(([, one], [, other]) => one.lastReadAtMs - other.lastReadAtMs)) {
      if (sum <= this.maxUnsentBytes) return;
      sum -= state.bytes;
      response.destroy();
    }
  }
}

const maxUnreadBytes = 1024 * 1024;

/** Starts a response with one JSON value per line. Aborts the response if the client stops reading. */
export function openLineStream(response: ServerResponse, status: number): LineStream {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/x-ndjson');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Connection', 'close');
  return {
    write: (value) => {
      if (response.destroyed || response.writableEnded) return;
      response.write(`${JSON.stringify(value)}\n`);
      if (response.writableLength > maxUnreadBytes) response.destroy();
    },
    end: () => response.end(),
    onEnd: (listener) => {
      if (response.destroyed) listener();
      else response.once('close', listener);
    },
  };
}
