import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { createFolder } from '../util/createFolder.ts';
import { writeFileAtomically } from '../util/durableFiles.ts';
import { FileLock } from '../util/fileLock.ts';
import { FolderWatch } from './recordFolders.ts';
import { parseJsonObject, type JsonObject } from '../util/json.ts';
import { Emitter, type Disposable } from '../util/lifetime.ts';
import type { Logger } from '../util/logger.ts';
import { toStoredId, type ConnectionAlias } from './recordFiles.ts';

interface PollingLeaseDependencies {
  readonly folder: string;
  readonly alias?: ConnectionAlias | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  hasFocus(): boolean;
}

/** A request to poll one transfer or, without `key`, all transfers of a connection immediately. */
interface PollRequest {
  readonly connectionId: string;
  readonly key?: string;
}

const heartbeatMs = 3_000;
const staleAfterMs = 10_000;
const minWaitMs = 50;

/**
 * Elects a window to poll a connection's transfers, from among those in which the connection is open. When the elected
 * window closes, another one takes over at its next heartbeat at the latest; when it crashes, within ten seconds.
 * Windows use files in the ledger's folder: a lock for each connection, a file for each requested poll, and a file for
 * each focused window.
 */
export class PollingLease implements Disposable {
  private readonly dependencies: PollingLeaseDependencies;
  /** The folder of the windows' files; each file but a lock contains a JSON object. */
  private readonly folder: string;
  /** The name of the file that this window writes while it is focused. */
  private readonly focusFile = `${randomUUID()}.focus`;
  private readonly watch: FolderWatch;
  /** The lock for each connection that this window polls; undefined if the lock could not be written. */
  private readonly leases = new Map<string, FileLock | undefined>();
  private eligible: ReadonlySet<string> = new Set();
  private hasRunning = false;
  private isFocusElsewhere = false;
  private isFocusPublished = false;
  private heartbeat: Disposable | undefined;
  private isChecking = false;
  private shouldCheckAgain = false;
  private isDisposed = false;
  private readonly changed = new Emitter<void>();
  private readonly pollRequested = new Emitter<PollRequest>();

  /** Fires when this window acquires or loses a lease. */
  readonly onDidChange = this.changed.event;
  /** Fires when another window requests a poll of transfers on a connection that this window polls. */
  readonly onDidRequestPoll = this.pollRequested.event;

  constructor(dependencies: PollingLeaseDependencies) {
    this.dependencies = dependencies;
    this.folder = join(dependencies.folder, 'asking');
    this.watch = new FolderWatch(this.folder, (name) => {
      if (name !== this.focusFile && !name?.endsWith('.part')) void this.check();
    });
  }

  /** Sets the connections that this window can poll. Publishes the window's focus only while transfers are running. */
  setEligible(connectionIds: ReadonlySet<string>, hasRunning: boolean): void {
    this.eligible = connectionIds;
    this.hasRunning = hasRunning;
    for (const [id, lock] of this.leases) if (!connectionIds.has(id)) this.removeLease(id, lock);
    if (hasRunning) this.heartbeat ??= this.dependencies.clock.after(0, () => void this.sendHeartbeat());
    if (connectionIds.size > 0) void this.check();
  }

  hasLease(connectionId: string): boolean {
    return this.leases.has(connectionId);
  }

  /**
   * Requests a poll from the window that holds the lease. That window polls immediately, or at its next heartbeat at
   * the latest.
   */
  async requestPoll({ connectionId, ...content }: PollRequest): Promise<void> {
    await this.notifyWindows(`${this.toFileName(connectionId)}.${randomUUID()}.want`, content);
  }

  /** Returns true if this window is focused, or if another window was focused at its last heartbeat. */
  isAnyWindowFocused(): boolean {
    return this.isFocusElsewhere || this.dependencies.hasFocus();
  }

  dispose(): void {
    this.isDisposed = true;
    this.watch.dispose();
    this.heartbeat?.dispose();
    for (const lock of this.leases.values()) lock?.dispose();
    this.leases.clear();
    if (this.isFocusPublished) rmSync(join(this.folder, this.focusFile), { force: true });
  }

  private toFileName(connectionId: string): string {
    return encodeURIComponent(toStoredId(this.dependencies.alias, connectionId));
  }

  private async sendHeartbeat(): Promise<void> {
    this.heartbeat = undefined;
    if (!this.hasRunning || this.isDisposed) {
      await this.publishFocus(false);
      return;
    }
    this.heartbeat = this.dependencies.clock.after(heartbeatMs, () => void this.sendHeartbeat());
    await this.publishFocus(this.dependencies.hasFocus());
    await this.check();
  }

