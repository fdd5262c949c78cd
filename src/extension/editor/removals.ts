import { commands, l10n } from 'vscode';
import type { Disposable } from '../../core/util/lifetime.ts';
import { CommandHint } from './commandBoundary.ts';
import type { ContextKeys } from './contributions.ts';
import type { Notifications } from './notifications.ts';

interface Removal {
  /** The sentence that reports it. */
  readonly text: string;
  readonly undo: () => unknown;
  isUndone: boolean;
}

const maxRemovals = 10;
const canUndoKey: keyof ContextKeys = 'dataTransfer.canUndo';

/** Reports removals, and undoes the last ones, from the notification or by a command after it was closed. */
export class Removals implements Disposable {
  private readonly notifications: Notifications;
  /** The removals that the command can undo, newest last. */
  private removals: readonly Removal[] = [];

  constructor(notifications: Notifications) {
    this.notifications = notifications;
  }

  report(text: string, undo: () => unknown): void {
    const removal: Removal = { text, undo, isUndone: false };
    this.store([...this.removals, removal].slice(-maxRemovals));
    void this.notifications.info(text, { label: l10n.t('Undo'), run: () => this.undo(removal) });
  }

  async undoLast(): Promise<void> {
    const removal = this.removals.at(-1);
    if (!removal) throw new CommandHint(l10n.t('There is no removal to undo in this window.'));
    await this.undo(removal);
    this.notifications.showStatusMessage(l10n.t('Undone: {0}', removal.text));
  }

  /** Forgets the removals, which may contain API keys. */
  dispose(): void {
    this.store([]);
  }

  /** Undoes a removal unless this was done before. After a failure, it can be undone again. */
  private async undo(removal: Removal): Promise<void> {
    if (removal.isUndone) return;
    removal.isUndone = true;
    this.store(this.removals.filter((one) => one !== removal));
    try {
      await removal.undo();
    } catch (error) {
      if (error instanceof CommandHint) throw error;
      removal.isUndone = false;
      this.store([...this.removals, removal]);
      throw error;
    }
  }

  private store(removals: readonly Removal[]): void {
    this.removals = removals;
    void commands.executeCommand('setContext', canUndoKey, removals.length > 0);
  }
}
