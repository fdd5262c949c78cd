import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { omit } from '../../src/core/util/json.ts';
import { dataHomeVariables } from './dataHome.ts';
import { repositoryRoot } from './editor/places.ts';
import { atEndOfTests } from './mochaHooks.ts';

/** The path of the command-line program as shipped. It must be built first. */
export const cliProgram = join(repositoryRoot, 'dist', 'cli', 'main.cjs');

/** The user's data directory for commands that don't set a ledger folder. */
const dataHome = join(tmpdir(), `cli-data-home-${process.pid}`);
atEndOfTests(() => rm(dataHome, { recursive: true, force: true }));

/** The result of running the command-line program. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Returns the environment of a command: this process's, without the user's records and connections. */
export function createCliEnvironment(added: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = omit(process.env, 'DATA_TRANSFER_LEDGER', 'DATA_TRANSFER_CONNECTIONS');
  return { ...inherited, ...dataHomeVariables(dataHome), ...added };
}

interface CliOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Text to write to standard input, which is closed afterwards. */
  readonly input?: string;
  readonly program?: string;
  /** Path of the Node.js executable; defaults to the one that runs this process. */
  readonly runtime?: string;
}

/** A running process of the command-line program, without a terminal. */
export class CliProcess {
  readonly child: ChildProcess;
  /** Resolves when the process has ended and its output has been read. */
  readonly ended: Promise<CliResult>;
  private stdout = '';
  private stderr = '';

  constructor(args: readonly string[], options: CliOptions = {}) {
    const { environment = {}, input = '', program = cliProgram, runtime = process.execPath } = options;
    this.child = spawn(runtime, [program, ...args], { env: createCliEnvironment(environment) });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.child.stdin?.on('error', () => undefined).end(input);
    this.ended = once(this.child, 'close').then(([code]) => {
      return { code: code as number | null, stdout: this.stdout, stderr: this.stderr };
    });
  }

  /** Resolves to all text on standard error once it matches `pattern`. Rejects if the process ends first. */
  async prints(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.stderr)) {
      const next = await Promise.race([once(this.child.stderr ?? this.child, 'data'), this.ended]);
      if ('code' in next && !pattern.test(this.stderr)) throw new Error(`It ended with: ${this.stderr}`);
    }
    return this.stderr;
  }
}

/** Runs the command-line program and waits until it ends. */
export async function runCli(args: readonly string[], options?: CliOptions): Promise<CliResult> {
  return await new CliProcess(args, options).ended;
}
