import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createFormat } from '../../../src/webviews/shared/format.ts';
import { readIdentifier, shortenText, toReadableText, toVisibleText } from '../../../src/webviews/shared/text.ts';
import { formatLeaf, listChildren } from '../../../src/webviews/shared/jsonNodes.ts';
import { ViewState } from '../../../src/webviews/shared/viewState.ts';

describe('An identifier', () => {
  const doi = 'https://doi.org/10.46936/10.25585/60001289';
  const table = [
    ['10.46936/10.25585/60001289', doi],
    ['doi:10.46936/10.25585/60001289', doi],
    ['https://dx.doi.org/10.46936/10.25585/60001289', doi],
    ['10.1000/a?b#c', 'https://doi.org/10.1000/a%3Fb%23c'],
    ['10.1000/\ud800', 'https://doi.org/10.1000/%EF%BF%BD'],
    ['0000-0002-1825-0097', 'https://orcid.org/0000-0002-1825-0097'],
    ['orcid:0000-0002-1825-0097', 'https://orcid.org/0000-0002-1825-0097'],
    ['ROR:05cwx3318', 'https://ror.org/05cwx3318'],
    ['https://ror.org/05cwx3318', 'https://ror.org/05cwx3318'],
    ['https://example.org/data', 'https://example.org/data'],
    ['JDP:6101cc0f2b1f2eeea564c978', undefined],
    ['nmdc:dobj-11-2jmy8t58', undefined],
    ['javascript:alert(1)', undefined],
    ['', undefined],
  ] as const;
  for (const [written, address] of table)
    it(`${JSON.stringify(written)} links to ${address ?? 'nothing'}`, () =>
      assert.equal(readIdentifier(written).address, address));
});

describe('The tree of JSON', () => {
  const node = { path: '', value: { 'a/b': { '~': [1, null, 'x'] }, empty: {} } };

  it('gives each value a unique pointer', () => {
    const [first] = listChildren(node, 10);
    assert.ok(first);
    const [second] = listChildren(first, 10);
    assert.equal(second?.path, '/a~1b/~0');
    assert.deepEqual([second.kind, second.childCount], ['array', 3]);
  });

  it('lists at most the requested number of children', () => {
    const many = { path: '', value: new Array<number>(100_000).fill(7) };
    assert.equal(listChildren(many, 200).length, 200);
  });

  it('formats leaves as JSON does, but texts without quotation marks', () => {
    const leaves = listChildren({ path: '', value: [1, true, null, 'a "b"', {}] }, 5).map(formatLeaf);
    assert.deepEqual(leaves, ['1', 'true', 'null', 'a "b"', '{}']);
  });
});

