import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns a built file and all built files that it loads statically. */
export function readTogether(file: string): readonly string[] {
  const files = new Set([file]);
  for (const one of files) {
    const imports = readFileSync(one, 'utf8').matchAll(/(?:\bfrom|\bimport|\brequire\()\s*"(\.\/[^"]+)"/g);
    for (const [, name = ''] of imports) files.add(join(dirname(one), name));
  }
  return [...files];
}
