import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/steps.mjs';

/**
 * Returns the test files of a ring, ordered so that all processes finish at about the same time. The `longFiles` come
 * first, then the others from the largest to the smallest. Omits the folder `extended` unless `isExtended` is true
 * (D69: extended tests).
 */
export function listTestFiles(ring, { longFiles = [], isExtended }) {
  const files = readdirSync(join(root, 'test', ring), { recursive: true, encoding: 'utf8' });
  const tests = files.filter((file) => file.endsWith('.test.ts')).map((file) => file.replaceAll('\\', '/'));
  const sizes = new Map(tests.map((file) => [file, statSync(join(root, 'test', ring, file)).size]));
  const others = tests.filter((file) => !longFiles.includes(file));
  const sorted = others.sort((one, other) => sizes.get(other) - sizes.get(one));
  const chosen = [...longFiles, ...sorted].filter((file) => isExtended || !file.startsWith('extended/'));
  return chosen.map((file) => `test/${ring}/${file}`);
}
