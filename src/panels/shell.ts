import { randomBytes } from 'node:crypto';
import { Uri, type Webview } from 'vscode';
import { wordsLanguage } from '../host/words.ts';

/** The pages, by the name of their bundle in `dist/webviews`. */
export type PageName = 'metadata' | 'transfer';

/** The folders of the extension that a page may load files from. */
export function pageFolders(extensionUri: Uri): readonly Uri[] {
  return [Uri.joinPath(extensionUri, 'dist', 'webviews'), Uri.joinPath(extensionUri, 'media')];
}

/**
 * The document that a page starts from: one script and one style sheet of the extension, and a policy that lets in
 * nothing else. Nothing that a server said is ever written into it.
 */
export function shellHtml(webview: Webview, extensionUri: Uri, page: PageName, title: string): string {
  const nonce = randomBytes(24).toString('base64url');
  const address = (file: string): string =>
    escaped(webview.asWebviewUri(Uri.joinPath(extensionUri, 'dist', 'webviews', file)).toString());
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escaped(wordsLanguage)}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="${address(`${page}.css`)}">
    <title>${escaped(title)}</title>
  </head>
  <body>
    <main id="page" aria-busy="true"></main>
    <div id="announcements" class="spoken" role="status" aria-live="polite"></div>
    <script nonce="${nonce}" src="${address(`${page}.js`)}"></script>
  </body>
</html>`;
}

function escaped(attribute: string): string {
  return attribute.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
