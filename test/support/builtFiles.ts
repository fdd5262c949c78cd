import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns the paths of a built file and of all built files that it loads statically, directly or indirectly. */
export function readTogether(file: string): readonly string[] {
  const files = new Set([file]);
  for (const one of files) {
    const imports = readFileSync(one, 'utf8').matchAll(/(?:\bfrom|\bimport|\brequire\()\s*"(\.\/[^"]+)"/g);
    for (const [, name = ''] of imports) files.add(join(dirname(one), name));
  }
  return [...files];
}
