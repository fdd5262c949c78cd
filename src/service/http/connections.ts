import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HttpProblem } from './httpProblem.ts';
import { parserProblem, rawAnswer } from './parserProblem.ts';

interface ConnectionState {
  /** Settles when what was asked before is answered. */
  turn: Promise<void>;
  /** Number of requests that wait for their turn. */
  waiting: number;
  /** What is being received, or was last; aborted when the rest of it turns out to be no HTTP. */
  last?: { readonly request: IncomingMessage; readonly broken: AbortController };
  isRefused: boolean;
}

const lastWordsMs = 1_000;
/** More than any client sends ahead; each that waits takes memory, and needs no token for it. */
const mostWaiting = 256;

/**
 * Keeps the order on each connection: requests that came together are answered one after another, so that one
 * connection never holds more than one answer, and what the parser refuses is answered in its turn.
 */
export class Connections {
  private readonly states = new WeakMap<Duplex, ConnectionState>();
  private readonly onRefuse: (problem: HttpProblem) => void;

  /** `onRefuse` is called for each problem that is answered where there is no request. */
  constructor(onRefuse: (problem: HttpProblem) => void) {
    this.onRefuse = onRefuse;
  }

  /**
   * Waits until all that was asked before on this connection is answered. The signal tells that its rest is no HTTP. Ends
   * a connection on which too many wait.
   */
  async turnOf(request: IncomingMessage, response: ServerResponse): Promise<AbortSignal> {
    const state = this.stateOf(request.socket);
    const before = state.turn;
    state.turn = new Promise((resolve) => response.once('close', resolve));
    const broken = new AbortController();
    state.last = { request, broken };
    state.waiting += 1;
    if (state.waiting > mostWaiting) request.socket.destroy();
    await before;
    state.waiting -= 1;
    return broken.signal;
  }

  /** Answers what the parser, or its clock, refused; ends the connection. */
  refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
    const state = this.stateOf(socket);
    const problem = parserProblem(error);
    if (problem === undefined) socket.destroy();
    if (problem === undefined || state.isRefused) return;
    state.isRefused = true;
    // Where the body of a request broke off, the one who reads it answers.
    const isInBody = state.last?.request.complete === false;
    if (isInBody) state.last?.broken.abort(problem);
    void state.turn.then(() => (isInBody ? end(socket) : this.endWith(socket, problem)));
  }

  /** Sends a problem where there is no response to write to, and ends the connection. */
  endWith(socket: Duplex, problem: HttpProblem): void {
    this.onRefuse(problem);
    if (socket.writable) end(socket, rawAnswer(problem));
    else socket.destroy();
  }

  private stateOf(socket: Duplex): ConnectionState {
    const known = this.states.get(socket);
    if (known !== undefined) return known;
    const state = { turn: Promise.resolve(), waiting: 0, isRefused: false };
    this.states.set(socket, state);
    return state;
  }
}

/** Destroyed at once, what is still on its way here would take the answer with it. */
function end(socket: Duplex, lastWords = ''): void {
  socket.end(lastWords);
  const timer = setTimeout(() => socket.destroy(), lastWordsMs);
  socket.once('close', () => clearTimeout(timer));
}
