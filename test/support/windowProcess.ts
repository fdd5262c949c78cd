/** Runs a window in a separate process, which can be killed. */
import type { Transfer } from '../../src/core/model/transferModel.ts';
import { argumentOfProcess, AskedProcess, obey } from './askedProcess.ts';
import { CoreWindow, type TransferWindow, type WindowPlace } from './coreWindow.ts';

type WindowCommand = { readonly kind: 'submit' | 'shown' } | { readonly kind: 'pass'; readonly ms: number };

/** Controls the window from the test's process. */
export class WindowProcess implements TransferWindow {
  private readonly process: AskedProcess;

  private constructor(process: AskedProcess) {
    this.process = process;
  }

  /** Resolves when the window is open. */
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

  private async ask(command: WindowCommand): Promise<unknown> {
    return await this.process.ask(command);
  }
}

if (import.meta.main) {
  const window = await CoreWindow.open(argumentOfProcess() as WindowPlace);
  obey(async (message) => {
    const command = message as WindowCommand;
    if (command.kind === 'submit') await window.submit();
    if (command.kind === 'pass') await window.pass(command.ms);
    return { transfer: await window.shown() };
  });
}
