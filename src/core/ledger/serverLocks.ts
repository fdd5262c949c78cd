import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isMoreUrgent, requestKinds, type RequestKind } from '../model/requestTurn.ts';
import type { Clock } from '../util/clock.ts';
import { FileLock } from '../util/fileLock.ts';
import type { Disposable } from '../util/lifetime.ts';
import type { Logger } from '../util/logger.ts';

const shortestPauseMs = 20;
const longestPauseMs = 200;

/** A lock that is held, until it is released. Releasing never rejects. */
interface Held {
  release(): Promise<void>;
}

/** Stands for a lock where the windows don't wait for each other. */
const noLock: Held = { release: () => Promise.resolve() };

type Urgency = () => RequestKind | undefined;
type DidWait = (holder: RequestKind | undefined) => void;

/**
 * Locks on servers, shared by the windows of this machine (D34): a file for each address in the ledger's folder. A window
 * that waits for one with an urgent request leaves a ticket beside it, so that the others let it go first.
 */
export class ServerLocks implements Disposable {
  private readonly folder: string;
  private readonly clock: Clock;
  private readonly log: Logger;
  private readonly files = new Set<FileLock>();
  private hasEnded = false;
  private hasWarned = false;

  /** `folder` is the ledger's. */
  constructor(folder: string, clock: Clock, log: Logger) {
    this.folder = join(folder, 'servers');
    this.clock = clock;
    this.log = log;
  }

  /**
   * Acquires the lock on the server at `address`, unless `urgency` tells that nobody waits for it any longer. If the
   * folder can't be written, windows don't wait for each other.
   */
  async acquire(address: string, urgency: Urgency, didWait: DidWait): Promise<Held | undefined> {
    const name = createHash('sha256').update(address).digest('hex').slice(0, 32);
    try {
      return await this.waitFor(name, urgency, didWait);
    } catch (error) {
      if (!this.hasWarned) this.log.warn(`Requests of several windows to one server may overlap: ${String(error)}`);
      this.hasWarned = true;
      return noLock;
    }
  }

  dispose(): void {
    this.hasEnded = true;
    for (const file of this.files) file.dispose();
    this.files.clear();
  }

  private async waitFor(name: string, urgency: Urgency, didWait: DidWait): Promise<Held | undefined> {
    let ticket: Ticket | undefined;
    try {
      for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        const kind = urgency();
        if (kind === undefined) return undefined;
        if (this.hasEnded) return noLock;
        const held = await this.tryToTake(name, kind);
        if (held) return held;
        ticket = await this.showTicket(name, kind, ticket);
        didWait(toKind(await FileLock.purposeOf(this.path(name))));
        await setTimeout(pauseMs * (0.5 + Math.random() / 2));
      }
    } finally {
      await ticket?.held.release();
    }
  }

  private async tryToTake(name: string, kind: RequestKind): Promise<Held | undefined> {
    if (await this.isOutranked(name, kind)) return undefined;
    return await this.take(this.path(name), kind);
  }

  /** Returns true while another window waits with a more urgent request. */
  private async isOutranked(name: string, kind: RequestKind): Promise<boolean> {
    for (const file of await this.listFiles()) {
      const other = file.startsWith(`${name}.`) ? kindOfTicket(file) : undefined;
      if (other === undefined || !isMoreUrgent(other, kind)) continue;
      if ((await FileLock.freeAt(join(this.folder, file))) > this.clock.now()) return true;
    }
    return false;
  }

  /** Makes the folder if it isn't there yet. */
  private async listFiles(): Promise<readonly string[]> {
    try {
      return await readdir(this.folder);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      return [];
    }
  }

  private async showTicket(name: string, kind: RequestKind, shown: Ticket | undefined): Promise<Ticket | undefined> {
    if (shown?.kind === kind) return shown;
    await shown?.held.release();
    if (kind === 'status') return undefined;
    const held = await this.take(join(this.folder, `${name}.${kind}.${randomUUID()}.ticket`), kind);
    return held && { kind, held };
  }

  private async take(path: string, kind: RequestKind): Promise<Held | undefined> {
    const file = await FileLock.take(path, this.clock, kind);
    if (!file) return undefined;
    this.files.add(file);
    if (this.hasEnded) this.dispose();
    const release = async (): Promise<void> => {
      this.files.delete(file);
      // A file that can't be deleted goes stale.
      await file.release().catch(() => undefined);
    };
    return { release };
  }

  private path(name: string): string {
    return join(this.folder, `${name}.lock`);
  }
}

/** A lock of its own, by which a window shows that it waits. */
interface Ticket {
  readonly kind: RequestKind;
  readonly held: Held;
}

function kindOfTicket(file: string): RequestKind | undefined {
  const [, kind] = /^[\da-f]+\.(\w+)\.[\da-f-]{36}\.ticket$/.exec(file) ?? [];
  return toKind(kind);
}

function toKind(text: string | undefined): RequestKind | undefined {
  return requestKinds.find((kind) => kind === text);
}
