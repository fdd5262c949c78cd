import { join } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { Emitter } from '../util/emitter.ts';
import { Lifetime, type Disposable } from '../util/lifetime.ts';
import { ShelfWatch } from './shelfWatch.ts';

/** What may have changed: the record of one transfer, or any of a folder of the ledger. */
export type LedgerChange = { readonly key: string } | { readonly shelf: 'running' | 'ended' };

/** Tells when records in the ledger change, whoever changes them. */
export class LedgerWatch implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly changed = this.lifetime.track(new Emitter<LedgerChange>());
  private readonly shelves: readonly ShelfWatch[];

  readonly onDidChange = this.changed.event;

  constructor(folder: string, clock: Clock) {
    this.shelves = (['running', 'ended'] as const).map((shelf) => {
      const tell = (key: string | undefined): void => this.changed.fire(key === undefined ? { shelf } : { key });
      return this.lifetime.track(new ShelfWatch(join(folder, shelf), clock, tell));
    });
  }

  /** Resolves when changes are told from now on. */
  async start(): Promise<void> {
    await Promise.all(this.shelves.map((shelf) => shelf.start()));
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
