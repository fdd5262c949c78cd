import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { parseIdLines, parseIds, parsePastedIds } from '../../../src/core/model/idList.ts';
import { parseCsv } from '../../../src/core/util/csv.ts';
import { assertLinearTime } from '../../support/linearTime.ts';

const parseCells = (text: string): (readonly string[])[] => [...parseCsv(text)].map(({ cells }) => cells);

describe('Parsing CSV (RFC 4180)', () => {
  for (const [what, text, records] of [
    ['is empty', '', []],
    ['has only empty lines', '\r\n\n', []],
    [
      'has mixed line endings',
      'a,b\r\nc,d\ne,f\rg,h',
      [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
        ['g', 'h'],
      ],
    ],
    ['starts with a byte order mark', '\uFEFFid\n1', [['id'], ['1']]],
    ['quotes separators, quotes and line breaks', '"a,b","say ""x""","1\r\n2"\n', [['a,b', 'say "x"', '1\r\n2']]],
    [
      'has empty fields',
      ',a,\n"",,',
      [
        ['', 'a', ''],
        ['', '', ''],
      ],
    ],
    [
      'has semicolons',
      'id;"x;y";z\n1;2;3',
      [
        ['id', 'x;y', 'z'],
        ['1', '2', '3'],
      ],
    ],
    [
      'has tabs',
      'id\tname, first\n1\ta,b',
      [
        ['id', 'name, first'],
        ['1', 'a,b'],
      ],
    ],
    [
      'has vertical bars',
      'id|name\n1|a, b\n',
      [
        ['id', 'name'],
        ['1', 'a, b'],
      ],
    ],
    ['starts with comments', '# from a lab\n# of 2026, in May\nid\n#1\n', [['id'], ['#1']]],
    [
      'has its column names in a comment',
      '##format=1\n#id\tname\n1\ta\n',
      [
        ['#id', 'name'],
        ['1', 'a'],
      ],
    ],
    ['is only a comment', '# nothing', []],
    ['has invalid quotes', 'a"b,"c"d,"e\nf', [['a"b', '"c"d', '"e'], ['f']]],
    [
      'has quotes without meaning',
      'a\tb\n1\t"x\n2\t5" y\n3\t"5"\n4\t"x\n5\t5"\n',
      [
        ['a', 'b'],
        ['1', '"x'],
        ['2', '5" y'],
        ['3', '5'],
        ['4', '"x'],
        ['5', '5"'],
      ],
    ],
    [
      'has blanks after quotes',
      'a,b\n"1" , "2"\n',
      [
        ['a', 'b'],
        ['1 ', ' "2"'],
      ],
    ],
    [
      'quotes line breaks between tabs',
      'a\tb\n1\t"x ""y""\nz"\n',
      [
        ['a', 'b'],
        ['1', 'x "y"\nz'],
      ],
    ],
    ['declares its separator', '"sep=|"\r\na,b|c\r\n', [['a,b', 'c']]],
    ['declares an odd separator', 'sep=^\na^b-c\n', [['a', 'b-c']]],
    [
      'is written by R with its default separator',
      '"id" "n"\n"1" "a b" 5\n',
      [
        ['id', 'n'],
        ['1', 'a b', '5'],
      ],
    ],
    ['is written by R with one column', '"id"\n"1"\t"a, b"\n', [['id'], ['1', 'a, b']]],
    [
      'has the types of its columns',
      'id\tn\n#q2:types\tnumeric\n#1\t2\n',
      [
        ['id', 'n'],
        ['#1', '2'],
      ],
    ],
    [
      'has sections',
      '[Header]\nDate,1\n\n[BCLConvert_Data]\na;b\n1;2\n[Other];\n3;4\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'begins with a bracket',
      '[a],b\n[Data],c\n',
      [
        ['[a]', 'b'],
        ['[Data]', 'c'],
      ],
    ],
    [
      'begins with a bracket before sections',
      '[a],b\n[x]\n[Data]\nc,d\n',
      [['[a]', 'b'], ['[x]'], ['[Data]'], ['c', 'd']],
    ],
    [
      'is a list of checksums',
      `${'a1'.repeat(32)}  my, file\n\\${'B2'.repeat(32)} *x\n`,
      [
        ['a1'.repeat(32), 'my, file'],
        ['B2'.repeat(32), 'x'],
      ],
    ],
  ] as const) {
    it(`reads a text that ${what}`, () => {
      assert.deepEqual(parseCells(text), records);
    });
  }

  it('numbers the lines on which the records begin', () => {
    const lines = [...parseCsv('# note\n\nid,x\r\n1,"a\nb"\r\n\r\n2,c')].map(({ line, cells }) => [line, cells[0]]);
    assert.deepEqual(lines, [
      [3, 'id'],
      [4, '1'],
      [7, '2'],
    ]);
  });

  it('reads a cell of 10 MB, quoted, full of quotes or never closed', () => {
    const long = 'x'.repeat(10_000_000);
    const quotes = '""'.repeat(5_000_000);
    assert.deepEqual(parseCells(`id,"${long}"\n`), [['id', long]]);
    assert.deepEqual(parseCells(`"${quotes}",2\n`), [['"'.repeat(5_000_000), '2']]);
    assert.deepEqual(parseCells(`1,"${long}`), [['1', `"${long}`]]);
  });

  it('restores any records that were written as RFC 4180 requires', () => {
    const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é') });
    const table = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(table, (records) => {
        const lines = records.map((record) => record.map((one) => `"${one.replaceAll('"', '""')}"`).join(','));
        assert.deepEqual(parseCells(lines.join('\r\n')), records);
      }),
    );
  });

  it('searches many sections for data in linear time', () =>
    assertLinearTime(64_000, (count) => parseCells('[a]\n'.repeat(count))));

  it('finishes quickly for any text', () => {
    const text = '"'.repeat(20_000) + 'a,'.repeat(20_000);
    assert.ok(parseCells(text).length > 0);
  });
});

describe('Parsing a list of ids', () => {
  it('splits at commas, white space and line breaks, and returns each id once', () => {
    assert.deepEqual(parseIds(' JDP:1, JDP:2\r\n\tJDP:1,,JDP:3 '), ['JDP:1', 'JDP:2', 'JDP:3']);
    assert.deepEqual(parseIds(' ,\n'), []);
  });

  it('keeps the outer white space of a pasted line with one id, which can belong to the id', () => {
    const text = '\uFEFFJDP:1\r\n JDP:2\nJDP:3 \n JDP:4, JDP:5\n \nJDP:6 JDP:1 \n';
    assert.deepEqual(parsePastedIds(text), ['JDP:1', ' JDP:2', 'JDP:3 ', 'JDP:4', 'JDP:5', 'JDP:6']);
    assert.deepEqual(parsePastedIds(' ,\n'), []);
  });

  it('returns each line once, without a byte order mark, but with outer white space, because IDs are exact', () => {
    assert.deepEqual(parseIdLines('\uFEFFmy file.csv\r\n\n a, b \rmy file.csv\n'), ['my file.csv', ' a, b ']);
    assert.deepEqual(parseIdLines('\uFEFF \r\n'), []);
  });
});
