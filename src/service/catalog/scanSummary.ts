import type { Logger } from '../../core/util/logger.ts';
import type { WalkBatch } from './folderWalk.ts';

const maxLogged = 20;

/** Collects the folders and problems that a scan found. */
export class ScanSummary {
  readonly folders = new Set<string>();
  private readonly unreadable: string[] = [];
  private readonly warnings: string[] = [];
  private unnamable = 0;

  add(batch: WalkBatch): void {
    for (const folder of batch.folders) this.folders.add(folder);
    this.unreadable.push(...batch.unreadable);
    this.unnamable += batch.unnamable;
    this.warnings.push(...batch.warnings);
  }

  /** Logs the problems as warnings; lists at most {@link maxLogged} of each kind. */
  log(logger: Logger, name: string): void {
    const { unreadable, unnamable } = this;
    for (const warning of this.warnings.slice(0, maxLogged)) logger.warn(`${name}: ${warning}`);
    if (unreadable.length > 0) {
      const shown = unreadable.slice(0, maxLogged).join(', ');
      logger.warn(`${name}: unreadable folders (${unreadable.length}): ${shown}`);
    }
    if (unnamable > 0)
      logger.warn(`${name}: files and folders skipped because their names aren't valid Unicode: ${unnamable}`);
  }
}
