import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleText, englishBundle, collectTexts } from './texts.ts';

const root = join(import.meta.dirname, '..', '..');
const { texts, errors } = await collectTexts(root);
if (errors.length > 0) throw new Error(`The arguments of these calls aren't string literals:\n${errors.join('\n')}`);
await writeFile(join(root, englishBundle), bundleText(texts));
console.log(`${englishBundle}: ${texts.length} strings`);
