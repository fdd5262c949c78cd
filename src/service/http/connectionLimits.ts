import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { formatRawResponse, HttpProblem, toParserProblem } from './httpProblem.ts';

/**
 * Limits the number of connections (D40: administered service). At the limit, a new connection replaces the
 * unauthenticated one that has been idle longest. If all connections have authenticated, the new one is closed.
 */
export class ConnectionLimit {
  private readonly max: number;
  private readonly open = new Set<Duplex>();
  /** Connections that have not sent a valid token yet, longest idle first. */
  private readonly unauthenticated = new Set<Duplex>();

  constructor(max: number) {
    this.max = max;
  }

  admit(socket: Duplex): void {
    if (this.open.size >= this.max) {
      const [replaced = socket] = this.unauthenticated;
      // Its close event would come too late if many connections arrive at the same time.
      this.forget(replaced);
      replaced.destroy();
    }
    if (socket.destroyed) return;
    this.open.add(socket);
    this.unauthenticated.add(socket);
    socket.once('close', () => this.forget(socket));
  }

  /** Records a request on a connection, which makes it the most recently used one. */
  touch(socket: Duplex): void {
    if (this.unauthenticated.delete(socket)) this.unauthenticated.add(socket);
  }

  /** Marks a connection as authenticated, so that it is never replaced. */
  trust(socket: Duplex): void {
    this.unauthenticated.delete(socket);
  }

  private forget(socket: Duplex): void {
    this.open.delete(socket);
    this.unauthenticated.delete(socket);
  }
}

interface ConnectionState {
  /** Resolves when all requests received so far on the connection are complete. */
  turn: Promise<void>;
  waiting: number;
  /** The most recently received request. `broken` is aborted if the parser rejects the rest of the request. */
  last?: { readonly request: IncomingMessage; readonly broken: AbortController };
  isRefused: boolean;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
}

const closeDelayMs = 1_000;
/** No real client pipelines this many. Waiting requests use memory before they are authenticated. */
const maxWaiting = 256;
const tooManyDetail = `More than ${maxWaiting} requests were waiting on this connection. Wait for their responses.`;

/** Processes the requests of each connection in order, and sends responses to parser errors in the same order. */
export class RequestPipeline {
  private readonly states = new WeakMap<Duplex, ConnectionState>();
  private readonly onRefuse: (problem: HttpProblem) => void;

  constructor(onRefuse: (problem: HttpProblem) => void) {
    this.onRefuse = onRefuse;
  }

  /**
   * Waits for all previous requests on the connection. The returned signal aborts if the parser rejects the rest of
   * this request. If too many are waiting, responds to them, refuses this one, and waits until the connection is
   * closed.
   */
  async waitForTurn(request: IncomingMessage, response: ServerResponse): Promise<AbortSignal> {
    const state = this.getState(request.socket);
    if (state.isRefused || state.waiting >= maxWaiting) return await this.refuseRequest(state, request.socket);
    const previous = state.turn;
    state.turn = new Promise((resolve) => response.once('close', resolve));
    const broken = new AbortController();
    state.last = { request, broken };
    state.waiting += 1;
    await previous;
    state.waiting -= 1;
    return broken.signal;
  }

  /** Refuses a request, and every later one on the connection, after the responses to the waiting requests. */
  private async refuseRequest(state: ConnectionState, socket: Socket): Promise<AbortSignal> {
    if (!state.isRefused) {
      state.isRefused = true;
      // Later requests would use memory, although none of them gets a response. Each response resumes the socket.
      socket.pause();
      socket.on('resume', () => socket.pause());
      void state.turn.then(() => this.endWithProblem(socket, new HttpProblem(503, tooManyDetail)));
    }
    await state.closed;
    return AbortSignal.abort();
  }

  /** Responds to an error or timeout reported by the parser, and closes the connection. */
  refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    const state = this.getState(socket);
    const problem = toParserProblem(error);
    if (problem === undefined) socket.destroy();
    if (problem === undefined || state.isRefused) return;
    state.isRefused = true;
    // While a body is being read, its reader sends the response.
    const isInBody = state.last?.request.complete === false;
    if (isInBody) state.last?.broken.abort(problem);
    void state.turn.then(() => (isInBody ? end(socket) : this.endWithProblem(socket, problem)));
  }

  /** Sends a problem without using a response object, and closes the connection. */
  endWithProblem(socket: Duplex, problem: HttpProblem): void {
    this.onRefuse(problem);
    if (socket.writable) end(socket, formatRawResponse(problem));
    else socket.destroy();
  }

  private getState(socket: Duplex): ConnectionState {
    const known = this.states.get(socket);
    if (known !== undefined) return known;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const state = { turn: Promise.resolve(), waiting: 0, isRefused: false, closed };
    this.states.set(socket, state);
    return state;
  }
}

/** Ends a connection. Destroys it only after a delay, because destroying it immediately could discard the response. */
function end(socket: Duplex, finalText = ''): void {
  socket.end(finalText);
  const timer = setTimeout(() => socket.destroy(), closeDelayMs);
  socket.once('close', () => clearTimeout(timer));
}
