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
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import type { ContextKeys } from './contributions.ts';
import type { Notifications } from './notifications.ts';

const draftsKey: keyof ContextKeys = 'dataTransfer.descriptionDrafts';

/** Opens an editor for Markdown text with the built-in preview beside it. */
export class MarkdownDraft implements Disposable {
  private readonly notifications: Notifications;
  private end: ((isAccepted: boolean) => void) | undefined;

  constructor(notifications: Notifications) {
    this.notifications = notifications;
  }

  get isOpen(): boolean {
    return this.end !== undefined;
  }

  /**
   * Opens an editor for a draft. Only one draft can be open at a time. Resolves to the accepted text, or to undefined
   * if the draft is closed or another draft is opened.
   */
  async write(text: string): Promise<string | undefined> {
    this.end?.(false);
    const earlierPreviews = new Set(getPreviewTabs());
    const document = await workspace.openTextDocument({ language: 'markdown', content: text });
    const lifetime = new Lifetime();
    try {
      const editor = await window.showTextDocument(document, { preview: false });
      await commands.executeCommand('setContext', draftsKey, [document.uri.toString()]);
      const isAccepted = await this.waitForEnd(lifetime, editor);
      return isAccepted ? document.getText().trim() : undefined;
    } finally {
      lifetime.dispose();
      await commands.executeCommand('setContext', draftsKey, false);
      await window.tabGroups.close(getPreviewTabs().filter((tab) => !earlierPreviews.has(tab)));
      await discard(document.uri);
    }
  }

  accept(): void {
    this.end?.(true);
  }

  dispose(): void {
    this.end?.(false);
  }

  private async waitForEnd(lifetime: Lifetime, editor: TextEditor): Promise<boolean> {
    try {
      return await new Promise<boolean>((resolve) => {
        this.end = resolve;
        lifetime.track(
          window.tabGroups.onDidChangeTabs(({ closed }) => {
            if (closed.some((tab) => isTabOf(tab, editor.document.uri))) resolve(false);
          }),
        );
        lifetime.track(restoreFocus(editor));
        // The preview takes focus when it loads, so the notification is shown afterwards.
        void showPreview(editor).then(() => this.end === resolve && this.showAcceptNotification(resolve));
      });
    } finally {
      this.end = undefined;
    }
  }

  private showAcceptNotification(end: (isAccepted: boolean) => void): void {
    const label = l10n.t('Use as Description');
    const text = l10n.t(
      'Write the description in Markdown, then select “{0}” here or above the text to continue.',
      label,
    );
    void this.notifications.info(text, { label, run: () => end(true) });
  }
}

/** Opens the preview and returns the focus to the text. Does nothing if the editor has no Markdown support. */
async function showPreview({ document, viewColumn }: TextEditor): Promise<void> {
  try {
    await commands.executeCommand('markdown.showPreviewToSide', document.uri);
    await window.showTextDocument(document, viewColumn);
  } catch {
    return;
  }
}

/** Time within which a preview usually loads, in milliseconds. */
const previewLoadMs = 5_000;

/** Number of times that a preview takes the focus: when it opens, and again once it has loaded. */
const previewFocusCount = 2;

/**
 * Moves the focus back to the text when the preview takes it. After {@link previewLoadMs}, does so only the first
 * {@link previewFocusCount} times, because the user may have selected the preview.
 */
function restoreFocus({ document, viewColumn }: TextEditor): Disposable {
  const end = performance.now() + previewLoadMs;
  let taken = 0;
  let wasTaken = false;
  const restore = (): void => {
    const { activeTab } = window.tabGroups.activeTabGroup;
    const isTaken = activeTab !== undefined && isPreview(activeTab);
    if (isTaken && !wasTaken) taken += 1;
    wasTaken = isTaken;
    if (!isTaken || !isShown(document.uri) || (taken > previewFocusCount && performance.now() >= end)) return;
    // The document may be closed in the meantime.
    window.showTextDocument(document, viewColumn).then(undefined, () => undefined);
  };
  const lifetime = new Lifetime();
  // A group can become active before its preview opens. The tab change then shows that the preview has the focus.
  lifetime.track(window.tabGroups.onDidChangeTabGroups(restore));
  lifetime.track(window.tabGroups.onDidChangeTabs(restore));
  return lifetime;
}

function getPreviewTabs(): readonly Tab[] {
  return window.tabGroups.all.flatMap((group) => group.tabs).filter(isPreview);
}

function isPreview({ input }: Tab): boolean {
  return input instanceof TabInputWebview && input.viewType.endsWith('markdown.preview');
}

function isTabOf({ input }: Tab, uri: Uri): boolean {
  return input instanceof TabInputText && input.uri.toString() === uri.toString();
}

function isShown(uri: Uri): boolean {
  return window.tabGroups.all.flatMap(({ tabs }) => tabs).some((tab) => isTabOf(tab, uri));
}

/** Closes the document without a prompt to save. */
async function discard(uri: Uri): Promise<void> {
  if (!isShown(uri)) return;
  await window.showTextDocument(uri);
  await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
}
