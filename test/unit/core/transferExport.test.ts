import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { exportAsCsv, exportAsJson } from '../../../src/core/model/transferExport.ts';
import { assertLinearTime } from '../../support/linearTime.ts';
import { property } from '../../support/property.ts';

const context = { getConnectionName: (id: string) => `The ${id}` };
const at = Date.UTC(2026, 0, 1, 12);
const orcid = '0000-0002-1825-0097';

function transfer(description: string, more: Partial<Transfer> = {}): Transfer {
  const files = [
    { id: '1', name: 'a', sizeBytes: 5 },
    { id: '2', name: 'b', sizeBytes: 7 },
  ];
  return {
    key: 'k',
    id: 'i',
    order: { connectionId: 'c', orcid, source: 'Alpha', destination: 'Beta', files, description },
    createdAt: at,
    state: 'succeeded',
    changes: [
      { state: 'submitting', at },
      { state: 'succeeded', at: at + 60_000 },
    ],
    status: { status: 'succeeded', message: 'done', fileCount: 2, movedFileCount: 2 },
    ...more,
  };
}

/** Parses CSV according to RFC 4180. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? bare ?? '');
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

describe('Exporting the history', () => {
  const cell = (given: Transfer, column: string): string | undefined => {
    const [head, first] = readCsv([...exportAsCsv([given], context)].join(''));
    return first?.[head?.indexOf(column) ?? -1];
  };

  it('writes CSV with a row for each transfer, and line ends as RFC 4180 requires', () => {
    assert.deepEqual(
      [...exportAsCsv([transfer('why')], context)],
      [
        'id,service,source,destination,state,files,files_transferred,size_bytes,begun,ended,orcid,description,message\r\n',
        `i,The c,Alpha,Beta,succeeded,2,2,12,2026-01-01T12:00:00.000Z,2026-01-01T12:01:00.000Z,${orcid},why,done\r\n`,
      ],
    );
  });

  for (const [text, harmless] of [
    ['=HYPERLINK("x")', `'=HYPERLINK("x")`],
    ['+1+1', "'+1+1"],
    ['-1+1', "'-1+1"],
    ['-33.9', '-33.9'],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r\n=1', "'\r\n'=1"],
    [' =1+1', "' =1+1"],
    ['\u00a0\u200b=1', "'\u00a0\u200b=1"],
    ['\uff1d1+1', "'\uff1d1+1"],
    ['\uff0b1', "'\uff0b1"],
    ['\uff0d1', "'\uff0d1"],
    ['\uff20SUM(A1)', "'\uff20SUM(A1)"],
    ['\0=1', "'\ufffd=1"],
    ['\u001b[2J=1', '\ufffd[2J=1'],
    ['a=1', 'a=1'],
    [' a', ' a'],
  ] as const) {
    it(`writes ${JSON.stringify(text)} so that no spreadsheet runs it`, () => {
      assert.equal(cell(transfer(text), 'description'), harmless);
    });
  }

  const anyCell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom(...Array.from('=+-@\uff1d\uff0b\uff0d\uff20 \t\r\n\0\u001b\u00a0\u200b\ufeff",;a1')),
    }),
  );

  property('preserves any text in CSV, except for control characters and a leading apostrophe', anyCell, (text) => {
    const read = cell(transfer(text), 'description') ?? '';
    const expected = text.replace(/[^\P{Cc}\t\r\n]/gu, '\ufffd');
    const restored = read.replace(/(^|[;\r\n])'(?=["\s\p{C}\ufffd]*[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n])/gu, '$1');
    const isEqual = [expected, expected.replace(/^'/, '')].includes(restored) || read === `'${expected}`;
    assert.ok(isEqual, JSON.stringify([read, expected]));
  });

  property('writes no control character, and no cell but a number that could be a formula', anyCell, (text) => {
    const read = cell(transfer(text), 'description') ?? '';
    assert.doesNotMatch(read, /[^\P{Cc}\t\r\n]/u);
    if (/^[+-][\d.,]*\d(e[+-]?\d+)?$/i.test(read)) return;
    assert.doesNotMatch(read, /^[\s\p{C}\ufffd]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u);
  });

  it('escapes formulas after semicolons and line breaks, where a spreadsheet may begin a cell in some locales', () => {
    for (const [text, harmless] of [
      ["a;=cmd|'/C calc'!A0;b", "a;'=cmd|'/C calc'!A0;b"],
      ['a; @SUM(A1)', "a;' @SUM(A1)"],
      ['a\n=1+1\r\n-1+1', "a\n'=1+1\r\n'-1+1"],
      ['a;"=1+1;b', 'a;\'"=1+1;b'],
      ['12.5;-45.25;+1', '12.5;-45.25;+1'],
      ['12.5; -45.25 ; +1', '12.5; -45.25 ; +1'],
      ['a; b = c\nd', 'a; b = c\nd'],
    ] as const)
      assert.equal(cell(transfer(text), 'description'), harmless);
  });

  it('takes linear time for a cell of line breaks', async () => {
    await assertLinearTime(1_600_000, (count) => {
      const text = '\n'.repeat(count);
      assert.equal(cell(transfer(text), 'description'), `'${text}`);
    });
  });

  property('writes no formula for spreadsheets that separate cells by semicolons', anyCell, (text) => {
    const row = [...exportAsCsv([transfer(text)], context)].slice(1).join('');
    for (const part of row.split(/[;\r\n]+/)) {
      if (/^[\s\p{C}\ufffd]*[+-][\d.,]*\d(e[+-]?\d+)?[ \t]*(",.*)?$/iu.test(part)) continue;
      assert.doesNotMatch(part, /^["\s\p{C}\ufffd]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u);
    }
  });

  it('quotes a cell with any separator that a spreadsheet may use', () => {
    for (const text of ['a;1', 'a\t=1', 'a,=1']) {
      assert.ok([...exportAsCsv([transfer(text)], context)].join('').includes(`"${text}"`), text);
    }
  });

  it('names the service of an unknown connection as it was recorded, otherwise by its ID', () => {
    const unknown = { getConnectionName: () => undefined };
    const services = (given: Transfer): readonly unknown[] => {
      const [, row] = readCsv([...exportAsCsv([given], unknown)].join(''));
      const [exported] = (JSON.parse([...exportAsJson([given], unknown)].join('')) as { transfers: Transfer[] })
        .transfers;
      return [row?.[1], exported?.service];
    };
    assert.deepEqual(services(transfer('', { service: 'https://dts.example.org' })), [
      'https://dts.example.org',
      'https://dts.example.org',
    ]);
    assert.deepEqual(services(transfer('')), ['c', 'c']);
    assert.equal(cell(transfer('', { service: 'An earlier name' }), 'service'), 'The c');
  });

  it('leaves cells empty for unknown values', () => {
    const order = { connectionId: 'c', orcid: 'o', source: '', destination: '', files: [] };
    const elsewhere: Transfer = {
      key: 'k',
      order,
      createdAt: at,
      state: 'active',
      changes: [],
      startedElsewhere: true,
    };
    for (const column of ['id', 'source', 'files', 'files_transferred', 'size_bytes', 'ended', 'message']) {
      assert.equal(cell(elsewhere, column), '', column);
    }
    assert.equal(cell({ ...elsewhere, status: { fileCount: 5 } }, 'files'), '5');
  });

  it('never presents a login name of the local service as an ORCID iD (D19)', () => {
    const given = transfer('why');
    const local = { ...given, order: { ...given.order, orcid: 'mmuster' } };
    assert.equal(cell(given, 'orcid'), orcid);
    assert.equal(cell(local, 'orcid'), '');
    const documents = [...exportAsJson([given, local], context)].join('');
    const { transfers } = JSON.parse(documents) as { readonly transfers: readonly Record<string, unknown>[] };
    assert.deepEqual(
      transfers.map((one) => one['orcid']),
      [orcid, undefined],
    );
    assert.doesNotMatch(documents, /mmuster/);
  });

  it('writes JSON with all files, and times that people and programs can read', () => {
    const document = JSON.parse([...exportAsJson([transfer('why'), transfer('why')], context)].join('')) as {
      version: number;
      transfers: Record<string, unknown>[];
    };
    assert.deepEqual([document.version, document.transfers.length], [1, 2]);
    const { files, changes } = document.transfers[0] ?? {};
    assert.deepEqual(files, transfer('').order.files);
    assert.deepEqual(changes, [
      { state: 'submitting', at: '2026-01-01T12:00:00.000Z' },
      { state: 'succeeded', at: '2026-01-01T12:01:00.000Z' },
    ]);
  });

  it('writes a valid document without transfers', () => {
    assert.deepEqual(JSON.parse([...exportAsJson([], context)].join('')), { version: 1, transfers: [] });
    assert.equal(readCsv([...exportAsCsv([], context)].join('')).length, 1);
  });

  it('yields chunks, so that 20,000 transfers are never one string', () => {
    const many = Array.from({ length: 20_000 }, () => transfer('why'));
    for (const write of [exportAsCsv, exportAsJson]) {
      let longest = 0;
      let pieces = 0;
      for (const piece of write(many, context)) {
        longest = Math.max(longest, piece.length);
        pieces += 1;
      }
      assert.ok(pieces > 20_000 && longest < 2000, `${String(pieces)} pieces, ${String(longest)} characters`);
    }
  });
});
