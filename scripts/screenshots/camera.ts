import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { themes, type ThemeName } from '../../test/support/editor/settings.ts';
import type { Stage } from './stage.ts';

/** ID of the extension. The editor opens links to this extension without a prompt. */
export const extensionId = 'data-transfer-explorer.data-transfer-explorer';

/** Settings that make the editor follow the color scheme emulated by the browser, so that themes change immediately. */
export const cameraSettings: Readonly<Record<string, unknown>> = {
  'window.autoDetectColorScheme': true,
  'window.autoDetectHighContrast': true,
  'workbench.preferredLightColorTheme': themes.light.id,
  'workbench.preferredDarkColorTheme': themes.dark.id,
  'workbench.preferredHighContrastColorTheme': themes.highContrast.id,
  'workbench.preferredHighContrastLightColorTheme': themes.highContrastLight.id,
  'editor.cursorBlinking': 'solid',
  'extensions.confirmedUriHandlerExtensionIds': [extensionId],
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
};

/**
 * Script that runs first in each frame of a window. Lets the editor detect high contrast without the forced colors that
 * a browser would apply, and stops the clock in the extension's pages.
 */
const preparation = `(() => {
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

const settleMs = 150;
const settleLimitMs = 10_000;

/** Prepares a window before it loads the editor. */
export async function prepare(page: Page): Promise<void> {
  await page.addInitScript(preparation);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Moves the pointer to a place without a tooltip. */
export async function restPointer(page: Page): Promise<void> {
  await page.mouse.move(700, 784);
}

/** Takes a screenshot of a window in a theme. Waits until the window has stopped changing, and resolves to the PNG. */
export async function takeScreenshot({ window: { page }, hover }: Stage, theme: ThemeName): Promise<Buffer> {
  await restPointer(page);
  const isDark = theme === 'dark' || theme === 'highContrast';
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
  await page.evaluate(`setHighContrast(${theme.startsWith('highContrast')})`);
  await page.locator(`.monaco-workbench.${themes[theme].className}`).waitFor();
  await hover?.();
  return await takeStable(page);
}

/** Takes screenshots until two consecutive ones are identical. Resolves to the last one; rejects after ten seconds. */
async function takeStable(page: Page): Promise<Buffer> {
  const end = performance.now() + settleLimitMs;
  let last: Buffer | undefined;
  while (performance.now() < end) {
    const next = await page.screenshot({ animations: 'disabled' });
    if (last && next.equals(last)) return next;
    last = next;
    await pause(settleMs);
  }
  throw new Error(`The window did not stop changing within ${settleLimitMs} ms.`);
}
