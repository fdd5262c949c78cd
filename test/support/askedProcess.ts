import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A program of the tests in a process of its own, which answers one wish after the other, until it is killed. */
export class AskedProcess {
  private readonly child: ChildProcess;
  private readonly exited: Promise<void>;
  private turn: Promise<unknown> = Promise.resolve();

  private constructor(child: ChildProcess) {
    this.child = child;
    this.exited = once(child, 'exit').then(() => undefined);
  }

  /** Starts a file with an argument, as JSON; resolves when it has said its first word. Rejects when it ends before. */
  static async start(file: string, argument: unknown): Promise<AskedProcess> {
    const asked = new AskedProcess(fork(file, [JSON.stringify(argument)]));
    if ((await asked.answer()) === undefined) throw new Error(`${file} did not start`);
    return asked;
  }

  /** Resolves with the answer; undefined when it has ended before. */
  ask(wish: object): Promise<unknown> {
    const answered = this.turn.then(() => {
      if (!this.child.connected) return undefined;
      const answer = this.answer();
      // What it dies of while it is sent is seen by its exit.
      this.child.send(wish, () => undefined);
      return answer;
    });
    this.turn = answered;
    return answered;
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  private async answer(): Promise<unknown> {
    const aborting = new AbortController();
    const answered = once(this.child, 'message', { signal: aborting.signal }).then(([answer]: unknown[]) => answer);
    answered.catch(() => undefined);
    try {
      return await Promise.race([answered, this.exited]);
    } finally {
      aborting.abort();
    }
  }
}

/** The other side of it: the argument that a program was started with. */
export function argumentOfProcess(): unknown {
  return JSON.parse(process.argv[2] ?? '');
}

/** Says that the program is ready, and answers every wish from then on. */
export function obey(answer: (wish: unknown) => Promise<object>): void {
  process.on('message', (wish) => void answer(wish).then((value) => process.send?.(value)));
  process.once('disconnect', () => process.exit());
  process.send?.('ready');
}
