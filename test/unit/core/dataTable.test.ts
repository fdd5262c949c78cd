import assert from 'node:assert/strict';
import { isMissing, parseTextTable, readTables, type DataTable } from '../../../src/core/tables/dataTable.ts';
import { listCellDoubts } from '../../../src/core/tables/rowMatch.ts';
import { describeColumns, detectHeader, guessColumn } from '../../../src/core/tables/tableColumns.ts';
import { createSheetXml, createXlsx, zip } from '../../support/xlsxFile.ts';

async function readRows(name: string, bytes: Uint8Array): Promise<readonly (readonly [number, readonly string[]])[]> {
  const [table] = await readTables(name, bytes);
  return (table?.rows ?? []).map(({ line, cells }) => [line, cells]);
}

function findRoundedRows(table: DataTable, column: number): readonly number[] {
  return listCellDoubts({ table, columns: [column], hasHeader: true }).map(({ line }) => line);
}

describe('Reading a table', () => {
  const text = 'id\tname\r\n1\tété\r\n';
  const rows = [
    [1, ['id', 'name']],
    [2, ['1', 'été']],
  ];
  const utf16 = Buffer.from(text, 'utf16le');

  for (const [encoding, bytes] of [
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16 with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ['UTF-16 without a byte order mark', utf16],
    ['UTF-16 in big-endian order', Buffer.from(Buffer.from(`\uFEFF${text}`, 'utf16le')).swap16()],
    ['Windows-1252', Buffer.from(text, 'latin1')],
  ] as const) {
    it(`decodes ${encoding}`, async () => {
      assert.deepEqual(await readRows('table.tsv', bytes), rows);
    });
  }

  for (const [encoding, toBytes] of [
    ['UTF-8', (given: string) => Buffer.from(given)],
    ['Windows-1252', (given: string) => Buffer.from(given, 'latin1')],
  ] as const) {
    for (const padding of ['\0', '\0\0\0']) {
      it(`decodes ${encoding} with ${String(padding.length)} NUL characters`, async () => {
        const bytes = toBytes(`${text}2\tété${padding}\r\n`);
        assert.deepEqual(await readRows('table.tsv', bytes), [...rows, [3, ['2', `été${padding}`]]]);
      });
    }
  }

  for (const sentence of [
    'Образцы почвы и воды из южных областей, собранные весной',
    '春天在南方地区采集的土壤和水样品',
  ])
    it(`decodes UTF-16 without a byte order mark if most characters are not Latin: ${sentence}`, async () => {
      const bytes = Buffer.from(`id\tnote\n1\t${sentence}\n2\t${sentence}\n`, 'utf16le');
      const decoded = [
        [1, ['id', 'note']],
        [2, ['1', sentence]],
        [3, ['2', sentence]],
      ];
      assert.deepEqual(await readRows('table.tsv', bytes), decoded);
    });

  it('reads the sheets of a spreadsheet, with row numbers', async () => {
    const bytes = createXlsx({
      Empty: [],
      Samples: [['id', 'depth'], [], ['007', { number: '2.5' }], [undefined, { number: '12' }]],
      Notes: [['read me']],
    });
    const tables = await readTables('T.XLSX', bytes);
    assert.deepEqual(
      tables.map(({ sheet }) => sheet),
      ['Samples', 'Notes'],
    );
    assert.deepEqual(await readRows('T.XLSX', bytes), [
      [1, ['id', 'depth']],
      [3, ['007', '2.5']],
      [4, ['', '12']],
    ]);
    assert.equal(tables[0]?.doubts.size, 0);
  });

  it('writes large integers of a spreadsheet with all digits', async () => {
    const bytes = createXlsx({ Sheet: [['id'], [{ number: '12345678901234567890' }], [{ number: '1.5E+16' }]] });
    const [table] = await readTables('t.xlsx', bytes);
    assert.deepEqual(
      table?.rows.map(({ cells }) => cells[0]),
      ['id', '12345678901234567890', '15000000000000000'],
    );
  });

  it('lists exactly the rows in which a spreadsheet lost digits', async () => {
    const numbers = [
      '9007199254740993',
      '9007199254740991',
      '1000000000000001',
      '1.23456789012345E+15',
      '1.5E+3',
      '2.5',
    ];
    const rows = [['id'], ...numbers.map((number) => [{ number }]), ['12345678901234567890']];
    const [table] = await readTables('t.xlsx', createXlsx({ Sheet: rows }));
    assert.ok(table);
    assert.deepEqual(findRoundedRows(table, 0), [2, 5]);
  });

  it('lists the rows of a text file with scientific notation', () => {
    const table = parseTextTable('id,x\n1.23457E+15,1\n12345678901234567890,2\n1E5,3\n"1,2E+16",1E+9\n');
    assert.deepEqual([findRoundedRows(table, 0), findRoundedRows(table, 1)], [[2, 5], [5]]);
  });

  for (const [text, lines] of [
    ['a,b\n1,2,3\n', [2]],
    ['a,b\n1,2,3\n4,5\n', [2]],
    ['a,b\n1,2\n4,5,6,7\n', [3]],
    ['a,b\n1,2,\n4,5,,\n', []],
    ['Title\na,b,c\n1,2,3\n', [2, 3]],
    ['# x\n\na,b\n"1\n2",2\n3,4,5\n', [6]],
    ['file_id,note\n1,"5 inch\n2,6"\n3,x\n', []],
  ] as const) {
    it(`lists the lines that are longer than the header of ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseTextTable(text).longRows, lines);
    });
  }

  for (const [text, lines] of [
    ['file_id,note\n1,"5 inch\n2,6"\n3,x\n', [2]],
    ['file_id;note\n1;"5 inch\n\n2;x\n3;6"\n', [2]],
    ['file_id,note\n1,"a, b\nc"\n2,"x\ny"\n', []],
    ['file_id,"note\n1,a\n2,5"\n3,x\n', [1]],
    ['file_id,"note\nof people"\n1,x\n', []],
  ] as const) {
    it(`lists the lines whose quotes may enclose other rows of ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseTextTable(text).joinedRows, lines);
    });
  }

  it('recognizes the texts that programs write for a missing value', () => {
    for (const text of ['', ' ', 'n/a', 'NA', 'N/A', '#N/A', 'NaN', 'null', 'None', '<NA>', '\\N', '-', "'--"])
      assert.ok(isMissing(text), text);
    for (const text of ['0', 'na.txt', 'Na', 'x', '.', '---']) assert.ok(!isMissing(text), text);
  });

  it('rejects a damaged spreadsheet', async () => {
    await assert.rejects(readTables('t.xlsx', Buffer.from('PK nothing')));
  });

  it('rejects a file that is not a ZIP archive and an empty file', async () => {
    for (const bytes of [Buffer.from('id,name'), Buffer.alloc(0)])
      await assert.rejects(readTables('t.xlsx', bytes), { name: 'TableError', kind: 'notWorkbook' });
  });

  it('rejects a spreadsheet that unpacks to gigabytes before it is unpacked', async () => {
    const bomb = createXlsx({ Sheet: [['id']] }, { declaredBytes: 3_000_000_000 });
    await assert.rejects(readTables('t.xlsx', bomb), { kind: 'unpacksTooLarge' });
  });

  it('rejects a spreadsheet that unpacks to more than its directory states', async () => {
    const misdeclared = zip({ 'xl/workbook.xml': ' '.repeat(1_000_000) }, { isDeflated: true, declaredBytes: 1_000 });
    await assert.rejects(readTables('t.xlsx', misdeclared), { kind: 'unpacksTooLarge' });
  });

  const readSheet = (rows: string): Promise<readonly (readonly [number, readonly string[]])[]> =>
    readRows('t.xlsx', createXlsx({ S: [] }, { files: { 'xl/worksheets/sheet1.xml': createSheetXml(rows) } }));
  const createWideRows = (count: number): string =>
    Array.from({ length: count }, (_, index) => `<row><c r="XFD${index + 1}"><v>1</v></c></row>`).join('');

  for (const [problem, rows] of [
    ['many wide rows', createWideRows(1_221)],
    ['a wide row and many short ones', `${createWideRows(1)}${'<row><c><v>1</v></c></row>'.repeat(2_000)}`],
    ['a very large row number', '<row r="1000000000"><c r="A1000000000"><v>1</v></c></row>'],
    ['a row number that is not an integer', '<row r="1e9"><c><v>1</v></c></row>'],
    ['a very large column number', '<row r="1"><c r="ZZZ1"><v>1</v></c></row>'],
    ['attributes in other quotes', "<x:row spans='>' r='1000000000'><c><v>1</v></c></x:row>"],
    ['a cell reference after a similar attribute value', `<row r="1"><c x=' r="A1"' r="A9000000"><v>1</v></c></row>`],
    ['a cell reference after a quoted bracket', '<row r="1"><c x="<" r="A9000000"><v>1</v></c></row>'],
    ['a tag without a name before its colon', '<row r="1"><:c r="A9000000"><v>1</v></:c></row>'],
  ] as const) {
    it(`rejects a small spreadsheet with ${problem}, which would fill the memory`, async () => {
      await assert.rejects(readSheet(rows), { kind: 'tooManyCells' });
    });
  }

  it('rejects a small spreadsheet whose sheets together would fill the memory', async () => {
    const sheet = createSheetXml(createWideRows(700));
    const files = Object.fromEntries([1, 2].map((index) => [`xl/worksheets/sheet${index}.xml`, sheet]));
    const bytes = createXlsx({ One: [['id']], Two: [['id']] }, { files });
    await assert.rejects(readTables('t.xlsx', bytes), { kind: 'tooManyCells' });
  });

  for (const [what, rows] of [
    ['very many empty rows', '<row/>'.repeat(1_100_000)],
    ['an empty cell far below', '<row><c r="A9000000"/></row>'],
    ['gaps', '<row r="1000000"><c r="XFD1000000"/></row>'],
  ] as const) {
    it(`ignores ${what}`, async () => {
      assert.deepEqual(await readSheet(`<row><c><v>1</v></c></row>${rows}`), [[1, ['1']]]);
    });
  }

  for (const [what, path, xml] of [
    ['formats of cells', 'xl/styles.xml', `<styleSheet><cellXfs>${'<xf/>'.repeat(1_000_000)}</cellXfs></styleSheet>`],
    [
      'characters in a number format',
      'xl/styles.xml',
      `<styleSheet><numFmts><numFmt formatCode="${'['.repeat(1_000_000)}"/></numFmts><cellXfs><xf/></cellXfs></styleSheet>`,
    ],
    [
      'number formats',
      'xl/styles.xml',
      `<styleSheet>${Array.from({ length: 200_000 }, (_, id) => `<numFmt numFmtId="${id}" formatCode="0${id}"/>`).join('')}</styleSheet>`,
    ],
    ['unused files', 'xl/worksheets/sheet2.xml', createSheetXml(createWideRows(1_221))],
  ] as const) {
    it(`reads a spreadsheet with very many ${what}`, async () => {
      const bytes = createXlsx({ Sheet: [['id']] }, { isDeflated: true, files: { [path]: xml } });
      assert.deepEqual(await readRows('t.xlsx', bytes), [[1, ['id']]]);
    });
  }

  it('reads a spreadsheet with very many sheets', async () => {
    const count = 20_000;
    const sheets = Array.from({ length: count }, (_, id) => `<sheet name="${id}" r:id="r${id}"/>`);
    const paths = Array.from(
      { length: count },
      (_, id) => `<Relationship Id="r${id}" Type="/worksheet" Target="worksheets/sheet1.xml"/>`,
    );
    const files = {
      'xl/workbook.xml': `<workbook>${sheets.join('')}</workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships>${paths.join('')}</Relationships>`,
    };
    assert.deepEqual(await readRows('t.xlsx', createXlsx({ Sheet: [['id']] }, { files })), [[1, ['id']]]);
  });

  it('rejects a spreadsheet whose ZIP64 directory is damaged', async () => {
    const bytes = Buffer.from(createXlsx({ Sheet: [['id']] }));
    const end = bytes.length - 22;
    const locator = Buffer.alloc(20);
    locator.write('PK\x06\x07', 'latin1');
    const withLocator = Buffer.concat([bytes.subarray(0, end), locator, bytes.subarray(end)]);
    await assert.rejects(readTables('t.xlsx', withLocator), { kind: 'notWorkbook' });
  });

  it('reads a sheet only once if the workbook lists it several times', async () => {
    const workbook = Buffer.from(createXlsx({ A: [['id']], B: [['id']] })).toString('latin1');
    const repeated = Buffer.from(workbook.replace('r:id="rId2"', 'r:id="rId1"'), 'latin1');
    assert.deepEqual(
      (await readTables('t.xlsx', repeated)).map(({ sheet }) => sheet),
      ['A'],
    );
  });

  it('accepts column formats far to the right of the last cell', async () => {
    const cells = '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1" s="0"/></row><row r="1048576"/>';
    const bytes = createXlsx({ Sheet: [['id']] }, { files: { 'xl/worksheets/sheet1.xml': createSheetXml(cells) } });
    assert.deepEqual(await readRows('t.xlsx', bytes), [[1, ['1']]]);
  });

  it('reads a compressed spreadsheet with 100,000 rows', async () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => [`JDP:${index}`, { number: String(index) }]);
    const [table] = await readTables('t.xlsx', createXlsx({ Sheet: rows }, { isDeflated: true }));
    assert.equal(table?.rows.length, 100_000);
  });

  it('reads a cell of 10 MB, and 100,000 rows of text', () => {
    const large = 'x'.repeat(10_000_000);
    const { rows: read } = parseTextTable(`id,note\n1,"${large}"\n2,\n`);
    assert.deepEqual(
      read.map(({ cells }) => cells[1]?.length),
      [4, 10_000_000, 0],
    );
    assert.equal(parseTextTable(`id\n${'JDP:1\n'.repeat(100_000)}`).rows.length, 100_001);
  });

  it('rejects a text file with so many columns that its result would fill the memory', () => {
    const wide = `id${','.repeat(90_000)}\n`;
    for (const text of [','.repeat(100_000), `${wide}${'JDP:1\n'.repeat(1_000)}`])
      assert.throws(() => parseTextTable(text), { name: 'TableError', kind: 'tooManyColumns' });
    assert.equal(parseTextTable(`${wide}${'JDP:1\n'.repeat(100)}`).rows.length, 101);
  });

  it('rejects a table with millions of rows', async () => {
    assert.throws(() => parseTextTable('1\n'.repeat(2_000_001)), { name: 'TableError', kind: 'tooManyRows' });
    const sheet = createSheetXml('<row><c><v>1</v></c></row>'.repeat(700_000));
    const files = Object.fromEntries([1, 2, 3].map((index) => [`xl/worksheets/sheet${index}.xml`, sheet]));
    const bytes = createXlsx({ A: [], B: [], C: [] }, { files, isDeflated: true });
    await assert.rejects(readTables('t.xlsx', bytes), { kind: 'tooManyRows' });
  });

  it('finds no row in an empty file', async () => {
    assert.deepEqual(await readRows('t.csv', Buffer.alloc(0)), []);
  });
});

