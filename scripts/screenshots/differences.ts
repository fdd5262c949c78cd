import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { readPlaces } from '../../test/support/editor/places.ts';

/** Less than this, of 255 in a colour, is the softening of an edge that moved by a part of a pixel. */
const visible = 32;

/** Runs in a page: how many pixels of two pictures differ in a way that a person could see. */
const compare = `async ([one, other]) => {
  const pixels = async (data) => {
    const bitmap = await createImageBitmap(await (await fetch(data)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    canvas.drawImage(bitmap, 0, 0);
    return canvas.getImageData(0, 0, bitmap.width, bitmap.height).data;
  };
  const [a, b] = [await pixels(one), await pixels(other)];
  if (a.length !== b.length) return a.length / 4;
  const places = new Set();
  a.forEach((colour, place) => { if (Math.abs(colour - b[place]) >= ${visible}) places.add(place >> 2); });
  return places.size;
}`;

/** Compares the pictures of two folders, pixel by pixel; resolves to a line for each that looks different. */
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