describe('Text of a server', () => {
  it('shows control and direction characters as visible signs', () => {
    assert.equal(toVisibleText('a\u0000\u0007b\u202Etxt.exe\u0085'), 'a\u2400\u2407b\uFFFDtxt.exe\uFFFD');
    assert.equal(toVisibleText('photo\u2067gnp.exe\u2069'), 'photo\uFFFDgnp.exe\uFFFD');
    assert.equal(toVisibleText('two\nlines\tand שלום'), 'two\nlines\tand שלום');
  });

  it('has at most six combining marks per character (D39: server data display)', () => {
    assert.equal(toVisibleText(`Z${'\u0301'.repeat(80)}.csv`), `Z${'\u0301'.repeat(6)}.csv`);
  });

  it('is not cut within a character', () => {
    assert.equal(shortenText('ab😀cd', 4), 'ab…');
    assert.equal(shortenText('abcd', 4), 'abcd');
  });

  it('is empty if it contains only punctuation', () => {
    assert.deepEqual([',', '', '  ', null, 3].map(toReadableText), [
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    assert.equal(toReadableText(' a '), 'a');
    assert.equal(toReadableText('\u2800 \u3164'), undefined);
  });
});

describe('Numbers, times and counts in French', () => {
  const format = createFormat('fr');
  const plain = (text: string): string => text.replaceAll(/\s/g, ' ');

  beforeEach(async () => {
    const bundle = await readFile(join(import.meta.dirname, '..', '..', '..', 'l10n', 'bundle.l10n.fr.json'), 'utf8');
    l10n.config({ contents: bundle });
  });
  afterEach(() => l10n.config({ contents: {} }));

  it('have French units and decimal separators', () => {
    const sizes = [0, 5, 67_400, 1_234_567].map((bytes) => plain(format.size(bytes)));
    assert.deepEqual(sizes, ['0 octet', '5 octets', '67 ko', '1,2 Mo']);
    assert.deepEqual([format.number(1_234_567.5), format.percent(0.5)].map(plain), ['1 234 567,5', '50 %']);
    assert.deepEqual([0.29, 2 / 3, 0.999, 1].map(format.percent).map(plain), ['29 %', '66 %', '99 %', '100 %']);
    assert.equal(plain(format.duration(11_520_000)), '3 h 12 min');
  });

  it('use each plural form, the singular also for zero', () => {
    const counts = [0, 1, 2, 1_000_000].map((count) => plain(format.plural(count, '{0} file', '{0} files')));
    assert.deepEqual(counts, ['0 fichier', '1 fichier', '2 fichiers', '1 000 000 de fichiers']);
  });

  it('use the English plural where there is no translation', () => {
    l10n.config({ contents: {} });
    const texts = [1, 2].map((count) => createFormat('ja', 'en').plural(count, '{0} file', '{0} files'));
    assert.deepEqual(texts, ['1 file', '2 files']);
  });
});

describe('Numbers and times', () => {
  const format = createFormat('en');

  it('follow the language, and English where it is unknown', () => {
    assert.equal(createFormat('de').number(1234567), '1.234.567');
    assert.equal(createFormat('not a language').number(1234567), '1,234,567');
  });

  it('are never longer than a line, whatever a server sent (D39: server data display)', () => {
    const drawn = [format.number(1e300), format.number(-5), format.size(1e300), format.exactSize(1e300)];
    assert.deepEqual(drawn, [
      '1,000,000,000,000,000,000,000',
      '0',
      '1,000,000 PB',
      '1,000,000,000,000,000,000,000 bytes',
    ]);
  });

  const sizes = [
    [0, '0 bytes'],
    [1, '1 byte'],
    [67_013, '67 kB'],
    [1_455_012, '1.5 MB'],
    [9.2e15, '9.2 PB'],
  ] as const;
  for (const [bytes, text] of sizes)
    it(`format ${bytes} bytes as ${text}`, () => assert.equal(format.size(bytes), text));

  const durations = [
    [-5, '0 sec'],
    [999, '0 sec'],
    [61_000, '1 min 1 sec'],
    [3_600_000, '1 hr'],
    [3_605_000, '1 hr'],
    [200_000_000, '2 days 7 hr'],
  ] as const;
  for (const [ms, text] of durations)
    it(`format ${ms} milliseconds as ${text}`, () => assert.equal(format.duration(ms), text));

  it('omit the date of today', () => {
    const now = Date.parse('2026-11-20T14:02:00');
    assert.doesNotMatch(format.time(now - 60_000, now), /Nov/);
    assert.match(format.time(now - 86_400_000, now), /Nov 19/);
  });
});

describe('The view state of a page', () => {
  it('is remembered until the subject of the page changes', () => {
    const view = new ViewState(() => undefined);
    view.setOpen('/a', true);
    view.raiseLimit('/a', 500);
    assert.deepEqual([view.isOpen('/a'), view.getLimit('/a', 200), view.getLimit('/b', 200)], [true, 500, 200]);
    view.clear();
    assert.deepEqual([view.isOpen('/a'), view.getLimit('/a', 200)], [false, 200]);
  });

  it('is restored for the same subject only', () => {
    const view = new ViewState(() => undefined);
    view.setOpen('/a', true);
    const saved = { key: 'k', ...view.save('one', 70) };
    const [same, other] = [new ViewState(() => undefined), new ViewState(() => undefined)];
    assert.deepEqual([same.restore(saved, 'one'), same.isOpen('/a')], [70, true]);
    assert.deepEqual([other.restore(saved, 'two'), other.isOpen('/a')], [undefined, false]);
    assert.equal(other.restore({ place: { subject: 'two' } }, 'two'), undefined);
  });

  it('reports each change once', () => {
    let changes = 0;
    const view = new ViewState(() => (changes += 1));
    view.setOpen('/a', true);
    view.setOpen('/a', true);
    view.raiseLimit('/a', 500);
    assert.equal(changes, 2);
  });
});
