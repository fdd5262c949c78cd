import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findHeadlessShell, repositoryRoot } from './editor/places.ts';

const origin = 'https://page.test';

/** Returns the initial document of a page, with the same elements as in the editor. */
const createShell = (name: string): string => `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Data Transfer</title>
    <link rel="stylesheet" href="/${name}.css">
  </head>
  <body>
    <main id="page" aria-busy="true"></main>
    <div id="announcements" class="spoken" role="status" aria-live="polite"></div>
    <script type="module" nonce="page" src="/${name}.js"></script>
  </body>
</html>`;

/** Returns the content security policy of a page, which is that of the editor's pages. */
const createPolicy = (name: string): string =>
  [
    `default-src 'none'`,
    `script-src 'nonce-page'`,
    `style-src ${origin}`,
    ...(name === 'metadata' ? ['img-src blob:'] : []),
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');

/** Replaces the API of the editor in the page: records sent messages and stores the page's state. */
const editorApi = `
  const sent = [];
  let saved;
  window.sent = sent;
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => sent.push(message),
    setState: (state) => { saved = state; },
    getState: () => saved,
  });`;

/**
 * Runs a page of the extension in a browser without an editor. Starts quickly, and lets a test send any message to the
 * page.
 */
export class PageStand {
  readonly page: Page;
  /** Errors and dialogs of the page, and violations of its content security policy. */
  readonly errors: string[] = [];
  /** URLs that the page requested in addition to its own files. Such requests are blocked. */
  readonly requests: string[] = [];
  private readonly browser: Browser;

  private constructor(browser: Browser, page: Page) {
    this.browser = browser;
    this.page = page;
  }

  /** Loads a built page and waits until it is ready. */
  static async open(name: 'metadata' | 'table' | 'transfer'): Promise<PageStand> {
    const browser = await chromium.launch({ executablePath: findHeadlessShell(), args: ['--disable-gpu'] });
    const stand = new PageStand(browser, await browser.newPage({ viewport: { width: 900, height: 1200 } }));
    await stand.load(name);
    return stand;
  }

  /** Reloads the page and waits until it is ready. */
  async reload(): Promise<void> {
    await this.page.goto(`${origin}/`);
    await this.page.waitForFunction('window.sent.length > 0');
  }

  /** Sends a message to the page as its host does. Resolves in the animation frame after the page has received it. */
  async send(message: unknown): Promise<void> {
    await this.page.evaluate(`new Promise((resolve) => {
      window.addEventListener('message', () => requestAnimationFrame(resolve), { once: true });
      window.postMessage(${JSON.stringify(message)}, '*');
    })`);
  }

  /** Returns the messages that the page has sent. */
  async getMessages(): Promise<readonly { readonly type: string }[]> {
    return await this.page.evaluate('window.sent');
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  private async load(name: string): Promise<void> {
    const { page } = this;
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('console', (line) => line.type() === 'error' && this.errors.push(line.text()));
    page.on('dialog', (dialog) => {
      this.errors.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.route('**', async (route) => {
      const { pathname, origin: from } = new URL(route.request().url());
      const [, file, kind] = /^\/([\w-]+\.(js|css))$/.exec(pathname) ?? [];
      if (from === origin && pathname === '/')
        await route.fulfill({
          body: createShell(name),
          contentType: 'text/html',
          headers: { 'content-security-policy': createPolicy(name) },
        });
      else if (from === origin && file !== undefined)
        await route.fulfill({
          body: await readFile(join(repositoryRoot, 'dist', 'webviews', file)),
          contentType: kind === 'js' ? 'text/javascript' : 'text/css',
        });
      else {
        this.requests.push(route.request().url());
        await route.abort();
      }
    });
    await page.addInitScript(editorApi);
    await this.reload();
  }
}
