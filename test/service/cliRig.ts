import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callCli } from '../support/cliCall.ts';
import { CliProcess, type CliResult } from '../support/cliProcess.ts';
import { ServiceRig } from '../support/serviceRig.ts';

/** Commands that write records until their process ends, after they have printed the result. */
const recording: ReadonlySet<string | undefined> = new Set([
  ...['transfer', 'run', 'wait', 'cancel', 'pause', 'resume', 'status'],
]);

/** Runs a local service, and CLI commands that use a separate ledger folder. */
export class CliRig {
  readonly service: ServiceRig;
  readonly ledger: string;

  private constructor(service: ServiceRig, ledger: string) {
    this.service = service;
    this.ledger = ledger;
  }

  static async start(...options: Parameters<typeof ServiceRig.start>): Promise<CliRig> {
    const ledger = await mkdtemp(join(tmpdir(), 'cli-ledger-'));
    return new CliRig(await ServiceRig.start(...options), ledger);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await rm(this.ledger, { recursive: true, force: true });
  }

  /**
   * Starts a process of a command with the options that connect it to the service. Passes the key in an environment
   * variable.
   */
  start(...args: readonly string[]): CliProcess {
    return new CliProcess(...this.connect(args));
  }

  /** Runs a command like {@link start}, but in this process if it writes no records. */
  async run(...args: readonly string[]): Promise<CliResult> {
    return recording.has(args[0]) ? await this.start(...args).ended : await callCli(...this.connect(args));
  }

  /** Runs a command with `--json` and returns the printed document. Throws if the exit code isn't `code`. */
  async runJson(code: number, ...args: readonly string[]): Promise<Record<string, unknown>> {
    const result = await this.run(...args, '--json');
    if (result.code !== code) throw new Error(`It exited with ${String(result.code)}: ${result.stderr}`);
    return JSON.parse(result.stdout) as Record<string, unknown>;
  }

  private connect(args: readonly string[]): [args: readonly string[], { environment: Record<string, string> }] {
    const { address, token } = this.service.service;
    const connection = ['--server', address, '--orcid', '0000-0002-1825-0097', '--key-variable', 'THE_KEY'];
    const end = args.includes('--') ? args.indexOf('--') : args.length;
    const environment = { THE_KEY: token, DATA_TRANSFER_LEDGER: this.ledger };
    return [[...args.slice(0, end), ...connection, ...args.slice(end)], { environment }];
  }
}
