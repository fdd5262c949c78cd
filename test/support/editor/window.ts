import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { stopNetworkReports } from './networkReports.ts';
import type { PageElement } from './pageElement.ts';
import { Notifications } from './notifications.ts';
import { QuickInput, type QuickInputState, type StepMatch, isLabel } from './quickInput.ts';
import { type ThemeName, themes } from './settings.ts';
import { TreeView } from './treeView.ts';
import { until } from './until.ts';

/** Milliseconds after which the palette is reopened, because another element may have taken the focus and closed it. */
const paletteMs = 5_000;

const languageName = 'testLanguage';
const languageReaders = new WeakSet<Page>();

/**
 * Makes a page set its display language from its URL before any other script runs. A reused page whose URL has no
 * language uses the default.
 */
async function readLanguage(page: Page): Promise<void> {
  if (languageReaders.has(page)) return;
  languageReaders.add(page);
  await page.addInitScript(`{
    const language = new URLSearchParams(location.search).get('${languageName}');
    if (language) globalThis._VSCODE_NLS_LANGUAGE = language;
  }`);
}

/** The properties of the editor that a window needs to build its URL. */
export interface WindowHost {
  readonly server: { readonly authority: string };
  readonly workspace: string;
  readonly developmentPath: string | undefined;
}

/** Options for opening a window. `payload` extends the payload in the editor's URL. */
export interface WindowOptions {
  readonly workspace?: string;
  readonly payload?: readonly (readonly [string, string])[];
  /** The display language that the window reports, as if a language pack were installed. */
  readonly language?: string;
  /** Called before the page loads, for example to add scripts that must run from the start. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** A tab of the editor area. */
export interface TabState {
  readonly label: string;
  readonly isActive: boolean;
  readonly isPreview: boolean;
}

/** Operates a window of the editor as a user would. If a condition isn't met in time, the error names the condition. */
export class EditorWindow {
  readonly page: Page;
  readonly quickInput: QuickInput;
  readonly notifications: Notifications;
  readonly #host: WindowHost;

  constructor(page: Page, host: WindowHost) {
    this.page = page;
    this.#host = host;
    this.quickInput = new QuickInput(page);
    this.notifications = new Notifications(page);
  }

