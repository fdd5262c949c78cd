import type { Page } from 'playwright-core';

/** One thing that Tab has reached: its name, and how wide a line is drawn around it. */
interface TabStop {
  readonly name: string;
  readonly outlinePixels: number;
}

const nameOf = `(element) => (element.getAttribute('aria-label') ?? element.textContent).trim()`;

/** The names of what can be used in a page, in the order of the document. */
export async function usable(page: Page): Promise<readonly string[]> {
  return await page.evaluate(`[...document.querySelectorAll('a[href], button, summary, input, [tabindex="0"]')]
    .filter((element) => element.checkVisibility()).map(${nameOf})`);
}

/** Presses Tab from the beginning of a page so often, or until it leads out of it, and tells what had the focus on the way. */
export async function tabWay(page: Page, most: number): Promise<readonly TabStop[]> {
  const way: TabStop[] = [];
  while (way.length < most) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate<TabStop | null>(`(() => {
      const element = document.activeElement;
      if (element === document.body) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return { name: (${nameOf})(element), outlinePixels: outlineStyle === 'none' ? 0 : parseFloat(outlineWidth) };
    })()`);
    if (!stop) return way;
    way.push(stop);
  }
  return way;
}