  private async publishFocus(hasFocus: boolean): Promise<void> {
    const at = this.dependencies.clock.now();
    const wasPublished = this.isFocusPublished;
    // Set the flag before writing the file, so that a window that closes in the meantime removes the file.
    this.isFocusPublished = hasFocus;
    if (hasFocus) await this.notifyWindows(this.focusFile, { at });
    if (hasFocus ? this.isDisposed : wasPublished) await this.notifyWindows(this.focusFile);
  }

  /** Reads the other windows' files and acquires free leases. Repeats both steps if files changed in the meantime. */
  private async check(): Promise<void> {
    this.shouldCheckAgain = true;
    if (this.isChecking) return;
    this.isChecking = true;
    while (this.shouldCheckAgain && !this.isDisposed) {
      this.shouldCheckAgain = false;
      await this.checkOnce().catch((error: unknown) => this.pollWithoutLease(error));
    }
    this.isChecking = false;
  }

  private async checkOnce(): Promise<void> {
    await createFolder(this.folder, 0o700);
    this.watch.start();
    const names = await readdir(this.folder);
    const since = this.dependencies.clock.now() - staleAfterMs;
    const others = names.filter((name) => name.endsWith('.focus') && name !== this.focusFile);
    const focuses = await Promise.all(others.map((name) => this.read(name)));
    this.isFocusElsewhere = focuses.some(({ at }) => typeof at === 'number' && at > since);
    for (const connectionId of this.eligible) if (!this.leases.get(connectionId)) await this.tryToAcquire(connectionId);
    for (const name of names) if (name.endsWith('.want')) await this.readPollRequest(name);
  }

  private async tryToAcquire(connectionId: string): Promise<void> {
    const file = join(this.folder, `${this.toFileName(connectionId)}.lock`);
    const lock = await FileLock.acquire(file, this.dependencies.clock);
    if (!lock) {
      await this.waitFor(connectionId, file);
      return;
    }
    if (this.isDisposed || !this.eligible.has(connectionId)) {
      lock.dispose();
      return;
    }
    lock.onDidLose = () => this.removeLease(connectionId, undefined);
    this.addLease(connectionId, lock);
  }

  /**
   * Leaves the polling to another window. If that window's lock goes stale before the next heartbeat, schedules a check
   * for that time.
   */
  private async waitFor(connectionId: string, file: string): Promise<void> {
    if (this.leases.delete(connectionId)) this.changed.fire();
    const freeInMs = (await FileLock.getFreeAt(file)) - this.dependencies.clock.now();
    if (freeInMs >= heartbeatMs) return;
    this.heartbeat?.dispose();
    this.heartbeat = this.dependencies.clock.after(Math.max(minWaitMs, freeInMs), () => void this.sendHeartbeat());
  }

  private addLease(connectionId: string, lock: FileLock | undefined): void {
    const isNew = !this.leases.has(connectionId);
    this.leases.set(connectionId, lock);
    if (isNew) this.changed.fire();
  }

  private removeLease(connectionId: string, lock: FileLock | undefined): void {
    this.leases.delete(connectionId);
    void lock?.release();
    this.changed.fire();
  }

  private async readPollRequest(name: string): Promise<void> {
    const connectionId = [...this.leases.keys()].find((id) => isPollRequestFor(this.toFileName(id), name));
    if (connectionId === undefined) return;
    const { key } = await this.read(name);
    await rm(join(this.folder, name), { force: true });
    this.pollRequested.fire({ connectionId, ...(typeof key === 'string' && { key }) });
  }

  /**
   * Makes this window poll all eligible connections, because polling must continue even if the folder is not writable.
   */
  private pollWithoutLease(error: unknown): void {
    if (this.isDisposed) return;
    const unleased = [...this.eligible].filter((connectionId) => !this.leases.has(connectionId));
    if (unleased.length === 0) return;
    this.dependencies.log.warn(`Windows cannot agree on which of them polls the transfers: ${String(error)}`);
    for (const connectionId of unleased) this.addLease(connectionId, undefined);
  }

  /** Returns the content of a window's file; an empty object if the file is missing or invalid. */
  private async read(name: string): Promise<JsonObject> {
    const text = await readFile(join(this.folder, name), 'utf8').catch(() => '');
    return parseJsonObject(text) ?? {};
  }

  /** Writes a file for the other windows or, without `content`, removes it. Never rejects. */
  private async notifyWindows(name: string, content?: JsonObject): Promise<void> {
    const file = join(this.folder, name);
    try {
      if (content) {
        await createFolder(this.folder, 0o700);
        await writeFileAtomically(file, JSON.stringify(content));
      } else await rm(file, { force: true });
    } catch (error) {
      this.dependencies.log.debug(`Other windows could not be notified: ${String(error)}`);
    }
  }
}

function isPollRequestFor(connection: string, name: string): boolean {
  const start = `${connection}.`;
  return name.startsWith(start) && /^[\da-f-]{36}\.want$/.test(name.slice(start.length));
}