  /** Loads the editor and waits until the workbench is ready. */
  async open(options: WindowOptions = {}): Promise<void> {
    await options.prepare?.(this.page);
    if (options.language !== undefined) await readLanguage(this.page);
    await this.page.goto(this.#address(options));
    await stopNetworkReports(this.page);
    await this.#ready();
  }

  /** Reloads the window with the editor's own command, which preserves open editors as a restart does. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.command('Developer: Reload Window');
    await loaded;
    await this.#ready();
  }

  /** Reloads the browser page directly, which works even while a dialog is open. */
  async reloadNow(): Promise<void> {
    await this.page.reload();
    await this.#ready();
  }

  /** Closes only this window. */
  async close(): Promise<void> {
    await this.page.close();
  }

  /** Runs a command from the palette by its displayed title, such as `Data Transfer: Search Files…`. */
  async command(title: string): Promise<void> {
    let failure: unknown = 'it is not listed';
    const note = (error: unknown): undefined => void (failure = error);
    await until(
      () => `the command "${title}" in the palette (${String(failure)})`,
      async () => ((await this.#runFromPalette(title, note)) ? true : undefined),
    );
  }

  /** Returns true if the palette currently lists the command with the given title. */
  async hasCommand(title: string): Promise<boolean> {
    const isListed = (await this.#searchPalette(title)) !== undefined;
    await this.quickInput.cancel();
    return isListed;
  }

  /** Types text into the quick input and accepts it. */
  input(text: string, step?: StepMatch): Promise<void> {
    return this.quickInput.input(text, step);
  }

  /** Chooses a row in the quick pick by its label. */
  pick(label: string | RegExp, step?: StepMatch): Promise<void> {
    return this.quickInput.pick(label, step);
  }

  /** Opens a view container in the side bar by its title. */
  async openContainer(title: string): Promise<void> {
    const item = this.page.locator(`.activitybar .action-item:has(> .action-label[aria-label^="${title}"])`);
    await item.first().waitFor();
    const shown = this.page.locator('.part.sidebar .composite.title', { hasText: title });
    await until(`the container ${title}`, async () => {
      // A window that is loading may open the container on its own, in which case a click would close it.
      if ((await item.first().getAttribute('aria-expanded')) !== 'true') await item.first().click();
      return await shown.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => undefined,
      );
    });
  }

  /** Returns the text in the badge of a view container, or an empty string if there is no badge. */
  async badge(title: string): Promise<string> {
    const badge = this.page.locator(
      `.activitybar .action-item:has(> .action-label[aria-label^="${title}"]) .badge-content:visible`,
    );
    return (await badge.count()) > 0 ? (await badge.first().innerText()).trim() : '';
  }

  /** Returns a view in the side bar. Its container must be open. */
  tree(title: string): TreeView {
    return new TreeView(this.page, title);
  }

  /** Waits for a status bar item that contains the given text; resolves to its full text. */
  async statusBar(text: string | RegExp, waitMs?: number): Promise<string> {
    return until(`${text} in the status bar`, () => this.#findStatus(text), waitMs);
  }

  /** Returns the texts of the status bar items, from left to right. */
  async statusBarTexts(): Promise<readonly string[]> {
    const texts = await this.page.locator('.statusbar-item:visible').allInnerTexts();
    return texts.map((text) => text.trim()).filter((text) => text !== '');
  }

  /** Clicks a status bar item. */
  async clickStatusBar(text: string | RegExp): Promise<void> {
    await this.page.locator('.statusbar-item:visible', { hasText: text }).first().locator('a').first().click();
  }

  /** Returns the tooltip of a status bar item. */
  async statusBarTooltip(text: string | RegExp): Promise<string> {
    await this.page.locator('.statusbar-item:visible', { hasText: text }).first().hover();
    const hover = this.page.locator('.monaco-hover:visible').last();
    await hover.waitFor();
    return hover.innerText();
  }

  /** Returns the tabs in the editor area. */
  async tabs(): Promise<readonly TabState[]> {
    return this.page.locator('.tabs-container .tab').evaluateAll((tabs: PageElement[]) =>
      tabs.map((tab) => ({
        label: tab.querySelector('.label-name')?.innerText.trim() ?? '',
        isActive: tab.getAttribute('aria-selected') === 'true',
        isPreview: tab.querySelector('.tab-label.italic, .monaco-icon-label.italic') !== null,
      })),
    );
  }

  /** Waits for a tab and activates it. */
  async showTab(label: string | RegExp): Promise<void> {
    const tab = this.page.locator('.tabs-container .tab', { hasText: label }).first();
    await tab.waitFor();
    if ((await tab.getAttribute('aria-selected')) !== 'true') await tab.click();
  }

  /** Returns the visible text of the active text editor. */
  async editorText(): Promise<string> {
    const lines = this.page.locator('.editor-group-container.active .monaco-editor .view-lines').first();
    await lines.waitFor();
    return (await lines.innerText()).replaceAll('\u00a0', ' ');
  }

  /** Waits until the page (webview) with the given title is visible; resolves to the frame with its content. */
  async pageFrame(title: string | RegExp): Promise<Frame> {
    return until(`a page ${title}`, async () => {
      for (const frame of this.page.frames()) {
        if (await frameTitleIs(frame, title)) return frame;
      }
      return undefined;
    });
  }

  /** Waits until the clipboard contains text that meets a condition; resolves to the text. */
  async clipboard(isIt: (text: string) => boolean): Promise<string> {
    return until('the clipboard', async () => {
      const text = await this.page.evaluate<string>('navigator.clipboard.readText()');
      return isIt(text) ? text : undefined;
    });
  }

  /** Changes the theme with the editor's command and waits until the window shows it. */
  async theme(name: ThemeName): Promise<void> {
    await this.command('Preferences: Color Theme');
    await this.quickInput.pick(themes[name].label);
    await this.quickInput.waitClosed();
    await this.page.locator(`.monaco-workbench.${themes[name].className}`).waitFor();
  }

  /** Presses keys, such as `Control+Enter`. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Saves a screenshot of the window. */
  async screenshot(path: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await this.page.screenshot({ path, animations: 'disabled' });
  }

  #address(options: WindowOptions): string {
    const { authority } = this.#host.server;
    const remote = (path: string): string => `vscode-remote://${authority}${path}`;
    const { developmentPath } = this.#host;
    const payload = [
      ...(developmentPath === undefined ? [] : [['extensionDevelopmentPath', remote(developmentPath)]]),
      ['skipWelcome', 'true'],
      ['logLevel', 'data-transfer-explorer.data-transfer-explorer:debug'],
      ...(options.payload ?? []),
    ];
    const query = new URLSearchParams({
      folder: remote(options.workspace ?? this.#host.workspace),
      payload: JSON.stringify(payload),
      ...(options.language !== undefined && { [languageName]: options.language }),
    });
    return `http://${authority}/?${query.toString().replaceAll('+', '%20')}`;
  }

  async #ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor();
    await this.page.locator('.statusbar-item[id="status.notifications"]').waitFor();
  }

  async #searchPalette(title: string): Promise<number | undefined> {
    if (await this.quickInput.isOpen()) await this.quickInput.cancel();
    await this.page.keyboard.press('F1');
    await this.quickInput.wait('Type the name of a command', paletteMs);
    await this.quickInput.type(`>${title}`, undefined, paletteMs);
    const isAnswered = async (): Promise<QuickInputState | undefined> => {
      const state = await this.quickInput.state();
      return state?.value === `>${title}` && state.rows.length > 0 ? state : undefined;
    };
    const settled = await until('the palette to answer', isAnswered, paletteMs);
    const index = settled.rows.findIndex((row) => isLabel(row.label, title));
    return index < 0 ? undefined : index;
  }

  async #runFromPalette(title: string, onFailure: (error: unknown) => undefined): Promise<boolean> {
    // An element that receives focus late, such as an opening panel, closes the palette; the caller then retries.
    const index = await this.#searchPalette(title).catch(onFailure);
    if (index === undefined) return false;
    const before = await this.quickInput.clickRow(title, paletteMs).catch(onFailure);
    if (before === undefined) return false;
    await this.quickInput.waitForChange(before);
    return true;
  }

  async #findStatus(text: string | RegExp): Promise<string | undefined> {
    const isIt = (entry: string): boolean => (typeof text === 'string' ? entry.includes(text) : text.test(entry));
    return (await this.statusBarTexts()).find(isIt);
  }
}

async function frameTitleIs(frame: Frame, title: string | RegExp): Promise<boolean> {
  try {
    const element = await frame.frameElement();
    if ((await element.getAttribute('id')) !== 'active-frame' || !(await element.isVisible())) return false;
    return isLabel((await element.getAttribute('title')) ?? '', title);
  } catch {
    return false;
  }
}
