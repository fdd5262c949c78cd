/** A window in a process of its own, which can be killed: `fork` it with a place as JSON. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Transfer } from '../../src/core/model/transfer.ts';
import { CoreWindow, type TransferWindow, type WindowPlace } from './coreWindow.ts';

type Wish = { readonly kind: 'submit' | 'shown' } | { readonly kind: 'pass'; readonly ms: number };

/** That window, from the side of the test. */
export class WindowProcess implements TransferWindow {
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.child = child;
  }

  /** Resolves when it is open. */
  static async start(place: WindowPlace): Promise<WindowProcess> {
    const child = fork(import.meta.filename, [JSON.stringify(place)]);
    await once(child, 'message');
    return new WindowProcess(child);
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
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  private async ask(wish: Wish): Promise<unknown> {
    const answered = once(this.child, 'message');
    this.child.send(wish);
    return ((await answered) as [unknown])[0];
  }
}

async function obey(window: CoreWindow, wish: Wish): Promise<object> {
  if (wish.kind === 'submit') await window.submit();
  if (wish.kind === 'pass') await window.pass(wish.ms);
  return { transfer: await window.shown() };
}

if (import.meta.main) {
  const window = await CoreWindow.open(JSON.parse(process.argv[2] ?? '') as WindowPlace);
  process.on('message', (wish: Wish) => void obey(window, wish).then((answer) => process.send?.(answer)));
  process.send?.('open');
}
