import type { MessagePort, Worker } from 'node:worker_threads';

/** What a thread can be asked for: plain values in, plain values out. */
type Answers<T> = { readonly [K in keyof T]: (...args: never[]) => unknown };

/** One of the two ends between threads. */
type ThreadEnd = MessagePort | Worker;

interface Question {
  readonly call: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** What is left of an error on its way. */
interface WrittenError {
  readonly message: string;
  readonly code?: unknown;
}

type Reply = { readonly call: number } & ({ readonly result: unknown } | { readonly error: WrittenError });

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Sends what is asked at nearly the same moment in one go: to wake a thread takes longer than most of what it is asked. */
class Outbox {
  private readonly end: ThreadEnd;
  private readonly refused: (question: Question, error: unknown) => void;
  private questions: Question[] = [];

  /** `refused` is told of what cannot be sent. */
  constructor(end: ThreadEnd, refused: (question: Question, error: unknown) => void) {
    this.end = end;
    this.refused = refused;
  }

  put(question: Question): void {
    this.questions.push(question);
    if (this.questions.length === 1) setImmediate(() => this.send());
  }

  private send(): void {
    const { questions } = this;
    this.questions = [];
    try {
      this.end.postMessage(questions);
    } catch {
      // One of them cannot be sent; the others can.
      for (const question of questions) this.sendAlone(question);
    }
  }

  private sendAlone(question: Question): void {
    try {
      this.end.postMessage([question]);
    } catch (error) {
      this.refused(question, error);
    }
  }
}

/** Asks a thread, and gives each answer to whoever asked. */
export class ThreadCalls<T extends Answers<T>> {
  private readonly outbox: Outbox;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;
  private broken: Error | undefined;

  constructor(end: ThreadEnd) {
    this.outbox = new Outbox(end, ({ call }, error) => this.settle({ call, error: writeError(error) }));
    end.on('message', (message: unknown) => this.settle(message));
  }

  /** Resolves with what the thread answers, or rejects with the message and the code of what it threw. */
  async ask<K extends keyof T & string>(method: K, ...args: Parameters<T[K]>): Promise<Awaited<ReturnType<T[K]>>> {
    if (this.broken) throw this.broken;
    const question: Question = { call: ++this.last, method, args };
    const answer = new Promise<unknown>((resolve, reject) => {
      this.waiting.set(question.call, { resolve, reject });
      this.outbox.put(question);
    });
    return (await answer) as Awaited<ReturnType<T[K]>>;
  }

  /** Rejects all that was asked and is not answered, and all that will be asked. */
  break(error: Error): void {
    this.broken ??= error;
    for (const answer of this.waiting.values()) answer.reject(error);
    this.waiting.clear();
  }

  private settle(message: unknown): void {
    if (!isReply(message)) return;
    const answer = this.waiting.get(message.call);
    this.waiting.delete(message.call);
    if ('error' in message) answer?.reject(readError(message.error));
    else answer?.resolve(message.result);
  }
}

function isReply(message: unknown): message is Reply {
  return typeof message === 'object' && message !== null && 'call' in message && !('method' in message);
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'call' in message && 'method' in message;
}

function writeError(error: unknown): WrittenError {
  if (!(error instanceof Error)) return { message: String(error) };
  return 'code' in error ? { message: error.message, code: error.code } : { message: error.message };
}

function readError({ message, code }: WrittenError): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

/**
 * Answers what is asked at this end, each question by the method of its name. An answer goes out as soon as there is one,
 * so that whoever asked works on it beside what is worked on here.
 */
export function answerCalls<T extends Answers<T>>(end: ThreadEnd, answers: T): void {
  const answer = async ({ call, method, args }: Question): Promise<void> => {
    try {
      const asked = answers[method as keyof T] as unknown as (...given: readonly unknown[]) => unknown;
      end.postMessage({ call, result: await asked.apply(answers, [...args]) } satisfies Reply);
    } catch (error) {
      end.postMessage({ call, error: writeError(error) } satisfies Reply);
    }
  };
  end.on('message', (messages: unknown) => {
    if (!Array.isArray(messages)) return;
    // Each in a turn of its own: what the one before it answered has then gone out.
    for (const message of messages) if (isQuestion(message)) setImmediate(() => void answer(message));
  });
}
