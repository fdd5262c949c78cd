import {
  commands,
  l10n,
  TabInputText,
  TabInputWebview,
  window,
  workspace,
  type Tab,
  type TextEditor,
  type Uri,
} from 'vscode';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { ContextKeys } from './contributions.ts';
import type { Notices } from './notices.ts';

const writing: keyof ContextKeys = 'dataTransfer.writingDescription';

/** Lets the person write Markdown in a document of the editor, with the editor's own preview beside it. */
export class MarkdownDraft implements Disposable {
  private readonly notices: Notices;
  private end: ((isTaken: boolean) => void) | undefined;

  constructor(notices: Notices) {
    this.notices = notices;
  }

  get isOpen(): boolean {
    return this.end !== undefined;
  }

  /** Resolves with what was written when it is taken, or undefined when the document was closed. One at a time. */
  async write(text: string): Promise<string | undefined> {
    this.end?.(false);
    const earlier = new Set(previews());
    const document = await workspace.openTextDocument({ language: 'markdown', content: text });
    const lifetime = new Lifetime();
    try {
      const editor = await window.showTextDocument(document, { preview: false });
      await commands.executeCommand('setContext', writing, true);
      const isTaken = await this.ended(lifetime, editor);
      return isTaken ? document.getText().trim() : undefined;
    } finally {
      lifetime.dispose();
      await commands.executeCommand('setContext', writing, false);
      await window.tabGroups.close(previews().filter((tab) => !earlier.has(tab)));
      await discard(document.uri);
    }
  }

  /** Takes what is written as it is. */
  take(): void {
    this.end?.(true);
  }

  dispose(): void {
    this.end?.(false);
  }

  private async ended(lifetime: Lifetime, editor: TextEditor): Promise<boolean> {
    try {
      return await new Promise<boolean>((resolve) => {
        this.end = resolve;
        lifetime.track(
          window.tabGroups.onDidChangeTabs(({ closed }) => {
            if (closed.some((tab) => isOf(tab, editor.document.uri))) resolve(false);
          }),
        );
        lifetime.track(keepFocus(editor));
        // Who is asked to write before the preview is there loses keys to it.
        void showPreview(editor).then(() => this.end === resolve && this.invite(resolve));
      });
    } finally {
      this.end = undefined;
    }
  }

  private invite(end: (isTaken: boolean) => void): void {
    const take = l10n.t('Use as Description');
    const text = l10n.t('Write the description in Markdown. “{0}”, also above the text, goes on.', take);
    void this.notices.info(text, { label: take, run: () => end(true) });
  }
}

/** An editor without its own Markdown has no preview; the text can be written all the same. */
async function showPreview({ document, viewColumn }: TextEditor): Promise<void> {
  try {
    await commands.executeCommand('markdown.showPreviewToSide', document.uri);
    await window.showTextDocument(document, viewColumn);
  } catch {
    return;
  }
}

/** Longer than the page of a preview takes to load. */
const loadMs = 5_000;

/** The preview takes the focus once more when its page has loaded; the text gets it back, where the person writes. */
function keepFocus({ document, viewColumn }: TextEditor): Disposable {
  const end = performance.now() + loadMs;
  return window.tabGroups.onDidChangeTabGroups(({ changed }) => {
    const isTaken = changed.some(({ isActive, activeTab }) => isActive && activeTab && isPreview(activeTab));
    if (!isTaken || performance.now() >= end) return;
    // It may have been closed meanwhile.
    window.showTextDocument(document, viewColumn).then(undefined, () => undefined);
  });
}

function previews(): readonly Tab[] {
  return window.tabGroups.all.flatMap((group) => group.tabs).filter(isPreview);
}

function isPreview({ input }: Tab): boolean {
  return input instanceof TabInputWebview && input.viewType.endsWith('markdown.preview');
}

function isOf({ input }: Tab, uri: Uri): boolean {
  return input instanceof TabInputText && input.uri.toString() === uri.toString();
}

/** Closes the document without asking whether to save it. */
async function discard(uri: Uri): Promise<void> {
  const isShown = window.tabGroups.all.flatMap(({ tabs }) => tabs).some((tab) => isOf(tab, uri));
  if (!isShown) return;
  await window.showTextDocument(uri);
  await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
}
