/** A window of a soak: a process of its own, over a ledger that it shares, which goes by the clock of the machine. */
import { Explorer } from '../../../src/core/explorer.ts';
import type { Transfer, TransferOrder } from '../../../src/core/model/transfer.ts';
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

type Wish = { readonly kind: 'list' } | (Deed & { readonly isAwaited?: boolean });

/** That window, from the side of the soak. */
export class SoakWindow {
  private readonly process: AskedProcess;

  private constructor(process: AskedProcess) {
    this.process = process;
  }

  static async start(ledgerFolder: string): Promise<SoakWindow> {
    return new SoakWindow(await AskedProcess.start(import.meta.filename, ledgerFolder));
  }

  /** Resolves when the wish has been heard. */
  async tell(wish: Deed): Promise<void> {
    await this.process.ask(wish);
  }

  /** Resolves when it is fulfilled, whatever came of it. */
  async see(wish: Deed): Promise<void> {
    await this.process.ask({ ...wish, isAwaited: true });
  }

  /** All transfers as it shows them. */
  async list(): Promise<readonly Transfer[]> {
    const answer = await this.process.ask({ kind: 'list' });
    return (answer as { readonly transfers: readonly Transfer[] } | undefined)?.transfers ?? [];
  }

  async kill(): Promise<void> {
    await this.process.kill();
  }
}

/** What a transfer of a soak is recognised by, in the ledger and in the service. */
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

async function act(explorer: Explorer, wish: Deed): Promise<void> {
  const { sessions, transferFlow, transferStore, connectFlow, adoptFlow } = explorer;
  switch (wish.kind) {
    case 'serve':
      await connectFlow.open({ id: 'c', name: 'Local', server: wish.address }, wish.token);
      return;
    case 'submit':
      await until(sessions.onDidChange, () => sessions.get('c') !== undefined);
      await transferFlow.submit(orderOf(wish.number, wish.paths), wish.replacedKey);
      return;
    case 'cancel': {
      const known = transferStore.all().find(({ order }) => order.description === descriptionOf(wish.number));
      if (known) await transferFlow.cancel(known.key);
      return;
    }
    case 'confirm': {
      const look = await adoptFlow.look('c', wish.id);
      if (look.kind === 'told') await adoptFlow.confirm(wish.key, wish.id, look.status);
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
    const wish = message as Wish;
    if (wish.kind === 'list') return { transfers: explorer.transferStore.all() };
    // What it comes to is seen in the store.
    const acting = act(explorer, wish).catch(() => undefined);
    if (wish.isAwaited) await acting;
    return {};
  });
}
