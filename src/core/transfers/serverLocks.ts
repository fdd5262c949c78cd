import { createHash, randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isMoreUrgent, requestKinds, type RequestKind } from '../model/requestTurn.ts';
import { addJitter, getBackoffMs, type Clock } from '../util/clock.ts';
import { createFolder } from '../util/createFolder.ts';
import { getErrorCode } from '../util/errorFacts.ts';
import { FileLock } from '../util/fileLock.ts';
import type { Disposable } from '../util/lifetime.ts';
import type { Logger } from '../util/logger.ts';

const minPauseMs = 20;
const maxPauseMs = 200;
/** Time for which an expired ticket is retained, in case the ticket's owner was only suspended and renews it. */
const ticketRetentionMs = 60_000;

interface ServerLock {
  release(): Promise<void>;
}

/** A substitute for a lock, used when the windows cannot coordinate. */
const noLock: ServerLock = { release: () => Promise.resolve() };

type Urgency = () => RequestKind | undefined;
type DidWait = (behind: RequestKind | undefined) => void;

/**
 * Locks a server for one window or command at a time (D34: serialized requests). Each address has a file in the
 * ledger's folder, which several machines may share. A window or command that is waiting to send an urgent request
 * places a ticket next to that file, so that the others let the request go first.
 */
export class ServerLocks implements Disposable {
  private readonly folder: string;
  private readonly clock: Clock;
  private readonly log: Logger;
  private readonly files = new Set<FileLock>();
  private isDisposed = false;
  private hasWarned = false;

  /** `folder` is the ledger's folder. */
  constructor(folder: string, clock: Clock, log: Logger) {
    this.folder = join(folder, 'servers');
    this.clock = clock;
    this.log = log;
  }

  /**
   * Acquires the lock for the server at `address`. `urgency` returns the kind of the most urgent waiting request.
   * Resolves to undefined if `urgency` returns undefined. If the folder is not writable, does not wait for other
   * windows.
   */
  async acquire(address: string, urgency: Urgency, didWait: DidWait): Promise<ServerLock | undefined> {
    const name = createHash('sha256').update(address).digest('hex').slice(0, 32);
    let ticket: Ticket | undefined;
    try {
      for (let tries = 1; ; tries += 1) {
        const kind = urgency();
        if (kind === undefined) return undefined;
        if (this.isDisposed) return noLock;
        const lock = await this.tryToAcquire(name, kind, tries > 1);
        if (lock) return lock;
        ticket = await this.publishTicket(name, kind, ticket);
        const purpose = await FileLock.readPurpose(join(this.folder, `${name}.lock`));
        didWait(requestKinds.find((one) => one === purpose));
        await setTimeout(addJitter(getBackoffMs(tries, minPauseMs, maxPauseMs)));
      }
    } catch (error) {
      if (!this.hasWarned) this.log.warn(`Requests from several windows to one server may overlap: ${String(error)}`);
      this.hasWarned = true;
      return noLock;
    } finally {
      await ticket?.lock.release();
    }
  }

  /** Releases all locks synchronously, as the process may be exiting. Waiting requests go on without one. */
  dispose(): void {
    this.isDisposed = true;
    for (const file of this.files) file.dispose();
    this.files.clear();
  }

  /**
   * Acquires the lock, unless a more urgent request is waiting. Reads the tickets after acquiring the lock, because a
   * ticket may be placed until then.
   */
  private async tryToAcquire(name: string, kind: RequestKind, hasWaited: boolean): Promise<ServerLock | undefined> {
    // A lock acquired only to be released again would delay the request with the ticket.
    if (hasWaited && (await this.isOutranked(name, kind))) return undefined;
    const lock = await this.acquireFile(`${name}.lock`, kind);
    if (!lock) return undefined;
    let isFirst = false;
    try {
      isFirst = !(await this.isOutranked(name, kind));
      return isFirst ? lock : undefined;
    } finally {
      if (!isFirst) await lock.release();
    }
  }

  /** Returns true while another process is waiting to send a more urgent request. */
  private async isOutranked(name: string, kind: RequestKind): Promise<boolean> {
    const files = await readdir(this.folder).catch((error: unknown) => {
      if (getErrorCode(error) !== 'ENOENT') throw error;
      return [];
    });
    for (const file of files) {
      const other = ticketPattern.exec(file)?.[1] as RequestKind | undefined;
      if (other === undefined || !(await this.isWaiting(file))) continue;
      if (file.startsWith(`${name}.`) && isMoreUrgent(other, kind)) return true;
    }
    return false;
  }

  /** Returns true if the process that placed a ticket is still waiting. Deletes the ticket of a crashed process. */
  private async isWaiting(file: string): Promise<boolean> {
    const path = join(this.folder, file);
    try {
      const freeMs = this.clock.now() - (await FileLock.getFreeAt(path));
      if (freeMs > ticketRetentionMs) await rm(path, { force: true });
      return freeMs < 0;
    } catch {
      // A ticket that can't be read must not prevent a request.
      return false;
    }
  }

  private async publishTicket(
    name: string,
    kind: RequestKind,
    current: Ticket | undefined,
  ): Promise<Ticket | undefined> {
    if (current?.kind === kind) return current;
    await current?.lock.release();
    if (kind === 'status') return undefined;
    const lock = await this.acquireFile(`${name}.${kind}.${randomUUID()}.ticket`, kind);
    return lock && { kind, lock };
  }

  /**
   * Acquires a lock file; resolves to undefined if another process holds it. Creates the folder if it doesn't exist.
   */
  private async acquireFile(name: string, kind: RequestKind): Promise<ServerLock | undefined> {
    const path = join(this.folder, name);
    const file = await FileLock.acquire(path, this.clock, kind).catch(async (error: unknown) => {
      if (getErrorCode(error) !== 'ENOENT') throw error;
      await createFolder(this.folder, 0o700);
      return await FileLock.acquire(path, this.clock, kind);
    });
    if (!file) return undefined;
    this.files.add(file);
    if (this.isDisposed) this.dispose();
    const release = async (): Promise<void> => {
      this.files.delete(file);
      await file.release();
    };
    return { release };
  }
}

interface Ticket {
  readonly kind: RequestKind;
  readonly lock: ServerLock;
}

/** Matches the name of a ticket's file: the server, the kind of the request and the ticket's ID. */
const ticketPattern = new RegExp(String.raw`^[\da-f]+\.(${requestKinds.join('|')})\.[\da-f-]{36}\.ticket$`);
