import { once } from 'node:events';
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { readEntered, type Entered } from './entered.ts';

/** Counts the calls of functions in the threads of a process. */
export interface CallProfiler {
  /** Returns the functions that each thread has called since the last call of this method. */
  take(): Promise<readonly Entered[]>;
  dispose(): void;
}

const precise = { callCount: true, detailed: false };

/** Counts the calls in this thread. */
export async function profileThisThread(root: string): Promise<CallProfiler> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', precise);
  return {
    take: async () => [readEntered(root, (await session.post('Profiler.takePreciseCoverage')).result)],
    dispose: () => session.disconnect(),
  };
}

/** A message of the inspector protocol: a reply, which has the ID of its request, or an event. */
interface InspectorMessage {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly message?: string };
}

/** Counts the calls in a thread of another process, with requests of the inspector protocol. */
class ThreadInspector {
  private readonly send: (text: string) => void;
  private readonly pending = new Map<number, (message: InspectorMessage) => void>();
  private readonly started: Promise<unknown>;
  private lastId = 0;

  /** Starts to count, and lets a thread run that waits for this. */
  constructor(send: (text: string) => void) {
    this.send = send;
    this.started = Promise.all([
      this.post('Profiler.enable'),
      this.post('Profiler.startPreciseCoverage', precise),
      this.post('Runtime.runIfWaitingForDebugger'),
    ]);
  }

  async post(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.lastId;
    const reply = new Promise<InspectorMessage>((resolve) => this.pending.set(id, resolve));
    this.send(JSON.stringify({ id, method, params }));
    const { result, error } = await reply;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Takes a reply; returns any other message. */
  receive(text: string): InspectorMessage | undefined {
    const message = JSON.parse(text) as InspectorMessage;
    if (message.id === undefined) return message;
    this.pending.get(message.id)?.(message);
    this.pending.delete(message.id);
    return undefined;
  }

  async take(root: string): Promise<Entered> {
    await this.started;
    const taken = (await this.post('Profiler.takePreciseCoverage')) as Profiler.TakePreciseCoverageReturnType;
    return readEntered(root, taken.result);
  }
}

/** Counts the calls in all threads of another process, through the process's inspector. */
export class ProcessProfiler implements CallProfiler {
  private readonly root: string;
  private readonly socket: WebSocket;
  private readonly main: ThreadInspector;
  private readonly workers = new Map<string, ThreadInspector>();

  private constructor(root: string, socket: WebSocket) {
    this.root = root;
    this.socket = socket;
    socket.addEventListener('message', ({ data }) => this.receive(String(data)));
    this.main = new ThreadInspector((text) => socket.send(text));
  }

  /** Connects to the inspector at `address`, a WebSocket URL. Counts in threads that start later, too. */
  static async connect(root: string, address: string): Promise<ProcessProfiler> {
    const socket = new WebSocket(address);
    await once(socket, 'open');
    const profiler = new ProcessProfiler(root, socket);
    await profiler.main.post('NodeWorker.enable', { waitForDebuggerOnStart: true });
    return profiler;
  }

  async take(): Promise<readonly Entered[]> {
    const threads = [this.main, ...this.workers.values()];
    return await Promise.all(threads.map(async (thread) => await thread.take(this.root)));
  }

  dispose(): void {
    this.socket.close();
  }

  private receive(text: string): void {
    const { method, params: { sessionId, message = '' } = { sessionId: '' } } = this.main.receive(text) ?? {};
    if (method === 'NodeWorker.attachedToWorker') this.addWorker(sessionId);
    if (method === 'NodeWorker.detachedFromWorker') this.workers.delete(sessionId);
    if (method === 'NodeWorker.receivedMessageFromWorker') this.workers.get(sessionId)?.receive(message);
  }

  private addWorker(sessionId: string): void {
    const send = (message: string): void => {
      void this.main.post('NodeWorker.sendMessageToWorker', { sessionId, message });
    };
    this.workers.set(sessionId, new ThreadInspector(send));
  }
}
