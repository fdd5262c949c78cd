import { env, l10n, Uri, window, type WebviewPanel } from 'vscode';
import { Lifetime, type Disposable } from '../core/util/lifetime.ts';
import type { Logger } from '../core/util/logger.ts';
import type { CommandArguments, CommandId } from '../host/contributions.ts';
import type { Guard } from '../messages/guards.ts';
import { openableLink } from '../messages/links.ts';
import type { CommonIntent, PageWords } from '../messages/pageMessages.ts';
import { pageFolders, shellHtml, type PageName } from './shell.ts';

/** What every page needs of the extension. */
export interface PanelParts {
  readonly extensionUri: Uri;
  readonly log: Logger;
  /** Runs a command of the extension; what goes wrong in it is shown where all commands are run. */
  readonly run: <I extends CommandId>(id: I, argument?: CommandArguments[I]) => void;
}

/** What one kind of page needs of its host. */
interface PageContract<Intent> {
  readonly page: PageName;
  readonly isIntent: Guard<Intent>;
  /** The whole of what the page shows, with the words; asked for whenever the page has (re)started. */
  readonly start: () => object;
  /** What the person did in the page; `ready` and `ignored` never get here. */
  readonly onIntent: (intent: Intent) => void;
}

/**
 * Host side of one page: loads it into a panel of the editor, answers each `ready` with a whole snapshot, and lets
 * only messages through that the guard knows. The page may start anew at any time, for example after being hidden.
 */
export class PanelHost<Intent extends { readonly type: string }> implements Disposable {
  readonly panel: WebviewPanel;
  private readonly lifetime = new Lifetime();
  private readonly parts: PanelParts;
  private readonly contract: PageContract<Intent>;
  private started = false;

  constructor(panel: WebviewPanel, parts: PanelParts, contract: PageContract<Intent>) {
    this.panel = panel;
    this.parts = parts;
    this.contract = contract;
    this.lifetime.track(panel.webview.onDidReceiveMessage((message: unknown) => this.receive(message)));
    panel.webview.options = { enableScripts: true, localResourceRoots: pageFolders(parts.extensionUri) };
    panel.iconPath = {
      light: Uri.joinPath(parts.extensionUri, 'media', 'page-light.svg'),
      dark: Uri.joinPath(parts.extensionUri, 'media', 'page-dark.svg'),
    };
    panel.webview.html = shellHtml(panel.webview, parts.extensionUri, contract.page, l10n.t('Data Transfer'));
  }

  /** Sends a message to the page; before its first `ready` there is nobody to hear it, and nothing is lost. */
  say(message: object): void {
    if (!this.started) return;
    this.panel.webview.postMessage(message).then(undefined, (error: unknown) => {
      this.parts.log.warn(`Page ${this.contract.page}: a message could not be delivered: ${String(error)}`);
    });
  }

  /** Lets go of the page without closing it: a page that is open when the window reloads is to come back. */
  dispose(): void {
    this.lifetime.dispose();
  }

  private receive(message: unknown): void {
    if (!this.contract.isIntent(message)) {
      this.parts.log.warn(`Page ${this.contract.page}: a message that is not known was ignored.`);
      return;
    }
    const intent: CommonIntent | Intent = message;
    if (intent.type === 'ready') {
      this.started = true;
      this.say(this.contract.start());
    } else if (intent.type === 'ignored') {
      this.parts.log.warn(`Page ${this.contract.page}: the page ignored a message that it does not know.`);
    } else this.contract.onIntent(message);
  }
}

/** Opens an address outside the editor, after looking at it once more on this side. */
export function openLink(address: string, log: Logger): void {
  const link = openableLink(address);
  if (link === undefined) return;
  env.openExternal(Uri.parse(link, true)).then(undefined, (error: unknown) => {
    log.warn(`A link of a page could not be opened: ${String(error)}`);
  });
}

/** Language and translations, as the pages want them. */
export function pageWords(): PageWords {
  return { language: env.language, ...(l10n.bundle !== undefined && { bundle: l10n.bundle }) };
}

/**
 * Puts text of a page on the clipboard; it says so itself, because the page may have lost the focus by then.
 */
export function copyText(text: string, said: string, log: Logger): void {
  env.clipboard.writeText(text).then(
    () => window.setStatusBarMessage(said, 3000),
    (error: unknown) => log.warn(`The clipboard could not be written: ${String(error)}`),
  );
}
