import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import type { Logger } from '../util/logger.ts';

const keptMs = 24 * 3_600_000;

/** Settles which of several windows tells the person of something: the first that claims it, by a file beside the ledger. */
export class NoticeClaims {
  private readonly folder: string;
  private readonly clock: Clock;
  private readonly log: Logger;
  private cleaning: Promise<void> | undefined;

  /** `folder` is the ledger's. */
  constructor(folder: string, clock: Clock, log: Logger) {
    this.folder = join(folder, 'told');
    this.clock = clock;
    this.log = log;
  }

  /** Whether this window is the first to claim `name`. Where that cannot be written it is: twice told is better than never. */
  async take(name: string): Promise<boolean> {
    this.cleaning ??= this.clean().catch((error: unknown) => this.complain(error));
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(this.file(name), '', { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if (await this.isThere(name)) return false;
      this.complain(error);
      return true;
    }
  }

  /** What was told a day ago is not told again: its transfer has ended. */
  private async clean(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    for (const name of names) {
      const path = join(this.folder, name);
      const { mtimeMs } = await stat(path);
      if (mtimeMs < this.clock.now() - keptMs) await rm(path, { force: true });
    }
  }

  private async isThere(name: string): Promise<boolean> {
    return await stat(this.file(name)).then(
      () => true,
      () => false,
    );
  }

  private file(name: string): string {
    return join(this.folder, encodeURIComponent(name));
  }

  private complain(error: unknown): void {
    this.log.debug(`Windows cannot agree on which of them tells of a transfer: ${String(error)}`);
  }
}
