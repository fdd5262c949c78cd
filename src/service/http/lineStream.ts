import type { ServerResponse } from 'node:http';
import type { LineStream } from './router.ts';

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
