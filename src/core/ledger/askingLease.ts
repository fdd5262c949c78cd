import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { Emitter } from '../util/emitter.ts';
import { FileLock } from '../util/fileLock.ts';
import { FolderWatch } from '../util/folderWatch.ts';
import type { Disposable } from '../util/lifetime.ts';
import type { Logger } from '../util/logger.ts';
import { WindowNotes } from './windowNotes.ts';

/** What an {@link AskingLease} needs. */
export interface LeaseParts {
  /** The ledger's. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether the person looks at this window (D33). */
  hasFocus(): boolean;
}

/** An answer that is wanted at once: of one transfer, or of all of a connection. */
export interface WantedAnswer {
  readonly connectionId: string;
  readonly key?: string;
}

const beatMs = 3_000;
const staleAfterMs = 10_000;
const shortestWaitMs = 50;

/**
 * Which window asks for the transfers of a connection: one of those that have a session for it. When it ends, another
 * takes its place at once, and within ten seconds when it dies. The windows say so to each other by files beside the
 * ledger: a lock for each connection, a mark for each answer that is wanted, and one for each window that is looked at.
 */
export class AskingLease implements Disposable {
  private readonly parts: LeaseParts;
  private readonly notes: WindowNotes;
  private readonly mark = randomUUID();
  private readonly watch: FolderWatch;
  /** The lock of each connection that is held; none where it could not be written, and this window asks all the same. */
  private readonly held = new Map<string, FileLock | undefined>();
  private able: ReadonlySet<string> = new Set();
  private isConcerned = false;
  private isFocusElsewhere = false;
  private isFocusTold = false;
  private beating: Disposable | undefined;
  private isLooking = false;
  private looksAgain = false;
  private hasEnded = false;
  private readonly changed = new Emitter<void>();
  private readonly wanted = new Emitter<WantedAnswer>();

  /** Another connection is held, or one no longer. */
  readonly onDidChange = this.changed.event;
  /** Another window wants an answer of a connection that is held here. */
  readonly onDidWantNow = this.wanted.event;

  constructor(parts: LeaseParts) {
    this.parts = parts;
    this.notes = new WindowNotes(join(parts.folder, 'asking'));
    this.watch = new FolderWatch(this.notes.folder, (name) => {
      if (name !== this.focusFile && !name?.endsWith('.new')) void this.look();
    });
  }

  /**
   * Says for which connections this window could ask, and whether there is any running transfer, for which it matters
   * which window is looked at.
   */
  compete(able: ReadonlySet<string>, isConcerned: boolean): void {
    this.able = able;
    this.isConcerned = isConcerned;
    for (const [connectionId, lock] of this.held) if (!able.has(connectionId)) this.letGo(connectionId, lock);
    if (isConcerned) this.beating ??= this.parts.clock.after(0, () => void this.beat());
    if (able.size > 0) void this.look();
  }

  /** Whether this window is the one that asks. */
  isHeld(connectionId: string): boolean {
    return this.held.has(connectionId);
  }

  /** Lets the window that asks do so at once; it is told by a file, and sees it no later than at its next beat. */
  async wantNow({ connectionId, ...what }: WantedAnswer): Promise<void> {
    const name = `${encodeURIComponent(connectionId)}.${randomUUID()}.want`;
    await this.tell(() => this.notes.write(name, what));
  }

  /** Whether the person looks at any window, as far as is known. */
  hasFocusSomewhere(): boolean {
    return this.isFocusElsewhere || this.parts.hasFocus();
  }

  dispose(): void {
    this.hasEnded = true;
    this.watch.dispose();
    this.beating?.dispose();
    for (const lock of this.held.values()) lock?.dispose();
    this.held.clear();
    if (this.isFocusTold) rmSync(join(this.notes.folder, this.focusFile), { force: true });
  }

  private get focusFile(): string {
    return `${this.mark}.focus`;
  }

  private async beat(): Promise<void> {
    this.beating = undefined;
    if (!this.isConcerned || this.hasEnded) {
      await this.tellFocus(false);
      return;
    }
    this.beating = this.parts.clock.after(beatMs, () => void this.beat());
    await this.tellFocus(this.parts.hasFocus());
    await this.look();
  }

