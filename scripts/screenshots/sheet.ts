import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { readPlaces } from '../../test/support/editor/places.ts';
import type { ThemeName } from '../../test/support/editor/settings.ts';

const perSheet = 6;

/** Writes a page with all pictures of a folder, a row for each state, and sheets of some pictures each for every theme. */
export async function writeSheet(folder: string, wanted: readonly ThemeName[]): Promise<void> {
  const pictures = (await readdir(folder)).filter((file) => file.endsWith('.png'));
  const states = [...new Set(pictures.map((file) => file.slice(0, file.lastIndexOf('-'))))];
  states.sort();
  const rows = states.map(
    (state) => `<h2 id="${state}">${state}</h2>${wanted.map((theme) => figure(state, theme)).join('')}`,
  );
  await writeFile(join(folder, 'index.html'), document(rows.join('\n'), '24vw'));
  const browser = await chromium.launch({ executablePath: readPlaces().browser });
  try {
    const page = await browser.newPage({ viewport: { width: 1940, height: 1000 } });
    for (const theme of wanted)
      for (let start = 0; start < states.length; start += perSheet) {
        const some = states.slice(start, start + perSheet).map((state) => figure(state, theme));
        const file = join(folder, 'sheets', `${theme}-${String(start / perSheet + 1).padStart(2, '0')}`);
        await writeFile(join(folder, 'sheet.html'), document(some.join(''), '960px'));
        await page.goto(`file://${join(folder, 'sheet.html')}`, { waitUntil: 'load' });
        await page.screenshot({ path: `${file}.png`, fullPage: true });
      }
  } finally {
    await browser.close();
  }
}

function figure(state: string, theme: ThemeName): string {
  const file = `${state}-${theme}.png`;
  return `<figure><a href="${file}"><img src="${file}" alt="${state}, ${theme}" loading="eager"></a><figcaption>${state} · ${theme}</figcaption></figure>`;
}

function document(body: string, width: string): string {
  const style = `body { margin: 4px; font: 14px sans-serif; background: #777; } figure { display: inline-block; margin: 2px; }
img { width: ${width}; display: block; } figcaption, h2 { font-size: 14px; margin: 2px; }`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>All states</title><style>${style}</style>${body}</html>`;
}
