import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request under way, of which a line is written at its end. */
export interface AccessRecord {
  /** The pattern of its route; left out where there is none. */
  route?: string | undefined;
}

/**
 * Writes one line of JSON for each request when it has ended (D40). It names the route by its pattern, never by what
 * was sent, so that neither a token nor an id nor a query gets into it.
 */
export class AccessLog {
  private readonly write: (line: string) => void;

  constructor(write: (line: string) => void) {
    this.write = write;
  }

  /** Follows a request until its answer is sent, or its connection has ended. */
  follow({ method }: IncomingMessage, response: ServerResponse): AccessRecord {
    const [time, startedAt] = [new Date().toISOString(), performance.now()];
    const record: AccessRecord = {};
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : null;
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      this.writeLine({ time, method: method ?? null, route: record.route ?? null, status, durationMs });
    });
    return record;
  }

  /** Notes what was refused before it was a request. */
  refused(status: number): void {
    this.writeLine({ time: new Date().toISOString(), method: null, route: null, status, durationMs: null });
  }

  private writeLine(line: Readonly<Record<string, string | number | null>>): void {
    this.write(`${JSON.stringify(line)}\n`);
  }
}
