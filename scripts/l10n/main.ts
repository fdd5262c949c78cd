import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleText, englishBundle, textsOf } from './texts.ts';

const root = join(import.meta.dirname, '..', '..');
const { texts, troubles } = await textsOf(root);
if (troubles.length > 0)
  throw new Error(`These texts are not written out where they are used:\n${troubles.join('\n')}`);
await writeFile(join(root, englishBundle), bundleText(texts));
console.log(`${englishBundle}: ${texts.length} texts`);
