import assert from 'node:assert/strict';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { escapeMarkdown } from '../../../src/extension/words/plainText.ts';
import { bySize } from '../../support/testSize.ts';

const renderer = new MarkdownIt({ html: true });

/** Renders escaped text as a list item. Returns the tags and the text that a reader sees. */
function render(text: string): { readonly tags: readonly string[]; readonly text: string } {
  const html = renderer.render(`- ${escapeMarkdown(text)}\n`).trim();
  const tags = html.match(/<[^>]*>/g) ?? [];
  const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };
  const shown = html.replaceAll(/<[^>]*>/g, '').replaceAll(/&(?:lt|gt|quot|amp);/g, (entity) => entities[entity] ?? '');
  return { tags, text: shown };
}

describe('Text in Markdown', () => {
  for (const text of [
    'Carberry, J. (2021). Soil & water [Data set]. Joint Genome Institute.',
    'run_12 of R&D (a-b), 5 > 3! #7 | {x}',
    '12.5 µm of soil',
    'Grüße, 100 % – “done”; a+b=c: 1. 2)',
  ])
    it(`is written without escapes: ${text}`, () => {
      assert.equal(escapeMarkdown(text), text);
      assert.deepEqual(render(text), { tags: ['<ul>', '<li>', '</li>', '</ul>'], text: `\n${text}\n` });
    });

  for (const text of [
    '[click](https://evil.example)',
    '[click] (https://evil.example)',
    '![x](https://evil.example/x.png)',
    '[a [b](c) d](e)',
    '[name]: https://evil.example',
    '[x][y]',
    '<https://evil.example>',
    '<img src=x onerror=alert(1)>',
    '<!-- hidden -->',
    '*a* **b** _c_ __d__ ~~e~~ `f` ``g``',
    '&lt;b&gt; &#60; &amp;',
    '# heading',
    '> quotation',
    '- item',
    '+ item',
    '1. item',
    '12) item',
    '---',
    '[ ] task',
    'ends with \\',
    '\\[x](y)',
  ])
    it(`is escaped: ${text}`, () => {
      assert.deepEqual(render(text), { tags: ['<ul>', '<li>', '</li>', '</ul>'], text: `\n${text}\n` });
    });

  it('is displayed unchanged, whatever punctuation it contains', () => {
    const piece = fc.constantFrom(
      ...Array.from('\\`*_{}[]<>()#+-!|~&;:.=^@$"\'/1a '),
      '&amp;',
      '](',
      '<b>',
      'www.',
      '~~',
      '__',
    );
    const line = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join('').trim());
    fc.assert(
      fc.property(
        line.filter((text) => text !== ''),
        (text) => {
          assert.deepEqual(render(text), { tags: ['<ul>', '<li>', '</li>', '</ul>'], text: `\n${text}\n` });
        },
      ),
      { numRuns: bySize(2_000, 50_000) },
    );
  });
});