describe('Recognizing a table of R', () => {
  for (const [what, text] of [
    ['with its default separator', '"id" "n"\n"a" "x" 5\n"b" "y" NA\n'],
    ['with one column', '"id"\n"1" "x"\n"2" "y"\n'],
    ['with tabs', '"id"\t"n"\n"a"\t"x"\t5\n"b"\t"y"\t6\n'],
    ['with commas and numbered rows', '"id","n"\n"1","x",5\n"2","y",6\n'],
    ['with tabs and numbered rows, without quotes', 'id\tn\n1\tx\t5\n2\ty\t6\n'],
  ] as const) {
    it(`leaves the column of the row names without a name in a table of R ${what}`, () => {
      const { rows, longRows } = parseTextTable(text);
      const names = rows.map(({ cells }) => cells.slice(0, 2));
      assert.deepEqual([names[0], names[1]?.[1], longRows], [['', 'id'], 'x', []]);
    });
  }

  for (const [what, text, lines] of [
    ['an empty last value', 'file_id,sample\n1,2,\n3,4,comment\n', [3]],
    ['an empty last value after a tab', 'id\tn\n1\tx\t5\n2\ty\t\n', [2]],
    ['names with a comma below a single name', 'file_name\nDoe,a.txt\nRoe,b.txt\n', [2, 3]],
    ['notes below a single name', 'a.fq\nb.fq,x\nc.fq,x\n', [2, 3]],
    ['quoted notes below a single name', '"a.fq"\n"b.fq","x"\n"c.fq","x"\n', [2, 3]],
    ['a decimal comma in each row', 'id,size\n1,2,5\n2,3,5\n', [2, 3]],
    ['notes after unquoted tabs', 'file_id\tn\nA\tx\tnote\nB\ty\tnote\n', [2, 3]],
    ['notes after quoted commas', '"file_id","n"\n"A","x","note"\n"B","y","note"\n', [2, 3]],
    ['unquoted rows below a quoted header', '"id"\t"n"\na\tx\t5\nb\ty\t6\n', [2, 3]],
    ['a repeated first value', '"id" "n"\n"a" "x" 5\n"a" "y" 6\n', [2, 3]],
    ['an empty first value', '"id" "n"\n"" "x" 5\n"b" "y" 6\n', [2, 3]],
  ] as const) {
    it(`does not take a table for one of R that has ${what}`, () => {
      const { rows, longRows } = parseTextTable(text);
      assert.deepEqual([rows[0]?.cells[0] === '', longRows], [false, lines]);
    });
  }
});