  private async tellFocus(hasFocus: boolean): Promise<void> {
    const at = this.parts.clock.now();
    if (hasFocus) await this.tell(() => this.notes.write(this.focusFile, { at }));
    else if (this.isFocusTold) await this.tell(() => this.notes.remove(this.focusFile));
    this.isFocusTold = hasFocus;
  }

  /** Reads what the windows say, once more when something was said meanwhile. */
  private async look(): Promise<void> {
    this.looksAgain = true;
    if (!this.isLooking) await this.lookUntilDone();
  }

  private async lookUntilDone(): Promise<void> {
    this.isLooking = true;
    while (this.looksAgain && !this.hasEnded) {
      this.looksAgain = false;
      try {
        await this.notes.make();
        this.watch.start();
        const names = await this.notes.names();
        await this.readFocus(names);
        for (const connectionId of this.able) await this.tryToHold(connectionId);
        for (const name of names) await this.readWant(name);
      } catch (error) {
        this.askAnyway(error);
      }
    }
    this.isLooking = false;
  }

  private async readFocus(names: readonly string[]): Promise<void> {
    const since = this.parts.clock.now() - staleAfterMs;
    const others = names.filter((name) => name.endsWith('.focus') && name !== this.focusFile);
    const seen = await Promise.all(others.map((name) => this.notes.read(name)));
    this.isFocusElsewhere = seen.some(({ at }) => typeof at === 'number' && at > since);
  }

  private async tryToHold(connectionId: string): Promise<void> {
    if (this.held.get(connectionId)) return;
    const file = join(this.notes.folder, `${encodeURIComponent(connectionId)}.lock`);
    const lock = await FileLock.take(file, this.parts.clock);
    if (!lock) {
      await this.waitFor(connectionId, file);
      return;
    }
    if (this.hasEnded || !this.able.has(connectionId)) {
      lock.dispose();
      return;
    }
    lock.onDidLose(() => this.letGo(connectionId, undefined));
    this.hold(connectionId, lock);
  }

  /** Looks again when the lock of the other goes stale, should that be before the next beat. */
  private async waitFor(connectionId: string, file: string): Promise<void> {
    if (this.held.delete(connectionId)) this.changed.fire();
    const freeInMs = (await FileLock.freeAt(file)) - this.parts.clock.now();
    if (freeInMs >= beatMs) return;
    this.beating?.dispose();
    this.beating = this.parts.clock.after(Math.max(shortestWaitMs, freeInMs), () => void this.beat());
  }

  private hold(connectionId: string, lock: FileLock | undefined): void {
    const isNew = !this.held.has(connectionId);
    this.held.set(connectionId, lock);
    if (isNew) this.changed.fire();
  }

  private letGo(connectionId: string, lock: FileLock | undefined): void {
    this.held.delete(connectionId);
    void lock?.release().catch(() => undefined);
    this.changed.fire();
  }

  private async readWant(name: string): Promise<void> {
    const connectionId = [...this.held.keys()].find((id) => isWantFor(id, name));
    if (connectionId === undefined) return;
    const { key } = await this.notes.read(name);
    await this.notes.remove(name);
    this.wanted.fire({ connectionId, ...(typeof key === 'string' && { key }) });
  }

  /** A folder that cannot be written must not keep the transfers from being asked for. */
  private askAnyway(error: unknown): void {
    if (this.hasEnded) return;
    const alone = [...this.able].filter((connectionId) => !this.held.has(connectionId));
    if (alone.length === 0) return;
    this.parts.log.warn(`Windows cannot agree on which of them asks for the transfers: ${String(error)}`);
    for (const connectionId of alone) this.hold(connectionId, undefined);
  }

  /** Where nothing can be written, the others go by what they know. */
  private async tell(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.parts.log.debug(`Other windows could not be told: ${String(error)}`);
    }
  }
}

function isWantFor(connectionId: string, name: string): boolean {
  const start = `${encodeURIComponent(connectionId)}.`;
  return name.startsWith(start) && /^[\da-f-]{36}\.want$/.test(name.slice(start.length));
}
