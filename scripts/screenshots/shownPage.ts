import type { Locator } from 'playwright-core';
import type { EditorWindow } from '../../test/support/editor/window.ts';
import { until } from '../../test/support/editor/until.ts';

/**
 * Waits for a page with this title that contains `text` or, by default, any heading. Keeps waiting if the page is
 * replaced in the meantime.
 */
export function waitForPage(window: EditorWindow, title: string | RegExp, text?: string): Promise<true> {
  return until(`a page with ${text ?? 'a heading'}`, async () => {
    const page = await window.pageFrame(title);
    return isShown(text === undefined ? page.getByRole('heading', { level: 1 }) : page.getByText(text));
  });
}

/** Resolves to true if the first match is visible; to undefined if it isn't, or if the frame is gone. */
async function isShown(locator: Locator): Promise<true | undefined> {
  const shown = locator.first().isVisible();
  return (await shown.catch(() => false)) || undefined;
}