describe('Guessing the column of a table', () => {
  const hash = 'a'.repeat(64);
  for (const [text, header, key] of [
    ['name,id,file_id\na,1,2\n', 'id', 'id'],
    ['sample,File ID\na,1\n', 'File ID', 'id'],
    [`sample,sha256\na,${hash}\n`, 'sha256', 'hash'],
    [`sample,value\na,${hash}\n`, 'value', 'hash'],
    ['size,file_name\n1,a.txt\n', 'file_name', 'name'],
    ['x,y\n1,2\n', 'x', 'id'],
    ['run_accession\ttax_id\tfastq_ftp\nERR1\t9606\ta/1.gz;a/2.gz\nERR2\t9606\tb.gz\n', 'fastq_ftp', 'name'],
    ['participant_id\tfile\nsub-01\ta.nii\nsub-02\tn/a\n', 'file', 'name'],
    ['tax_id,sample_id\n9606,s1\n9606,s2\n', 'sample_id', 'id'],
  ] as const) {
    it(`finds ${header} in ${JSON.stringify(text.slice(0, 20))}`, () => {
      const { column, key: guessed } = guessColumn(describeColumns(parseTextTable(text)));
      assert.deepEqual([column.header, guessed], [header, key]);
    });
  }
});

describe('Detecting the names of columns', () => {
  const hash = 'a'.repeat(64);
  const detect = (text: string, column = 0): boolean | undefined => {
    const columns = describeColumns(parseTextTable(text));
    return detectHeader(columns, columns[column] ?? assert.fail());
  };

  for (const [text, column, expected] of [
    ['id\n1\n', 0, true],
    ['JDP:1\nJDP:2\n', 0, false],
    [`${hash}\n${hash}\n`, 0, false],
    ['sample,JDP:000001\nother,JDP:000002\n', 1, false],
    ['stations.csv,12\nobservations.csv,7\n', 0, false],
    ['3f2a9c1e-77aa-4bcd-9e21-000000000001,x\n77aa0c1e-3f2a-4abc-8e21-000000000002,y\n', 0, false],
    ['a/b,x\na/c,y\n', 0, false],
    ['alpha,1\nbeta,2\n', 0, false],
    ['accession,depth\nGCA_000001.1,2.5\nGCA_000002.1,3\n', 0, true],
    ['sample,depth\nalpha,-2.5\nbeta,3\n', 0, true],
    ['sample,site\nalpha,Congo\nbeta,Amazon\n', 0, undefined],
    ['x\ny\n', 0, undefined],
    ['rep1,depth\nabc1,3\n', 0, undefined],
    ['id,2019,2020\nJDP:1,4,5\n', 0, true],
    ['id,name\n', 0, true],
    ['JDP:1,x\n', 0, undefined],
  ] as const) {
    it(`decides ${String(expected)} for ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.equal(detect(text, column), expected);
    });
  }
});
