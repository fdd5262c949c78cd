import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { readPlaces, repositoryRoot } from './editor/places.ts';

const origin = 'https://page.test';

/** What stands in the page from the beginning; the same parts as in the editor, under the same policy. */
const shell = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Data Transfer</title>
    <link rel="stylesheet" href="/page.css">
  </head>
  <body>
    <main id="page" aria-busy="true"></main>
    <div id="announcements" class="spoken" role="status" aria-live="polite"></div>
    <script src="/page.js"></script>
  </body>
</html>`;

const policy = `default-src 'none'; script-src ${origin}; style-src ${origin}; base-uri 'none'; form-action 'none'`;

/** Stands where the editor does: keeps what the page says and what it wants to have kept. */
const editorApi = `
  const said = [];
  let kept;
  window.said = said;
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => said.push(message),
    setState: (state) => { kept = state; },
    getState: () => kept,
  });`;

/** A page of the extension in a browser of its own, without an editor around it: quick, and for whatever a server may say. */
export class PageStand {
  readonly page: Page;
  /** What the browser complained of: errors of the page, and what its policy refused. */
  readonly complaints: string[] = [];
  /** Addresses that the page asked for besides its own files. */
  readonly asked: string[] = [];
  private readonly browser: Browser;

  private constructor(browser: Browser, page: Page) {
    this.browser = browser;
    this.page = page;
  }

  /** Loads a built page; it has said that it is ready then. */
  static async open(name: 'metadata' | 'transfer'): Promise<PageStand> {
    const browser = await chromium.launch({ executablePath: readPlaces().browser, args: ['--disable-gpu'] });
    const stand = new PageStand(browser, await browser.newPage({ viewport: { width: 900, height: 1200 } }));
    await stand.load(name);
    return stand;
  }

  /** Loads the page anew, as it is when it is opened; it has said that it is ready then. */
  async reload(): Promise<void> {
    await this.page.goto(`${origin}/`);
    await this.page.waitForFunction('window.said.length > 0');
  }

  /** Sends the page a message, as its host does. */
  async tell(message: unknown): Promise<void> {
    await this.page.evaluate(`new Promise((resolve) => {
      window.addEventListener('message', () => requestAnimationFrame(resolve), { once: true });
      window.postMessage(${JSON.stringify(message)}, '*');
    })`);
  }

  /** What the page has said so far. */
  async said(): Promise<readonly { readonly type: string }[]> {
    return await this.page.evaluate('window.said');
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  private async load(name: string): Promise<void> {
    const { page } = this;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (line) => line.type() === 'error' && this.complaints.push(line.text()));
    page.on('dialog', (dialog) => {
      this.complaints.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.route('**', async (route) => {
      const { pathname, origin: from } = new URL(route.request().url());
      const file = /^\/page\.(js|css)$/.exec(pathname)?.[1];
      if (from === origin && pathname === '/')
        await route.fulfill({ body: shell, contentType: 'text/html', headers: { 'content-security-policy': policy } });
      else if (from === origin && file !== undefined)
        await route.fulfill({
          body: await readFile(join(repositoryRoot, 'dist', 'webviews', `${name}.${file}`)),
          contentType: file === 'js' ? 'text/javascript' : 'text/css',
        });
      else {
        this.asked.push(route.request().url());
        await route.abort();
      }
    });
    await page.addInitScript(editorApi);
    await this.reload();
  }
}
