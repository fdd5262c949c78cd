import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { runningEditors } from './editor.ts';
import { evidenceFolder } from './places.ts';

/**
 * Saves screenshots and logs of every open editor when a test has failed; resolves to the paths of the files. Also
 * marks the editors as suspect, so that no other test reuses them.
 */
export async function saveFailureArtifacts(title: string): Promise<readonly string[]> {
  await mkdir(evidenceFolder, { recursive: true });
  const name = title.replaceAll(/[^\w-]+/g, '-').slice(0, 100);
  const files: string[] = [];
  for (const [number, editor] of runningEditors().entries()) {
    editor.markSuspect();
    const log = join(evidenceFolder, `${name}-${number + 1}.log`);
    await writeFile(log, await editor.log());
    files.push(log);
    for (const [index, page] of editor.pages.entries()) {
      const picture = join(evidenceFolder, `${name}-${number + 1}-${index + 1}.png`);
      if (await saveScreenshot(page, picture, log)) files.push(picture);
    }
  }
  return files;
}

/**
 * Saves a screenshot of a page. If the page doesn't answer, writes the reason to the log and resolves to false: an
 * error here would hide that of the test, and end its suite.
 */
export async function saveScreenshot(page: Pick<Page, 'screenshot'>, picture: string, log: string): Promise<boolean> {
  try {
    await page.screenshot({ path: picture });
    return true;
  } catch (error) {
    await appendFile(log, `No ${basename(picture)}: ${error instanceof Error ? error.message : String(error)}\n`);
    return false;
  }
}
