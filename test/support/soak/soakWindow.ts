/** Runs a window of a soak in a separate process, over a shared ledger and with the system clock. */
import { Explorer } from '../../../src/core/explorer.ts';
import type { Transfer, TransferOrder } from '../../../src/core/model/transferModel.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { argumentOfProcess, AskedProcess, obey } from '../askedProcess.ts';
import { MemoryLog } from '../memoryLog.ts';
import { until } from '../../unit/core/rig.ts';
import { orcid, surroundingsOf } from '../surroundings.ts';

type Deed =
  | { readonly kind: 'serve'; readonly address: string; readonly token: string }
  | {
      readonly kind: 'submit';
      readonly number: number;
      readonly paths: readonly string[];
      readonly replacedKey?: string;
    }
  | { readonly kind: 'cancel'; readonly number: number }
  | { readonly kind: 'confirm'; readonly key: string; readonly id: string };

type WindowCommand = { readonly kind: 'list' } | (Deed & { readonly isAwaited?: boolean });

/** Controls the window from the soak's process. */
export class SoakWindow {
  private readonly process: AskedProcess;

  private constructor(process: AskedProcess) {
    this.process = process;
  }

  static async start(ledgerFolder: string): Promise<SoakWindow> {
    return new SoakWindow(await AskedProcess.start(import.meta.filename, ledgerFolder));
  }

  /** Resolves when the command has been received. */
  async tell(command: Deed): Promise<void> {
    await this.process.ask(command);
  }

  /** Resolves when the command has completed, whether or not it succeeded. */
  async see(command: Deed): Promise<void> {
    await this.process.ask({ ...command, isAwaited: true });
  }

  /** Returns all transfers as the window shows them. */
  async list(): Promise<readonly Transfer[]> {
    const answer = await this.process.ask({ kind: 'list' });
    return (answer as { readonly transfers: readonly Transfer[] } | undefined)?.transfers ?? [];
  }

  async kill(): Promise<void> {
    await this.process.kill();
  }
}

/** Returns the description that identifies a transfer of a soak, in the ledger and in the service. */
export function descriptionOf(number: number): string {
  return `Soak ${String(number)}`;
}

function orderOf(number: number, paths: readonly string[]): TransferOrder {
  const files = paths.map((path) => ({ id: path, name: path }));
  return {
    connectionId: 'c',
    orcid,
    source: 'Source',
    destination: 'Target',
    files,
    description: descriptionOf(number),
  };
}

async function act(explorer: Explorer, command: Deed): Promise<void> {
  const { sessions, transferFlow, transferStore, connectFlow, trackFlow } = explorer;
  switch (command.kind) {
    case 'serve':
      await connectFlow.open({ id: 'c', name: 'Local', server: command.address }, command.token);
      return;
    case 'submit':
      await until(sessions.onDidChange, () => sessions.get('c') !== undefined);
      await transferFlow.submit(orderOf(command.number, command.paths), command.replacedKey);
      return;
    case 'cancel': {
      const known = transferStore.getAll().find(({ order }) => order.description === descriptionOf(command.number));
      if (known) await transferFlow.cancel(known.key);
      return;
    }
    case 'confirm': {
      const look = await trackFlow.lookUp('c', command.id);
      if (look.kind === 'found') await trackFlow.confirm(command.key, command.id, look.status);
    }
  }
}

if (import.meta.main) {
  const ledgerFolder = String(argumentOfProcess());
  const log = new MemoryLog();
  const explorer = new Explorer(surroundingsOf({ log, clock: systemClock, ledgerFolder }));
  await explorer.transferFlow.resume();
  await explorer.transferFlow.loadFinished();
  obey(async (message) => {
    const command = message as WindowCommand;
    if (command.kind === 'list') return { transfers: explorer.transferStore.getAll() };
    // The store shows the result.
    const acting = act(explorer, command).catch(() => undefined);
    if (command.isAwaited) await acting;
    return {};
  });
}
