import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { readPlaces } from '../../test/support/editor/places.ts';

/** Runs in a page: how many pixels of two pictures are not the same. */
const compare = `async ([one, other]) => {
  const pixels = async (data) => {
    const bitmap = await createImageBitmap(await (await fetch(data)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    canvas.drawImage(bitmap, 0, 0);
    return new Uint32Array(canvas.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
  };
  const [a, b] = [await pixels(one), await pixels(other)];
  return a.length === b.length ? a.reduce((sum, pixel, place) => sum + Number(pixel !== b[place]), 0) : a.length;
}`;

/** Compares the pictures of two folders; resolves to a line for each that is not the same, pixel by pixel. */
export async function differences(one: string, other: string): Promise<string[]> {
  const names = (await readdir(other)).filter((name) => name.endsWith('.png'));
  const browser = await chromium.launch({ executablePath: readPlaces().browser });
  try {
    const page = await browser.newPage();
    const lines: string[] = [];
    for (const name of names) {
      const count = await differingPixels(page, join(one, name), join(other, name));
      console.log(`${name}: ${count} pixels differ`);
      if (count > 0) lines.push(`${name}: ${count} pixels differ between two runs`);
    }
    return lines;
  } finally {
    await browser.close();
  }
}

async function differingPixels(page: Page, ...paths: readonly string[]): Promise<number> {
  const data = await Promise.all(paths.map(async (path) => `data:image/png;base64,${await readFile(path, 'base64')}`));
  return page.evaluate<number>(`(${compare})(${JSON.stringify(data)})`);
}
