import { commands, type TreeView } from 'vscode';

const extendCommands = { down: 'list.expandSelectionDown', up: 'list.expandSelectionUp' } as const;

/** Extends a view's selection without opening the selected rows. */
export class SelectionExtender {
  private readonly view: Pick<TreeView<unknown>, 'selection'>;
  private runningCount = 0;
  private awaitedSelections = 0;
  private unwantedOpenings = 0;
  /** The selection after it was last extended. Includes the focused row. */
  private extended: readonly unknown[] | undefined;

  constructor(view: Pick<TreeView<unknown>, 'selection'>) {
    this.view = view;
  }

  /** Records the view's new selection. Must be called for every selection, before the selected row's command runs. */
  noteSelection(selection: readonly unknown[]): void {
    if (this.awaitedSelections === 0) return;
    this.awaitedSelections -= 1;
    if (selection.length === 1) this.unwantedOpenings += 1;
  }

  /**
   * Returns true if the editor runs a row's command only because extending the selection left just that row selected.
   * Returns true once for each such selection, so the user can open the row immediately afterwards.
   */
  consumeOpening(): boolean {
    if (this.unwantedOpenings === 0) return false;
    this.unwantedOpenings -= 1;
    return true;
  }

  /** Adds the focused row and the next or previous row to the selection. The view must have the focus. */
  async extend(direction: keyof typeof extendCommands): Promise<void> {
    if (this.view.selection !== this.extended) await this.selectFocused();
    await this.run(extendCommands[direction]);
    this.extended = this.view.selection;
  }

  /**
   * Adds the focused row to the selection. The editor's commands that extend a selection add only the next or previous
   * row.
   */
  private async selectFocused(): Promise<void> {
    const before = this.view.selection.length;
    await this.run('list.toggleSelection');
    if (this.view.selection.length < before) await this.run('list.toggleSelection');
  }

  /** Runs an editor command and waits for its effects, which have arrived by the time a second command completes. */
  private async run(command: string): Promise<void> {
    this.runningCount += 1;
    this.awaitedSelections += 1;
    try {
      await commands.executeCommand(command);
      await commands.executeCommand('noop');
    } finally {
      this.runningCount -= 1;
      if (this.runningCount === 0) this.awaitedSelections = this.unwantedOpenings = 0;
    }
  }
}
