import type { ServerResponse } from 'node:http';
import type { RecordedRequest } from './faultServer.ts';

/** Responds to a request to a route of a fault server. */
export type Behavior = (request: RecordedRequest, response: ServerResponse) => void | Promise<void>;

/** Responds with the behavior that `make` returns for the request. */
export function chooseBehavior(make: (request: RecordedRequest) => Behavior): Behavior {
  return (request, response) => make(request)(request, response);
}

/** Responds with JSON. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Behavior {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
}

/** Responds with text, declared as `contentType`. */
export function text(status: number, body: string, contentType = 'text/plain; charset=utf-8'): Behavior {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': contentType }).end(body);
  };
}

/** Responds with a status and headers, without a body. */
export function empty(status: number, headers: Record<string, string> = {}): Behavior {
  return (_request, response) => {
    response.writeHead(status, { 'content-length': '0', ...headers }).end();
  };
}

/** Responds with a problem document (D14: error documents). */
export function problem(status: number, detail: string, messages: readonly string[] = []): Behavior {
  const errors = messages.map((message) => ({ message, location: 'body', value: 'somebody-elses-data' }));
  const document = { title: 'A title', status, detail, ...(errors.length > 0 && { errors }) };
  return json(document, status, { 'content-type': 'application/problem+json' });
}

/** Responds as the public server does to its own errors: the message is only in `errors`. */
export function plainProblem(status: number, message: string): Behavior {
  return problem(status, 'unexpected error occurred', [message]);
}

/** Responds with an HTML page. */
export function html(status: number, title: string): Behavior {
  return text(status, `<!doctype html><html><head><title>${title}</title></head><body>x</body></html>`, 'text/html');
}

/** Accepts the request and never responds. */
export function silence(): Behavior {
  return () => undefined;
}

/** Sends an interim response (102) every `pauseMs` milliseconds, but never a final one. */
export function endlessInterimResponses(pauseMs: number): Behavior {
  return (_request, response) => {
    const timer = setInterval(() => response.writeProcessing(), pauseMs).unref();
    response.on('close', () => clearInterval(timer));
  };
}

/** Sends two interim responses (103 and 102) before the actual response. */
export function interim(then: Behavior): Behavior {
  return async (request, response) => {
    response.writeEarlyHints({ link: '</x>; rel=preload' });
    response.writeProcessing();
    await then(request, response);
  };
}

/** Delays the response by `delayMs` milliseconds. */
export function slowHeaders(delayMs: number, then: Behavior): Behavior {
  return async (request, response) => {
    await new Promise<void>((resolve) => setTimeout(resolve, delayMs).unref());
    await then(request, response);
  };
}

/** Sends JSON in the given number of pieces, with a pause of `pauseMs` milliseconds after each. */
export function slowBody(value: unknown, pieces: number, pauseMs: number): Behavior {
  return async (_request, response) => {
    const body = JSON.stringify(value);
    const size = Math.ceil(body.length / pieces);
    response.writeHead(200, { 'content-type': 'application/json' });
    for (let start = 0; start < body.length; start += size) {
      response.write(body.slice(start, start + size));
      await new Promise<void>((resolve) => setTimeout(resolve, pauseMs).unref());
    }
    response.end();
  };
}

/** Sends the first part of a body and then stalls, with the connection open. */
export function stalledBody(beginning = '{"resources":['): Behavior {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write(beginning);
  };
}

/** Closes the connection without a response, as a server does when its handler has crashed. */
export function dropBeforeAnswer(): Behavior {
  return (_request, response) => {
    response.socket?.destroy();
  };
}

/** Resets the connection without a response. */
export function resetBeforeAnswer(): Behavior {
  return (_request, response) => {
    response.socket?.resetAndDestroy();
  };
}

/** Declares a body of 1000 bytes, sends part of it, and closes the connection. */
export function dropDuringBody(beginning = '{"resources":[', status = 200): Behavior {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write(beginning, () => response.socket?.destroy());
  };
}

/** Sends `bytes` bytes of valid JSON. With `isChunked`, doesn't declare the length. */
export function tooLarge(bytes: number, isChunked = true): Behavior {
  return (_request, response) => {
    const body = `"${'x'.repeat(bytes - 2)}"`;
    response.writeHead(200, {
      'content-type': 'application/json',
      ...(!isChunked && { 'content-length': String(bytes) }),
    });
    response.end(body);
  };
}

/** Redirects to another location. */
export function redirect(location: string, status = 302): Behavior {
  return empty(status, { location });
}

/** Responds without a body and tells the client in `Retry-After` when to retry. */
export function busy(status: number, retryAfter: string): Behavior {
  return empty(status, { 'retry-after': retryAfter });
}

/** Responds with something that is not HTTP. */
export function notHttp(): Behavior {
  return (_request, response) => {
    response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n');
  };
}
