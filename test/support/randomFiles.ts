import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { SeededRandom } from './random.ts';

/**
 * Writes between 5 and 34 files, a quarter of them of up to `largestBytes`, into a folder and two of its subfolders.
 * Resolves to their contents by path.
 */
export async function writeRandomFiles(
  folder: string,
  random: SeededRandom,
  largestBytes: number,
): Promise<ReadonlyMap<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  const count = 5 + random.below(30);
  for (let index = 0; index < count; index++) {
    const path = `${index % 3 === 0 ? '' : `sub-${index % 3}/`}file-${index}.bin`;
    const size = random.below(4) === 0 ? random.below(largestBytes) : random.below(20_000);
    const content = Buffer.alloc(size, `${index} of ${random.below(1e9)} `);
    contents.set(path, content);
    await fs.mkdir(nodePath.join(folder, nodePath.dirname(path)), { recursive: true });
    await fs.writeFile(nodePath.join(folder, path), content);
  }
  return contents;
}
