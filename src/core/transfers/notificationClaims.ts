import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { createFolder } from '../util/createFolder.ts';
import type { Logger } from '../util/logger.ts';

const retentionMs = 24 * 3_600_000;

/**
 * Determines which window shows a notification: the first one to claim the notification with a file in the ledger's
 * folder.
 */
export class NotificationClaims {
  private readonly folder: string;
  private readonly clock: Clock;
  private readonly log: Logger;
  private cleaning: Promise<void> | undefined;

  /** `folder` is the ledger's folder. */
  constructor(folder: string, clock: Clock, log: Logger) {
    this.folder = join(folder, 'told');
    this.clock = clock;
    this.log = log;
  }

  /** Returns true if this window is the first to claim `name`, or if claims cannot be written. */
  async claim(name: string): Promise<boolean> {
    this.cleaning ??= this.clean().catch((error: unknown) => this.logError(error));
    try {
      await createFolder(this.folder, 0o700);
      await writeFile(this.getPath(name), '', { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if (await this.exists(name)) return false;
      this.logError(error);
      return true;
    }
  }

  private async clean(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    for (const name of names) {
      const path = join(this.folder, name);
      // Another window may delete the same file.
      const stats = await stat(path).catch(() => undefined);
      if (stats && stats.mtimeMs < this.clock.now() - retentionMs) await rm(path, { force: true });
    }
  }

  private async exists(name: string): Promise<boolean> {
    return await stat(this.getPath(name)).then(
      () => true,
      () => false,
    );
  }

  private getPath(name: string): string {
    return join(this.folder, encodeURIComponent(name));
  }

  private logError(error: unknown): void {
    this.log.debug(`A file that coordinates notifications could not be written or deleted: ${String(error)}`);
  }
}
