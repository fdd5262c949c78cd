import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleText, collectTexts, compareKeys, englishBundle, languages, listKeys, type Strings } from './texts.ts';

const root = join(import.meta.dirname, '..', '..');
const { texts, errors } = await collectTexts(root);
if (errors.length > 0) throw new Error(`The arguments of these calls aren't string literals:\n${errors.join('\n')}`);
await writeFile(join(root, englishBundle), bundleText(texts));
console.log(`${englishBundle}: ${texts.length} strings`);
for (const language of languages) {
  const file = `l10n/bundle.l10n.${language}.json`;
  const bundle = JSON.parse(await readFile(join(root, file), 'utf8')) as Strings;
  for (const line of compareKeys(file, bundle, listKeys(texts, language))) console.log(line);
}
