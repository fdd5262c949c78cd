import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { formatLink, isLinkTarget, parseLink, toLinkService, type LinkTarget } from '../../../src/core/model/link.ts';

const service = 'https://dts.example.org/api';
const id = '123e4567-e89b-42d3-a456-426614174000';
const file = { service, database: 'JGI Data Portal', id: 'JDP:1', name: 'a b.csv' };

function badField(field: string): object {
  return { kind: 'badField', field };
}

/** Parses a link in the form in which the editor passes it to the extension, with the query decoded once. */
function open(link: string): ReturnType<typeof parseLink> {
  const [path = '', query = ''] = link.split('?');
  return parseLink(path, decodeURIComponent(query));
}

describe('A link', () => {
  const targets: readonly LinkTarget[] = [
    { kind: 'search', service, query: { database: 'a&b=c#d', query: `"50% of $x" + ?` } },
    { kind: 'search', service: 'local', query: { database: 'a', query: '', status: 'staged', specific: { a: [1] } } },
    { kind: 'search', service, query: { database: 'a', query: '', ids: ['JDP:1', 'ü'] } },
    { kind: 'file', ...file },
    { kind: 'file', ...file, name: 'می\u200cخواهم ☀\ufe0f.csv' },
    { kind: 'transfer', service, id },
  ];
  for (const target of targets) {
    it(`opens the ${target.kind} that it was created for: ${JSON.stringify(target).length} characters`, () => {
      const link = formatLink(target);
      assert.ok(typeof link === 'string');
      assert.match(link, /^\/(search|file|transfer)\?[\w%.!~*'()-]+$/);
      assert.deepEqual(open(link), target);
    });
  }

  const hidden = new RegExp(
    [
      String.raw`[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]`,
      String.raw`\p{Noncharacter_Code_Point}|\u2800|\ufffc|\u{1107f}|\u{13441}|\u{13442}|\u{16fe4}|\u{1bc9d}|\u{1d159}|[\u{1da9b}-\u{1daaf}]`,
    ].join('|'),
    'u',
  );

  /** Separates characters, because runs of blanks and of combining marks can hide text. */
  const separate = (characters: readonly string[]): string => characters.map((character) => `${character}x`).join('');

  function assertOpens(query: string): void {
    const target: LinkTarget = { kind: 'search', service, query: { database: 'x', query } };
    const link = formatLink(target);
    assert.deepEqual(typeof link === 'string' ? open(link) : link, target);
  }

  it('opens a search that contains any character that is shown', () => {
    const size = 512;
    for (let first = 0; first <= 0x10ffff; first += size) {
      const characters = Array.from({ length: size }, (_, index) => String.fromCodePoint(first + index));
      assertOpens(separate(characters.filter((character) => !hidden.test(character))));
    }
  });

  it('opens any search with visible characters that it was created for', () => {
    const grapheme = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 });
    const visible = grapheme.filter((text) => !hidden.test(text));
    fc.assert(fc.property(fc.array(visible), (graphemes) => assertOpens(separate(graphemes))));
  });

  it('is not created for a search that is too long', () => {
    const ids = Array.from({ length: 5000 }, (_, index) => `JDP:${index}`);
    const query = { database: 'a', query: '', ids };
    assert.deepEqual(formatLink({ kind: 'search', service, query }), { kind: 'tooLong' });
  });

  const impossible: readonly (readonly [string, LinkTarget, object])[] = [
    ['a name with control characters', { kind: 'file', ...file, name: 'a\u0007b' }, badField('name')],
    ['an ID with direction characters', { kind: 'file', ...file, id: 'a\u202eb' }, badField('id')],
    ['a blank database', { kind: 'file', ...file, database: ' ' }, badField('database')],
    [
      'a query with a line break',
      { kind: 'search', service, query: { database: 'a', query: 'a\nb' } },
      badField('query'),
    ],
    [
      'a query with a line separator',
      { kind: 'search', service, query: { database: 'a', query: 'a\u2028b' } },
      badField('query'),
    ],
    ['a lone surrogate', { kind: 'search', service, query: { database: 'a', query: '\ud800' } }, badField('query')],
    ['an invalid address', { kind: 'transfer', service: '', id }, { kind: 'badService', field: 'service' }],
    ['an ID that is not a UUID', { kind: 'transfer', service, id: 'x' }, badField('id')],
  ];
  for (const [what, target, problem] of impossible)
    it(`is not created with ${what}, because it could not be opened`, () => {
      assert.deepEqual(formatLink(target), problem);
    });

  it('is created only if it can be opened', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, text, (database, fileId, name) => {
        const target: LinkTarget = { kind: 'file', service, database, id: fileId, name };
        const link = formatLink(target);
        if (typeof link === 'string') assert.deepEqual(open(link), target);
        else assert.equal(isLinkTarget(link), false);
      }),
    );
  });

  it('contains the address of a connection in one form only', () => {
    assert.equal(toLinkService({ server: 'https://DTS.example.org/api/' }), service);
    assert.equal(
      toLinkService({ server: 'https://user:secret@dts.example.org', port: 8080 }),
      'https://dts.example.org:8080',
    );
    assert.equal(toLinkService({ server: 'nonsense' }), undefined);
  });

  const deep = JSON.parse('{"a":'.repeat(40) + '1' + '}'.repeat(40)) as object;
  const hostile: readonly (readonly [string, string, string, object])[] = [
    ['is too long', '/search', `{"service":"${'x'.repeat(20_000)}"}`, { kind: 'tooLong' }],
    ['is of another kind', '/submit', JSON.stringify({ service }), { kind: 'unknownKind' }],
    ['has a nested path', '/search/../transfer', JSON.stringify({ service, id }), { kind: 'unknownKind' }],
    ['has no content', '/file', '', { kind: 'unreadable' }],
    ['is cut off', '/file', '{"service":"https://dts', { kind: 'unreadable' }],
    ['is a list', '/file', '[]', { kind: 'unreadable' }],
    ...[
      'javascript:alert(1)',
      'file:///etc/passwd',
      'vscode://data-transfer-explorer.data-transfer-explorer/file',
      'command:workbench.action.quit',
      'https://user:secret@dts.example.org',
      'https://dts.example.org/?key=secret',
      'https://dts.example.org/#x',
      'HTTPS://dts.example.org',
      'https://dts.example.org/../x',
      'https://dts.example.org\u202e',
      'https://dts.example.org\n',
      5,
    ].map(
      (bad) =>
        [
          `names the service ${JSON.stringify(bad)}`,
          '/file',
          JSON.stringify({ ...file, service: bad }),
          { kind: 'badService', field: 'service' },
        ] as const,
    ),
    ...(
      [
        ['names a key', { ...file, apiKey: 'secret' }, 'apiKey'],
        ['names a prototype', JSON.parse(`{"__proto__":1,${JSON.stringify(file).slice(1)}`) as object, '__proto__'],
        ['contains control characters', { ...file, name: 'a\u0007b' }, 'name'],
        ['contains direction characters', { ...file, name: 'a\u202eb' }, 'name'],
        ['hides a zero-width space in an ID', { ...file, id: 'a\u200bb' }, 'id'],
        ['hides a sentence in invisible characters', { ...file, name: 'a\u{e0068}\u{e0069}' }, 'name'],
        ['contains a blank letter', { ...file, database: '\u3164' }, 'database'],
        ['contains an empty Braille pattern', { ...file, name: 'a\u2800b' }, 'name'],
        ['contains a note without a head', { ...file, name: 'a\u{1d159}b' }, 'name'],
        ['hides a sentence in variation selectors', { ...file, name: 'a\u{e0101}\u{e0102}' }, 'name'],
        ['hides a sentence in joiners', { ...file, name: 'a\u200c\u200d\u200c' }, 'name'],
        ['hides a sentence in blanks', { ...file, name: 'a \u00a0 \u2003 \u00a0' }, 'name'],
        ['hides a sentence in joined blanks', { ...file, name: 'a \u200d\u00a0\u200d\u2003b' }, 'name'],
        ['hides a sentence behind blanks', { ...file, name: `a${' '.repeat(300)}b` }, 'name'],
        ['contains too many combining marks', { ...file, name: `a${'\u0301'.repeat(7)}` }, 'name'],
        ['contains a format character', { ...file, name: 'a\ufff9b' }, 'name'],
        ['contains a noncharacter', { ...file, name: 'a\ufdd0b' }, 'name'],
        ['contains a blank hieroglyph', { ...file, name: 'a\u{13441}b' }, 'name'],
        ['contains a lone surrogate', { ...file, id: '\ud800' }, 'id'],
        ['contains a blank database', { ...file, database: '  ' }, 'database'],
        ['contains a list as an ID', { ...file, id: [] }, 'id'],
      ] as const
    ).map(([what, fields, field]) => [what, '/file', JSON.stringify(fields), { kind: 'badField', field }] as const),
    ...(
      [
        ['is nested deeply', { specific: deep }, 'specific'],
        ['hides a control character in a filter', { specific: { a: ['\u0000'] } }, 'specific'],
        ['hides a control character in the name of a filter', { specific: { 'a\u0000': 1 } }, 'specific'],
        ['contains a null character', { query: '\u0000' }, 'query'],
        ['contains direction characters in an ID', { ids: ['a', 'b\u2066c'] }, 'ids'],
        ['has an unknown status', { status: 'gone' }, 'status'],
        ['has no IDs', { ids: [] }, 'ids'],
        ['sets the page size', { pageSize: 1e9 }, 'pageSize'],
      ] as const
    ).map(
      ([what, fields, field]) =>
        [
          what,
          '/search',
          JSON.stringify({ service, database: 'a', query: '', ...fields }),
          { kind: 'badField', field },
        ] as const,
    ),
    ['is 1 MB long', '/search', 'x'.repeat(1_000_000), { kind: 'tooLong' }],
    [
      'has 10,000 IDs',
      '/search',
      JSON.stringify({ service, database: 'a', query: '', ids: Array.from({ length: 10_000 }, () => 'a') }),
      { kind: 'tooLong' },
    ],
    [
      'contains a number out of range',
      '/search',
      JSON.stringify({ service, database: 'a', query: '', specific: { a: [0] } }).replace('[0]', '[1e999]'),
      badField('specific'),
    ],
    ['has no UUID', '/transfer', JSON.stringify({ service, id: '../../x' }), { kind: 'badField', field: 'id' }],
  ];
  for (const [what, path, query, problem] of hostile)
    it(`is refused if it ${what}`, () => assert.deepEqual(parseLink(path, query), problem));

  it('is refused without an exception, whatever it contains', () => {
    fc.assert(
      fc.property(fc.constantFrom('/search', '/file', '/transfer'), fc.jsonValue(), (path, value) => {
        assert.equal(isLinkTarget(parseLink(path, JSON.stringify(value))), false);
      }),
    );
  });
});
