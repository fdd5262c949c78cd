/** Runs a window of a soak test in a separate process with a shared ledger and the system clock. */
import { Explorer } from '../../../src/core/explorer.ts';
import type { Transfer, TransferOrder } from '../../../src/core/model/transferModel.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { readProcessArgument, CommandProcess, handleCommands } from '../commandProcess.ts';
import { MemoryLog } from '../memoryLog.ts';
import { until } from '../../unit/core/rig.ts';
import { orcid, createExplorerDependencies } from '../explorerDependencies.ts';

type SoakCommand =
  | { readonly kind: 'serve'; readonly address: string; readonly token: string }
  | {
      readonly kind: 'submit';
      readonly number: number;
      readonly paths: readonly string[];
      readonly replacedKey?: string;
    }
  | { readonly kind: 'cancel'; readonly number: number }
  | { readonly kind: 'confirm'; readonly key: string; readonly id: string };

/** The transfers that a window shows, and the number of commands that it has not completed. */
interface WindowState {
  readonly transfers: readonly Transfer[];
  readonly pendingCount: number;
}

type WindowCommand = { readonly kind: 'list' } | (SoakCommand & { readonly isAwaited?: boolean });

/** Controls a window from the soak test's process. */
export class SoakWindow {
  private readonly process: CommandProcess;

  private constructor(process: CommandProcess) {
    this.process = process;
  }

  static async start(ledgerFolder: string): Promise<SoakWindow> {
    return new SoakWindow(await CommandProcess.start(import.meta.filename, ledgerFolder));
  }

  /** Sends a command; resolves when the window has received it. */
  async send(command: SoakCommand): Promise<void> {
    await this.process.send(command);
  }

  /** Sends a command; resolves when the window has completed it, successfully or not. */
  async run(command: SoakCommand): Promise<void> {
    await this.process.send({ ...command, isAwaited: true });
  }

  /** Returns all transfers that the window shows. */
  async list(): Promise<readonly Transfer[]> {
    return (await this.getState()).transfers;
  }

  async getState(): Promise<WindowState> {
    const answer = await this.process.send({ kind: 'list' });
    return (answer as WindowState | undefined) ?? { transfers: [], pendingCount: 0 };
  }

  async kill(): Promise<void> {
    await this.process.kill();
  }
}

/** Returns the description that identifies a transfer of a soak test in the ledger and in the service. */
export function createDescription(number: number): string {
  return `Soak ${String(number)}`;
}

function createOrder(number: number, paths: readonly string[]): TransferOrder {
  const files = paths.map((path) => ({ id: path, name: path }));
  return {
    connectionId: 'c',
    orcid,
    source: 'Source',
    destination: 'Target',
    files,
    description: createDescription(number),
  };
}

async function act(explorer: Explorer, command: SoakCommand): Promise<void> {
  const { sessions, transferFlow, transferStore, connectFlow, trackFlow } = explorer;
  switch (command.kind) {
    case 'serve':
      await connectFlow.open({ id: 'c', name: 'Local', server: command.address }, command.token);
      return;
    case 'submit':
      await until(sessions.onDidChange, () => sessions.get('c') !== undefined);
      await transferFlow.submit(createOrder(command.number, command.paths), command.replacedKey);
      return;
    case 'cancel': {
      const known = transferStore.getAll().find(({ order }) => order.description === createDescription(command.number));
      if (known) await transferFlow.cancel(known.key);
      return;
    }
    case 'confirm': {
      const lookup = await trackFlow.lookUp('c', command.id);
      if (lookup.kind === 'found') await trackFlow.confirm(command.key, command.id, lookup.status);
    }
  }
}

if (import.meta.main) {
  const ledgerFolder = String(readProcessArgument());
  const log = new MemoryLog();
  const explorer = new Explorer(createExplorerDependencies({ log, clock: systemClock, ledgerFolder }));
  await explorer.transferFlow.resume();
  await explorer.transferFlow.loadFinished();
  let pendingCount = 0;
  handleCommands(async (message) => {
    const command = message as WindowCommand;
    if (command.kind === 'list') return { transfers: explorer.transferStore.getAll(), pendingCount };
    pendingCount += 1;
    // An error is ignored, because the transfer store contains the result.
    const acting = act(explorer, command)
      .catch(() => undefined)
      .finally(() => (pendingCount -= 1));
    if (command.isAwaited) await acting;
    return {};
  });
}
