import * as nodePath from 'node:path';
import { Worker, type MessagePort } from 'node:worker_threads';
import type { Logger } from '../../core/util/logger.ts';

/** Methods that can be called across threads; arguments and results must be cloneable. */
type CallHandlers<T> = { readonly [K in keyof T]: (...args: never[]) => unknown };

type ThreadPort = MessagePort | Worker;

interface CallRequest {
  readonly call: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** The parts of an error that are sent to the other thread. */
interface SerializedError {
  readonly message: string;
  readonly code?: unknown;
}

type CallResponse = { readonly call: number } & ({ readonly result: unknown } | { readonly error: SerializedError });

interface PendingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Enough to make waking the thread cheap, and few enough to let it work while more arrive. */
const maxTogether = 32;

/**
 * Calls methods on another thread and matches responses to calls. Sends simultaneous requests in one message, because
 * waking a thread takes longer than most requests.
 */
export class ThreadCalls<T extends CallHandlers<T>> {
  private readonly port: ThreadPort;
  private readonly pendingCalls = new Map<number, PendingCall>();
  private unsent: CallRequest[] = [];
  private lastCall = 0;
  private failure: Error | undefined;

  constructor(port: ThreadPort) {
    this.port = port;
    port.on('message', (message: unknown) => {
      // The thread also sends lines for the log.
      if (typeof message === 'object' && message !== null && 'call' in message)
        this.handleResponse(message as CallResponse);
    });
  }

  /** Calls a method on the other thread. A failure has the message and code of the error thrown there. */
  async call<K extends keyof T & string>(method: K, ...args: Parameters<T[K]>): Promise<Awaited<ReturnType<T[K]>>> {
    if (this.failure) throw this.failure;
    const request: CallRequest = { call: ++this.lastCall, method, args };
    const result = new Promise<unknown>((resolve, reject) => {
      this.pendingCalls.set(request.call, { resolve, reject });
      this.unsent.push(request);
      if (this.unsent.length === maxTogether) this.send();
      else if (this.unsent.length === 1) setImmediate(() => this.send());
    });
    return (await result) as Awaited<ReturnType<T[K]>>;
  }

  /** True while calls are pending. */
  get isBusy(): boolean {
    return this.pendingCalls.size > 0;
  }

  /** Rejects all pending and future calls. */
  fail(error: Error): void {
    this.failure ??= error;
    for (const call of this.pendingCalls.values()) call.reject(error);
    this.pendingCalls.clear();
  }

  private send(): void {
    const requests = this.unsent;
    if (requests.length === 0) return;
    this.unsent = [];
    try {
      this.port.postMessage(requests);
    } catch {
      // At least one of the requests can't be cloned; the others must still be sent.
      for (const request of requests) this.sendAlone(request);
    }
  }

  private sendAlone(request: CallRequest): void {
    try {
      this.port.postMessage([request]);
    } catch (error) {
      this.handleResponse({ call: request.call, error: serializeError(error) });
    }
  }

  private handleResponse(message: CallResponse): void {
    const pending = this.pendingCalls.get(message.call);
    this.pendingCalls.delete(message.call);
    if ('result' in message) {
      pending?.resolve(message.result);
      return;
    }
    const { message: text, code } = message.error;
    pending?.reject(Object.assign(new Error(text), code === undefined ? {} : { code }));
  }
}

function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error)) return { message: String(error) };
  return 'code' in error ? { message: error.message, code: error.code } : { message: error.message };
}

/** Handles calls from another thread. Sends each response immediately, so that both threads work in parallel. */
export function handleCalls<T extends CallHandlers<T>>(port: ThreadPort, handlers: T): void {
  const handle = async ({ call, method, args }: CallRequest): Promise<void> => {
    try {
      const handler = handlers[method as keyof T] as unknown as (...values: readonly unknown[]) => unknown;
      port.postMessage({ call, result: await handler.apply(handlers, [...args]) } satisfies CallResponse);
    } catch (error) {
      port.postMessage({ call, error: serializeError(error) } satisfies CallResponse);
    }
  };
  port.on('message', (requests: unknown) => {
    if (!Array.isArray(requests)) return;
    // Each call runs in its own immediate callback, so that the previous response is sent first.
    for (const request of requests as readonly CallRequest[]) setImmediate(() => void handle(request));
  });
}

/** The task of a thread, which is its worker data. */
export interface ThreadRole {
  readonly role: 'catalogs' | 'reading' | 'files';
}

/** A line that a thread sends to the log of the main thread. */
export interface LoggedLine {
  readonly level: keyof Logger;
  readonly line: string;
}

/**
 * Limits that keep V8's young generation small, because the threads mainly create short-lived objects. With half as
 * much, objects of a scan live longer than the young generation, which takes more time and memory.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 12 } as const;

/** Starts a thread. All roles share one program, which is next to this module in both the sources and the build. */
export function startThread(role: ThreadRole['role']): Worker {
  const program = nodePath.join(import.meta.dirname, `thread${nodePath.extname(import.meta.filename)}`);
  return new Worker(program, { workerData: { role } satisfies ThreadRole, resourceLimits });
}
