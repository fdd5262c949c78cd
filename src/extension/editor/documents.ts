import { randomUUID } from 'node:crypto';
import {
  commands,
  l10n,
  Range,
  TabInputText,
  TabInputWebview,
  Uri,
  window,
  workspace,
  WorkspaceEdit,
  type Tab,
  type TextDocument,
  type TextEditor,
} from 'vscode';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import type { ContextKeys } from './contributions.ts';
import type { Notifications } from './notifications.ts';

const scheme = 'data-transfer';

/** The folder in a result's URI, to which `when` clauses in the manifest refer. */
const resultFolder = 'verification';

/** A result that a command can use again after its notification was closed. */
interface Result {
  readonly file: string;
  /** Distinguishes documents with the same file name. */
  readonly identity: string;
  /** Repeats what the result is about. */
  run(): Promise<void>;
}

/** Shows text in read-only documents, which can be closed without a prompt to save. */
export class Documents implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly texts = new Map<string, string>();
  private readonly results = new Map<string, Result>();

  constructor() {
    const provideTextDocumentContent = (uri: Uri): string => this.texts.get(uri.toString()) ?? '';
    this.lifetime.track(workspace.registerTextDocumentContentProvider(scheme, { provideTextDocumentContent }));
    this.lifetime.track(workspace.onDidCloseTextDocument(({ uri }) => this.forget(uri.toString())));
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  async compare(
    title: string,
    file: string,
    texts: { readonly before: string; readonly after: string },
  ): Promise<void> {
    const before = this.addText(file, randomUUID(), texts.before);
    const after = this.addText(file, randomUUID(), texts.after);
    await commands.executeCommand('vscode.diff', before, after, title);
  }

  /** Opens text in a preview tab. `identity` distinguishes documents with the same file name. */
  async show(file: string, identity: string, text: string): Promise<void> {
    await open(this.addText(file, identity, text));
  }

  /** Opens a result in a preview tab. */
  async showResult(result: Result, text: string): Promise<void> {
    const { file, identity } = result;
    const uri = this.addText(file, identity, text, resultFolder);
    this.results.set(uri.toString(), result);
    await open(uri);
  }

  /** Returns the result in a tab. */
  getResult(uri: Uri): Result | undefined {
    return this.results.get(uri.toString());
  }

  private forget(uri: string): void {
    this.texts.delete(uri);
    this.results.delete(uri);
  }

  private addText(file: string, identity: string, text: string, folder = ''): Uri {
    const path = ['', ...(folder === '' ? [] : [folder]), file.replaceAll('/', '_')].join('/');
    const uri = Uri.from({ scheme, path, query: identity });
    this.texts.set(uri.toString(), text);
    return uri;
  }
}

async function open(uri: Uri): Promise<void> {
  await window.showTextDocument(await workspace.openTextDocument(uri), { preview: true });
}

const draftsKey: keyof ContextKeys = 'dataTransfer.descriptionDrafts';

/** The reason why a draft ended: `replaced` means that another draft was opened. */
type DraftEnd = 'accepted' | 'closed' | 'replaced';

type DraftResult = { readonly text: string } | Exclude<DraftEnd, 'accepted'>;

/** Opens an editor for Markdown text with the built-in preview beside it. */
export class MarkdownDraft implements Disposable {
  private readonly notifications: Notifications;
  private end: ((reason: DraftEnd) => void) | undefined;
  private latestNumber = 0;
  /** Settles when the latest draft's editor has been closed. */
  private closing: Promise<unknown> = Promise.resolve();

  constructor(notifications: Notifications) {
    this.notifications = notifications;
  }

  get isOpen(): boolean {
    return this.end !== undefined;
  }

  /**
   * Opens an editor for a draft, after closing any earlier one, because only one can be open at a time. Resolves to the
   * result once the editor has been closed, or to `replaced` without opening the editor if another draft is requested
   * first.
   */
  async write(text: string): Promise<DraftResult> {
    const draftNumber = ++this.latestNumber;
    this.end?.('replaced');
    const result = this.closing.then(async (): Promise<DraftResult> =>
      this.latestNumber === draftNumber ? await this.edit(text, draftNumber) : 'replaced',
    );
    this.closing = result.catch(() => undefined);
    return await result;
  }

  accept(): void {
    this.end?.('accepted');
  }

  dispose(): void {
    this.end?.('closed');
  }

  private async edit(text: string, draftNumber: number): Promise<DraftResult> {
    const earlierPreviews = new Set(getPreviewTabs());
    const document = await workspace.openTextDocument({ language: 'markdown', content: text });
    const lifetime = new Lifetime();
    try {
      const editor = await window.showTextDocument(document, { preview: false });
      await commands.executeCommand('setContext', draftsKey, [document.uri.toString()]);
      const reason = this.latestNumber === draftNumber ? await this.waitForEnd(lifetime, editor) : 'replaced';
      return reason === 'accepted' ? { text: document.getText().trim() } : reason;
    } finally {
      lifetime.dispose();
      await commands.executeCommand('setContext', draftsKey, false);
      await window.tabGroups.close(getPreviewTabs().filter((tab) => !earlierPreviews.has(tab)));
      await discard(document);
    }
  }

  private async waitForEnd(lifetime: Lifetime, editor: TextEditor): Promise<DraftEnd> {
    try {
      return await new Promise<DraftEnd>((resolve) => {
        this.end = resolve;
        lifetime.track(
          window.tabGroups.onDidChangeTabs(({ closed }) => {
            if (closed.some((tab) => isTabOf(tab, editor.document.uri))) resolve('closed');
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

  private showAcceptNotification(end: (reason: DraftEnd) => void): void {
    const label = l10n.t('Use as Description');
    const text = l10n.t(
      'Write the description in Markdown, then select “{0}” here or above the text to continue.',
      label,
    );
    void this.notifications.info(text, { label, run: () => end('accepted') });
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
 * Moves the focus back to the text whenever the preview takes it. After {@link previewLoadMs}, stops once this has
 * happened {@link previewFocusCount} times, because the user may then have selected the preview.
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
    if (!isTaken || getTabs(document.uri).length === 0 || (taken > previewFocusCount && performance.now() >= end))
      return;
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

function getTabs(uri: Uri): readonly Tab[] {
  return window.tabGroups.all.flatMap(({ tabs }) => tabs).filter((tab) => isTabOf(tab, uri));
}

/** Closes an untitled document. Empties it first, because the editor closes an empty one without a prompt to save. */
async function discard({ uri, lineCount }: TextDocument): Promise<void> {
  if (getTabs(uri).length === 0) return;
  const edit = new WorkspaceEdit();
  edit.delete(uri, new Range(0, 0, lineCount, 0));
  await workspace.applyEdit(edit);
  await window.tabGroups.close(getTabs(uri));
}
