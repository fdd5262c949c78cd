import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
      await page.screenshot({ path: picture });
      files.push(picture);
    }
  }
  return files;
}
