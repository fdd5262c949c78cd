import { randomBytes } from 'node:crypto';
import { env, l10n, Uri, window, type Webview, type WebviewPanel } from 'vscode';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';
import type { Logger } from '../../core/util/logger.ts';
import type { Guard } from '../../webviews/messages/guards.ts';
import { isHostIntent, toOpenableLink, type HostIntent, type PageWords } from '../../webviews/messages/pageMessages.ts';
import { wordsLanguage } from '../words/localeFormats.ts';

/** Dependencies of a {@link PanelHost}. */
interface PanelHostDependencies {
  readonly extensionUri: Uri;
  readonly log: Logger;
}

/** Describes a kind of page and the messages that it exchanges with the host. */
interface PageContract<Intent, Message> {
  readonly page: PageName;
  readonly isIntent: Guard<Intent>;
  /** Creates the first message to a page that has started or restarted: content and translations. */
  readonly createStartMessage: () => Message;
  /** Handles a user action in the page. */
  readonly onIntent: (intent: Exclude<Intent, HostIntent>) => void;
}

/**
 * Loads a page into an editor panel and exchanges messages with it. Answers each `ready` message with a full snapshot,
 * because a page may restart at any time, for example after being hidden. Ignores messages that `isIntent` rejects, and
 * user actions before the first `ready`.
 */
export class PanelHost<Intent extends { readonly type: string }, Message extends object> implements Disposable {
  readonly panel: WebviewPanel;
  private readonly lifetime = new Lifetime();
  private readonly log: Logger;
  private readonly contract: PageContract<Intent, Message>;
  private hasStarted = false;
  private isDisposed = false;

  constructor(
    panel: WebviewPanel,
    { extensionUri, log }: PanelHostDependencies,
    contract: PageContract<Intent, Message>,
  ) {
    this.panel = panel;
    this.log = log;
    this.contract = contract;
    this.lifetime.track(panel.webview.onDidReceiveMessage((message: unknown) => this.receive(message)));
    panel.webview.options = { enableScripts: true, localResourceRoots: getPageFolders(extensionUri) };
    panel.iconPath = {
      light: Uri.joinPath(extensionUri, 'media', 'page-light.svg'),
      dark: Uri.joinPath(extensionUri, 'media', 'page-dark.svg'),
    };
    panel.webview.html = createShellHtml(panel.webview, extensionUri, contract.page, l10n.t('Data Transfer'));
  }

  /**
   * Sends a message to the page. Drops it before the first `ready`, because the start message has everything, and after
   * this host is disposed of, because the panel may then show another page.
   */
  post(message: Message): void {
    if (!this.hasStarted || this.isDisposed) return;
    this.panel.webview.postMessage(message).then(undefined, (error: unknown) => {
      this.log.warn(`Page ${this.contract.page}: could not deliver a message: ${String(error)}`);
    });
  }

  /** Detaches from the page without closing it, so that the page can be restored after the window reloads. */
  dispose(): void {
    this.isDisposed = true;
    this.lifetime.dispose();
  }

  private receive(message: unknown): void {
    if (isHostIntent(message)) this.handleHostIntent(message);
    else if (!this.contract.isIntent(message)) this.log.warn(`Page ${this.contract.page}: ignored an unknown message.`);
    // Until `ready`, the panel shows its former page, for which a user action was meant.
    else if (this.hasStarted) this.contract.onIntent(message as Exclude<Intent, HostIntent>);
  }

  private handleHostIntent(intent: HostIntent): void {
    if (intent.type === 'openLink') openLink(intent.address, this.log);
    else if (intent.type === 'ignored') {
      this.log.warn(`Page ${this.contract.page}: the page ignored a message that it doesn't know.`);
    } else {
      this.hasStarted = true;
      this.post(this.contract.createStartMessage());
    }
  }
}

/** Opens an address outside the editor if it is safe, which is checked here because pages aren't trusted. */
function openLink(address: string, log: Logger): void {
  const link = toOpenableLink(address);
  if (link === undefined) return;
  env.openExternal(Uri.parse(link, true)).then(undefined, (error: unknown) => {
    log.warn(`Could not open a link of a page: ${String(error)}`);
  });
}

/** Returns the language and translations for the pages. */
export function getPageWords(): PageWords {
  return { language: env.language, ...(l10n.bundle !== undefined && { bundle: l10n.bundle }) };
}

/** Copies text to the clipboard. Shows `confirmation` in the status bar, because the page may have lost focus. */
export function copyText(text: string, confirmation: string, log: Logger): void {
  env.clipboard.writeText(text).then(
    () => window.setStatusBarMessage(confirmation, 3000),
    (error: unknown) => log.warn(`Could not write to the clipboard: ${String(error)}`),
  );
}

/** Name of a page and of its bundle in `dist/webviews`. */
type PageName = 'metadata' | 'table' | 'transfer';

function getPageFolders(extensionUri: Uri): readonly Uri[] {
  return [Uri.joinPath(extensionUri, 'dist', 'webviews'), Uri.joinPath(extensionUri, 'media')];
}

/**
 * Creates the HTML document for a page. Its content security policy allows only the page's script, the chunks that the
 * script imports, and the extension's style sheets; on the metadata page, also images that its script makes of bytes.
 * The document contains no text from a server.
 */
function createShellHtml(webview: Webview, extensionUri: Uri, page: PageName, title: string): string {
  const nonce = randomBytes(24).toString('base64url');
  const toAddress = (file: string): string =>
    escapeAttribute(webview.asWebviewUri(Uri.joinPath(extensionUri, 'dist', 'webviews', file)).toString());
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    ...(page === 'metadata' ? ['img-src blob:'] : []),
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escapeAttribute(wordsLanguage)}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${escapeAttribute(policy)}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="${toAddress(`${page}.css`)}">
    <title>${escapeAttribute(title)}</title>
  </head>
  <body>
    <main id="page" aria-busy="true"></main>
    <div id="announcements" class="spoken" role="status" aria-live="polite"></div>
    <script type="module" nonce="${nonce}" src="${toAddress(`${page}.js`)}"></script>
  </body>
</html>`;
}

function escapeAttribute(attribute: string): string {
  return attribute.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
