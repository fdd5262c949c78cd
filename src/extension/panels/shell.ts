import { randomBytes } from 'node:crypto';
import { Uri, type Webview } from 'vscode';
import { wordsLanguage } from '../words/localeFormats.ts';

/** Name of a page and of its bundle in `dist/webviews`. */
export type PageName = 'metadata' | 'transfer';

/** Returns the extension's folders from which a page may load files. */
export function getPageFolders(extensionUri: Uri): readonly Uri[] {
  return [Uri.joinPath(extensionUri, 'dist', 'webviews'), Uri.joinPath(extensionUri, 'media')];
}

/**
 * Creates the HTML document for a page. Its content security policy allows only the page's script, the chunks that the
 * script imports, and the extension's style sheets. The document contains no text from a server.
 */
export function createShellHtml(webview: Webview, extensionUri: Uri, page: PageName, title: string): string {
  const nonce = randomBytes(24).toString('base64url');
  const toAddress = (file: string): string =>
    escapeAttribute(webview.asWebviewUri(Uri.joinPath(extensionUri, 'dist', 'webviews', file)).toString());
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
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
