import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Runs a test program in a separate process, which handles one command at a time until it is killed. */
export class CommandProcess {
  private readonly child: ChildProcess;
  private readonly exited: Promise<void>;
  private turn: Promise<unknown> = Promise.resolve();

  private constructor(child: ChildProcess) {
    this.child = child;
    this.exited = once(child, 'exit').then(() => undefined);
  }

  /**
   * Starts a program with an argument, which is passed as JSON. Resolves when the program is ready; rejects if the
   * program ends first.
   */
  static async start(file: string, argument: unknown): Promise<CommandProcess> {
    const started = new CommandProcess(fork(file, [JSON.stringify(argument)]));
    if ((await started.answer()) === undefined) throw new Error(`${file} did not start`);
    return started;
  }

  /** Sends a command; resolves to the response, or to undefined if the process has ended. */
  send(command: object): Promise<unknown> {
    const answered = this.turn.then(() => {
      if (!this.child.connected) return undefined;
      const answer = this.answer();
      // If the process dies before it receives the command, its exit event settles the response.
      this.child.send(command, () => undefined);
      return answer;
    });
    this.turn = answered;
    return answered;
  }

  /** Kills the process to simulate a crash. */
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

/** Returns the argument with which {@link CommandProcess} started this process. */
export function readProcessArgument(): unknown {
  return JSON.parse(process.argv[2] ?? '');
}

/** Reports that the program is ready, and handles commands from then on. Exits when the parent process disconnects. */
export function handleCommands(answer: (command: unknown) => Promise<object>): void {
  process.on('message', (command) => void answer(command).then((value) => process.send?.(value)));
  process.once('disconnect', () => process.exit());
  process.send?.('ready');
}
