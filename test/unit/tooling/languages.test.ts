import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  bundleText,
  collectTexts,
  compareKeys,
  englishBundle,
  languages,
  listKeys,
  type Strings,
  type Texts,
} from '../../../scripts/l10n/texts.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Strings that are the same in English and in another language. */
const identicalStrings: Readonly<Record<string, readonly string[]>> = {
  fr: [
    ...[
      'Actions',
      'Dates',
      'Description',
      'Description…',
      'Format',
      'Instructions',
      'Instructions…',
      'ORCID iD',
      'Service',
      'Source',
    ],
    ...['Sources', 'Type', 'Version', 'Data Transfer Explorer', 'Python', 'curl'],
  ],
};

async function readStrings(file: string): Promise<Strings> {
  return JSON.parse(await readFile(join(root, file), 'utf8')) as Strings;
}

/** Returns the placeholders and untranslatable parts of a string: addresses, commands, code and settings. */
function listFixedParts(text: string): readonly string[] {
  const parts = text.matchAll(
    /\{\d+\}|https?:\/\/[\w.:@-]+|\(command:[\w.]+\)|`[^`]*`|\bhttp\.\w+|\b[A-Z]+(?:_[A-Z]+)+\b/g,
  );
  return [...parts].map(([part]) => part.replace(/\.$/, '')).toSorted();
}

function hasWords(text: string): boolean {
  return /\p{L}{2}/u.test(text.replaceAll(/\{\d+\}|\bOK\b/g, ''));
}

/** Returns the user-visible strings of the manifest, with their paths. */
function listManifestStrings(value: unknown, place: string): readonly (readonly [place: string, text: string])[] {
  const shown =
    /\.(title|displayName|description|markdownDescription|label|name|contextualTitle|category|contents|altText|\w+ErrorMessage)$/;
  const list = /\.(enumDescriptions|markdownEnumDescriptions|enumItemLabels)\.\d+$/;
  if (typeof value === 'string') return shown.test(place) || list.test(place) ? [[place, value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => listManifestStrings(inner, `${place}.${name}`));
}

/** Returns true for the path of a text that only a language model reads. */
function isForModel(place: string): boolean {
  return /^\.contributes\.languageModelTool(?:Sets\.\d+\.name|s\.(?!\d+\.displayName))/.test(place);
}

describe('The user-visible strings', () => {
  let sources: Texts;
  let manifest: { readonly l10n?: string; readonly contributes: object; readonly capabilities: object };
  let english: Strings;

  before(async () => {
    sources = await collectTexts(root);
    manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as typeof manifest;
    english = await readStrings('package.nls.json');
  });

  it('are literals where they are used, so that they can be extracted', () => {
    assert.ok(sources.texts.length > 500);
    assert.deepEqual(sources.errors, []);
  });

  it('match the English bundle, which `npm run l10n` writes', async () => {
    assert.equal(await readFile(join(root, englishBundle), 'utf8'), bundleText(sources.texts));
  });

  it('of the manifest are in package.nls.json, which contains no others', () => {
    const { contributes, capabilities } = manifest;
    const shown = [
      ...listManifestStrings({ ...manifest, contributes: undefined, capabilities: undefined }, ''),
      ...listManifestStrings(contributes, '.contributes'),
      ...listManifestStrings(capabilities, '.capabilities'),
    ].filter(([place]) => place !== '.name' && !place.includes('defaultSnippets.0.body') && !isForModel(place));
    const bare = shown.filter(([, text]) => !/^%[\w.]+%$/.test(text));
    assert.deepEqual(bare, []);
    const used = [...JSON.stringify(manifest).matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key);
    assert.deepEqual([...new Set(used)].toSorted(), Object.keys(english).toSorted());
  });

  it('are translated to each tested language, in the manifest and in the program', async () => {
    const named: string[] = [];
    for await (const file of glob(['l10n/*.json', 'package.nls.*.json'], { cwd: root })) named.push(file);
    const files = languages.flatMap((language) => [
      `l10n/bundle.l10n.${language}.json`,
      `package.nls.${language}.json`,
    ]);
    assert.deepEqual(named.map((file) => file.replaceAll('\\', '/')).toSorted(), [englishBundle, ...files].toSorted());
    assert.equal(manifest.l10n, './l10n');
  });

  for (const language of languages) {
    describe(`in the language ${language}`, () => {
      let bundle: Strings;
      let manifestWords: Strings;
      const getEnglish = (key: string): string =>
        sources.texts.find((text) => key === text.key || key.startsWith(`${text.key}/`))?.english ?? english[key] ?? '';

      before(async () => {
        bundle = await readStrings(`l10n/bundle.l10n.${language}.json`);
        manifestWords = await readStrings(`package.nls.${language}.json`);
      });

      it('are complete, in all plural forms of the language, without unused strings', () => {
        assert.deepEqual(
          [
            ...compareKeys(`l10n/bundle.l10n.${language}.json`, bundle, listKeys(sources.texts, language)),
            ...compareKeys(`package.nls.${language}.json`, manifestWords, Object.keys(english)),
          ],
          [],
        );
      });

      it('keep placeholders, links, code, setting names and addresses', () => {
        for (const [key, text] of Object.entries({ ...bundle, ...manifestWords })) {
          assert.deepEqual(listFixedParts(text), listFixedParts(getEnglish(key)), text);
        }
      });

      it('are translated, except for identical words', () => {
        const all = Object.entries({ ...bundle, ...manifestWords });
        const same = all.filter(([key, text]) => text === getEnglish(key) && hasWords(text)).map(([, text]) => text);
        assert.deepEqual([...new Set(same)].toSorted(), [...(identicalStrings[language] ?? [])].toSorted());
        assert.deepEqual(
          all.filter(([, text]) => text.trim() === ''),
          [],
        );
      });

      it('use the title of a command wherever they mention it', () => {
        const titles = Object.keys(english).filter((key) => key.startsWith('command.'));
        const bare = (text = ''): string => text.replace(/…$/, '');
        for (const key of titles) {
          for (const text of [english[key] ?? '', bare(english[key])]) {
            const translated = bundle[text];
            if (translated === undefined) continue;
            const title = manifestWords[key];
            assert.equal(translated, text.endsWith('…') ? title : bare(title));
          }
        }
      });

      for (const [name, words] of [
        ['English', () => english],
        [language, () => manifestWords],
      ] as const) {
        it(`mention only existing commands in descriptions of settings (${name})`, () => {
          const { category = '', ...texts } = words();
          const titles = Object.entries(texts).filter(([key]) => key.startsWith('command.'));
          const known = new Set(titles.flatMap(([, title]) => [title, `${category}: ${title}`]));
          const named = Object.values(texts).flatMap((text) => [...text.matchAll(/\*\*([^*]+)\*\*/g)]);
          assert.ok(named.length > 0);
          assert.deepEqual(
            named.map(([, text = '']) => text).filter((text) => !known.has(text)),
            [],
          );
        });
      }
    });
  }

  it('follow French typography: apostrophes, and no-break spaces before punctuation', async () => {
    const words = { ...(await readStrings('l10n/bundle.l10n.fr.json')), ...(await readStrings('package.nls.fr.json')) };
    const prose = Object.values(words).map((text) => text.replaceAll(/`[^`]*`|\(command:[^)]*\)|https?:\/\/\S*/g, ''));
    assert.deepEqual(
      prose.filter((text) => /\p{L}'\p{L}|\.\.\.|« | »| [;!]| :(?!\w)|[^\s\u00a0]\?$/u.test(text)),
      [],
    );
  });
});
