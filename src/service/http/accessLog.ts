import type { IncomingMessage, ServerResponse } from 'node:http';

/** The facts about a request that its handling adds to the access log. */
export interface AccessRecord {
  /** The path pattern of the request's route; absent for unknown paths. */
  route?: string | undefined;
  /** True for a stream that either side may end at any time. */
  isOpenEnded?: boolean;
}

/**
 * Writes a JSON line for each request (D40: administered service). Omits the path, so that no tokens, IDs or queries
 * are logged.
 */
export class AccessLog {
  private readonly write: (line: string) => void;

  constructor(write: (line: string) => void) {
    this.write = write;
  }

  /**
   * Tracks a request until its response is sent or its connection ends. An incomplete response is logged as aborted
   * unless it is open-ended.
   */
  track({ method }: IncomingMessage, response: ServerResponse): AccessRecord {
    const [time, startedAt] = [new Date().toISOString(), performance.now()];
    const record: AccessRecord = {};
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : null;
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      const isAborted = !response.writableFinished && record.isOpenEnded !== true;
      const aborted = isAborted ? { aborted: true } : {};
      this.writeLine({ time, method: method ?? null, route: record.route ?? null, status, durationMs, ...aborted });
    });
    return record;
  }

  /** Logs the status of a problem that was not sent in response to a tracked request. */
  recordRefusal(status: number): void {
    this.writeLine({ time: new Date().toISOString(), method: null, route: null, status, durationMs: null });
  }

  private writeLine(line: Readonly<Record<string, string | number | boolean | null>>): void {
    this.write(`${JSON.stringify(line)}\n`);
  }
}
