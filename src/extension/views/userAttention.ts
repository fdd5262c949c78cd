import { window, type TreeView } from 'vscode';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';

/** The focus is moved no later than this after the user's last action. */
const limitMs = 5000;

/** Observes whether the user went elsewhere; the editor does not report the focus itself (D55: focus stays put). */
export class UserAttention implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly startedAt = performance.now();
  private hasLeft = false;

  constructor(views: readonly Pick<TreeView<unknown>, 'onDidChangeSelection'>[]) {
    const leave = (): void => {
      this.hasLeft = true;
    };
    const { lifetime } = this;
    lifetime.track(window.onDidChangeActiveTextEditor(leave));
    lifetime.track(window.onDidChangeTextEditorSelection(leave));
    lifetime.track(window.onDidChangeActiveTerminal(leave));
    lifetime.track(window.onDidChangeWindowState(leave));
    lifetime.track(window.tabGroups.onDidChangeTabs(leave));
    for (const view of views) lifetime.track(view.onDidChangeSelection(leave));
  }

  /** True while the user has done nothing that shows that they went elsewhere. */
  get isHere(): boolean {
    return !this.hasLeft && performance.now() - this.startedAt < limitMs;
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
