import { commands, type TreeView } from 'vscode';

const extendCommands = { down: 'list.expandSelectionDown', up: 'list.expandSelectionUp' } as const;

/** Extends the selection of a view without opening the selected rows. */
export class SelectionExtender {
  private readonly view: Pick<TreeView<unknown>, 'selection'>;
  private runningCount = 0;
  /** The selection after it was last extended. Includes the focused row. */
  private extended: readonly unknown[] | undefined;

  constructor(view: Pick<TreeView<unknown>, 'selection'>) {
    this.view = view;
  }

  /** True while the editor may run the command of a row that only became selected and wasn't clicked. */
  get isExtending(): boolean {
    return this.runningCount > 0;
  }

  /** Selects the focused row and its next or previous one. The view must have the focus. */
  async extend(direction: keyof typeof extendCommands): Promise<void> {
    this.runningCount += 1;
    try {
      if (this.view.selection !== this.extended) await this.selectFocused();
      await run(extendCommands[direction]);
      this.extended = this.view.selection;
    } finally {
      this.runningCount -= 1;
    }
  }

  /**
   * Adds the focused row to the selection. The editor's commands don't do so: they add only the next or previous row.
   */
  private async selectFocused(): Promise<void> {
    const before = this.view.selection.length;
    await run('list.toggleSelection');
    if (this.view.selection.length < before) await run('list.toggleSelection');
  }
}

/** Runs a command of the editor and waits for its effects. They have arrived when a second request is answered. */
async function run(command: string): Promise<void> {
  await commands.executeCommand(command);
  await commands.executeCommand('noop');
}
