/** A window in a process of its own, which can be killed. */
import type { Transfer } from '../../src/core/model/transfer.ts';
import { argumentOfProcess, AskedProcess, obey } from './askedProcess.ts';
import { CoreWindow, type TransferWindow, type WindowPlace } from './coreWindow.ts';

type Wish = { readonly kind: 'submit' | 'shown' } | { readonly kind: 'pass'; readonly ms: number };

/** That window, from the side of the test. */
export class WindowProcess implements TransferWindow {
  private readonly process: AskedProcess;

  private constructor(process: AskedProcess) {
    this.process = process;
  }

  /** Resolves when it is open. */
  static async start(place: WindowPlace): Promise<WindowProcess> {
    return new WindowProcess(await AskedProcess.start(import.meta.filename, place));
  }

  async submit(): Promise<void> {
    await this.ask({ kind: 'submit' });
  }

  async shown(): Promise<Transfer | undefined> {
    return ((await this.ask({ kind: 'shown' })) as { readonly transfer?: Transfer }).transfer;
  }

  async pass(ms: number): Promise<void> {
    await this.ask({ kind: 'pass', ms });
  }

  async end(): Promise<void> {
    await this.process.kill();
  }

  private async ask(wish: Wish): Promise<unknown> {
    return await this.process.ask(wish);
  }
}

if (import.meta.main) {
  const window = await CoreWindow.open(argumentOfProcess() as WindowPlace);
  obey(async (message) => {
    const wish = message as Wish;
    if (wish.kind === 'submit') await window.submit();
    if (wish.kind === 'pass') await window.pass(wish.ms);
    return { transfer: await window.shown() };
  });
}
