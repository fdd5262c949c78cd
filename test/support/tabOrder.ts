import type { Page } from 'playwright-core';

/** An element that was reached with Tab: its name, and the width of its outline. */
interface TabStop {
  readonly name: string;
  readonly outlinePixels: number;
}

const getName = `(element) => (element.getAttribute('aria-label') ?? element.textContent).trim()`;

/** Returns the names of the visible interactive elements in a page, in document order. */
export async function listInteractiveElements(page: Page): Promise<readonly string[]> {
  return await page.evaluate(`[...document.querySelectorAll('a[href], button, summary, input, [tabindex="0"]')]
    .filter((element) => element.checkVisibility()).map(${getName})`);
}

/** Presses Tab up to `most` times, or until the focus leaves the page. Returns the elements that had the focus. */
export async function readTabOrder(page: Page, most: number): Promise<readonly TabStop[]> {
  const stops: TabStop[] = [];
  while (stops.length < most) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate<TabStop | null>(`(() => {
      const element = document.activeElement;
      if (element === document.body) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return { name: (${getName})(element), outlinePixels: outlineStyle === 'none' ? 0 : parseFloat(outlineWidth) };
    })()`);
    if (!stop) return stops;
    stops.push(stop);
  }
  return stops;
}
