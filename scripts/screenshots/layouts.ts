import type { Page } from 'playwright-core';
import type { Stage } from './stage.ts';

/** Widths of the side bar, in pixels. */
const [narrowWidth, wideWidth] = [250, 400];
/** Factor by which the `zoom` layout shrinks the viewport, which has the same effect as zooming in. */
const zoom = 2;

/**
 * Arranges a window for a screenshot. Resolves to a function that undoes the change; undefined if the window can't be
 * arranged in this way.
 */
type Layout = (stage: Stage) => Promise<(() => Promise<unknown>) | undefined>;

/** The layouts, by the names that `--look` accepts. */
export const layouts = {
  plain: () => Promise.resolve(() => Promise.resolve()),
  narrow: (stage) => resizeSideBar(stage, narrowWidth),
  wide: (stage) => resizeSideBar(stage, wideWidth),
  zoom: zoomIn,
} as const satisfies Readonly<Record<string, Layout>>;

/** Resizes the side bar by dragging its edge. Resolves to the bar's former width, in pixels. */
export async function dragSideBar({ window: { page } }: Stage, wanted = narrowWidth): Promise<number> {
  const { x, width } = (await page.locator('.part.sidebar').boundingBox()) ?? { x: 0, width: wanted };
  const edge = x + width + 2;
  await page.mouse.move(edge, 400);
  await page.mouse.down();
  await page.mouse.move(edge + wanted - width, 400, { steps: 4 });
  await page.mouse.up();
  return width;
}

async function resizeSideBar(stage: Stage, width: number): Promise<(() => Promise<unknown>) | undefined> {
  if (await isCovered(stage.window.page)) return undefined;
  const before = await dragSideBar(stage, width);
  return () => dragSideBar(stage, before);
}

/** Returns true if an open quick input or dialog prevents dragging the side bar. */
async function isCovered(page: Page): Promise<boolean> {
  return (await page.locator('.quick-input-widget:visible, .monaco-dialog-box').count()) > 0;
}

async function zoomIn({ window: { page } }: Stage): Promise<() => Promise<unknown>> {
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize({ width: size.width / zoom, height: size.height / zoom });
  return () => page.setViewportSize(size);
}
