import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of the built extension that the editor reads before `activate` can run: all that is not loaded later. */
export function readAtActivation(folder: string): readonly string[] {
  const files = new Set([join(folder, 'extension.js')]);
  for (const file of files) {
    const imports = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*"(\.\/[^"]+)"/g);
    for (const [, name = ''] of imports) files.add(join(folder, name));
  }
  return [...files];
}
