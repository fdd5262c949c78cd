import { commands } from 'vscode';

const extendCommands = { down: 'list.expandSelectionDown', up: 'list.expandSelectionUp' } as const;

/** Extends the selection of the focused view, without the command that the editor runs for the only selected row. */
export class SelectionExtender {
  private runningCount = 0;

  /** True while the editor may run the command of a row that only became selected. */
  get isExtending(): boolean {
    return this.runningCount > 0;
  }

  async extend(direction: keyof typeof extendCommands): Promise<void> {
    this.runningCount += 1;
    try {
      await commands.executeCommand(extendCommands[direction]);
      // The row's command arrives before the reply to another request.
      await commands.executeCommand('noop');
    } finally {
      this.runningCount -= 1;
    }
  }
}
