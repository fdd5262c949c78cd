import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { themes, type ThemeName } from '../../test/support/editor/settings.ts';
import type { State } from './scene.ts';
import type { Stage } from './stage.ts';

/** Lets the editor follow what the camera says of the machine's colours: it changes at once, whatever is open. */
export const cameraSettings: Readonly<Record<string, unknown>> = {
  'window.autoDetectColorScheme': true,
  'window.autoDetectHighContrast': true,
  'workbench.preferredLightColorTheme': themes.light.id,
  'workbench.preferredDarkColorTheme': themes.dark.id,
  'workbench.preferredHighContrastColorTheme': themes.highContrast.id,
  'workbench.preferredHighContrastLightColorTheme': themes.highContrastLight.id,
  'editor.cursorBlinking': 'solid',
};

/**
 * Runs in each frame of the page before anything else. High contrast of the machine is told without the forced colours
 * that come with it in a browser; the pages in the frames see a time that stands.
 */
const stageDirections = `(() => {
  if (window !== window.top) { const now = Date.now(); Date.now = () => now; return; }
  const query = '(forced-colors: active)';
  const real = window.matchMedia.bind(window);
  const list = Object.assign(new EventTarget(), { matches: false, media: query });
  window.matchMedia = (text) => (text === query ? list : real(text));
  window.setHighContrast = (matches) => {
    if (list.matches === matches) return;
    list.matches = matches;
    list.dispatchEvent(new Event('change'));
  };
})()`;

/** Nothing takes longer in an editor that works. */
const waitMs = 15_000;
const settleMs = 150;
const settleLimitMs = 10_000;

/** Takes pictures of a window, each in several themes. */
export class Camera {
  readonly #folder: string;
  readonly #themes: readonly ThemeName[];

  constructor(folder: string, wanted: readonly ThemeName[]) {
    this.#folder = folder;
    this.#themes = wanted;
  }

  /** Makes a window ready to be taken, before it is loaded. */
  async prepare(page: Page): Promise<void> {
    page.setDefaultTimeout(waitMs);
    await page.addInitScript(stageDirections);
    await page.emulateMedia({ colorScheme: 'light' });
  }

  /**
   * Writes `name-theme.png` for each theme, or the wanted one, when nothing on the screen moves any longer. What the
   * pointer shows is brought about anew in each: a change of theme hides it.
   */
  async take(stage: Stage, { name, steps, isPointerKept, theme: only }: State): Promise<void> {
    const { page } = stage.window;
    await mkdir(this.#folder, { recursive: true });
    for (const theme of only ? [only] : this.#themes) {
      await page.mouse.move(900, 784);
      await setTheme(page, theme);
      if (isPointerKept) await steps(stage);
      await writeFile(join(this.#folder, `${name}-${theme}.png`), await atRest(page));
    }
  }
}

async function setTheme(page: Page, theme: ThemeName): Promise<void> {
  const isDark = theme === 'dark' || theme === 'highContrast';
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
  await page.evaluate(`setHighContrast(${theme.startsWith('highContrast')})`);
  await page.locator(`.monaco-workbench.${themes[theme].className}`).waitFor();
}

/** The picture, once two of them in a row are the same. */
async function atRest(page: Page): Promise<Buffer> {
  const end = performance.now() + settleLimitMs;
  let last = await page.screenshot({ animations: 'disabled' });
  for (;;) {
    await pause(settleMs);
    const next = await page.screenshot({ animations: 'disabled' });
    if (next.equals(last)) return next;
    if (performance.now() > end) throw new Error('The window does not come to rest.');
    last = next;
  }
}
