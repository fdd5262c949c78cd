/** Runs a window in a separate process that can be killed. */
import type { Transfer } from '../../src/core/model/transferModel.ts';
import { readProcessArgument, CommandProcess, handleCommands } from './commandProcess.ts';
import { CoreWindow, type TransferWindow, type WindowPlace } from './coreWindow.ts';
import { untilIdle } from './untilIdle.ts';

type WindowCommand = { readonly kind: 'submit' | 'shown' } | { readonly kind: 'pass'; readonly ms: number };

/** Controls a window that runs in another process. */
export class WindowProcess implements TransferWindow {
  private readonly process: CommandProcess;

  private constructor(process: CommandProcess) {
    this.process = process;
  }

  /** Starts the process; resolves when the window is open. */
  static async start(place: WindowPlace): Promise<WindowProcess> {
    return new WindowProcess(await CommandProcess.start(import.meta.filename, place));
  }

  async submit(): Promise<void> {
    await this.send({ kind: 'submit' });
  }

  async shown(): Promise<Transfer | undefined> {
    return ((await this.send({ kind: 'shown' })) as { readonly transfer?: Transfer }).transfer;
  }

  async pass(ms: number): Promise<void> {
    await this.send({ kind: 'pass', ms });
  }

  async end(): Promise<void> {
    await this.process.kill();
  }

  private async send(command: WindowCommand): Promise<unknown> {
    return await this.process.send(command);
  }
}

if (import.meta.main) {
  const window = await CoreWindow.open(readProcessArgument() as WindowPlace);
  handleCommands(async (message) => {
    const command = message as WindowCommand;
    if (command.kind === 'submit') await window.submit();
    if (command.kind === 'pass') await window.pass(command.ms);
    await untilIdle(0);
    return { transfer: await window.shown() };
  });
}
