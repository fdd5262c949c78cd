import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { readPlaces } from '../../test/support/editor/places.ts';
import type { ThemeName } from '../../test/support/editor/settings.ts';

const perSheet = 6;

/**
 * Writes a page with all screenshots in a folder, one row per state. Also writes contact sheets with several states per
 * theme.
 */
export async function writeSheets(folder: string, themes: readonly ThemeName[]): Promise<void> {
  const screenshots = (await readdir(folder)).filter((file) => file.endsWith('.png'));
  const states = [...new Set(screenshots.map((file) => file.slice(0, file.lastIndexOf('-'))))].sort();
  const rows = states.map(
    (state) => `<h2 id="${state}">${state}</h2>${themes.map((theme) => formatFigure(state, theme)).join('')}`,
  );
  await writeFile(join(folder, 'index.html'), formatHtml(rows.join('\n'), '24vw'));
  const browser = await chromium.launch({ executablePath: readPlaces().browser });
  try {
    const page = await browser.newPage({ viewport: { width: 1940, height: 1000 } });
    const file = join(folder, 'sheet.html');
    for (const theme of themes)
      for (let start = 0; start < states.length; start += perSheet) {
        const figures = states.slice(start, start + perSheet).map((state) => formatFigure(state, theme));
        await writeFile(file, formatHtml(figures.join(''), '960px'));
        await page.goto(`file://${file}`, { waitUntil: 'load' });
        const name = `${theme}-${String(start / perSheet + 1).padStart(2, '0')}.png`;
        await page.screenshot({ path: join(folder, 'sheets', name), fullPage: true });
      }
  } finally {
    await browser.close();
  }
}

function formatFigure(state: string, theme: ThemeName): string {
  const file = `${state}-${theme}.png`;
  return `<figure><a href="${file}"><img src="${file}" alt=""></a><figcaption>${state} · ${theme}</figcaption></figure>`;
}

function formatHtml(body: string, width: string): string {
  const style = `body { margin: 4px; font: 14px sans-serif; background: #777; } figure { display: inline-block; margin: 2px; }
img { width: ${width}; display: block; } figcaption, h2 { font-size: 14px; margin: 2px; }`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>All states</title><style>${style}</style>${body}</html>`;
}
