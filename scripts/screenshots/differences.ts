import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { readPlaces } from '../../test/support/editor/places.ts';

/**
 * Minimum visible difference in a color channel (0 to 255). Antialiasing causes smaller differences when an edge moves
 * by less than a quarter of a pixel, as in a chart whose last sample is a few milliseconds older.
 */
const visible = 64;

/** Function that runs in a page: counts the pixels that differ visibly between two screenshots. */
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
  a.forEach((color, place) => { if (Math.abs(color - b[place]) >= ${visible}) places.add(place >> 2); });
  return places.size;
}`;

/**
 * Compares the screenshots in two folders pixel by pixel. Resolves to a line for each screenshot that looks different.
 */
export async function findDifferences(one: string, other: string): Promise<readonly string[]> {
  const browser = await chromium.launch({ executablePath: readPlaces().browser });
  try {
    const page = await browser.newPage();
    const lines: string[] = [];
    for (const name of (await readdir(other)).filter((file) => file.endsWith('.png'))) {
      const data = [await readData(join(one, name)), await readData(join(other, name))];
      const count = await page.evaluate<number>(`(${compare})(${JSON.stringify(data)})`);
      console.log(`${name}: ${count} pixels differ`);
      if (count > 0) lines.push(`${name}: ${count} pixels differ between two runs`);
    }
    return lines;
  } finally {
    await browser.close();
  }
}

async function readData(path: string): Promise<string> {
  return `data:image/png;base64,${await readFile(path, 'base64')}`;
}
