import assert from 'node:assert/strict';
import { readTables } from '../../../src/core/tables/dataTable.ts';
import { createSheetXml, createXlsx, zip } from '../../support/xlsxFile.ts';

/** Returns an ODS file with this content in the element of the workbook. */
function createOds(content: string, styles = '', files: Readonly<Record<string, string>> = {}): Uint8Array {
  const xml = `<o:document-content xmlns:o="o" xmlns:office="office" xmlns:table="table" xmlns:text="text" xmlns:style="style"><o:automatic-styles>${styles}</o:automatic-styles><o:body><o:spreadsheet>${content}</o:spreadsheet></o:body></o:document-content>`;
  return zip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': xml, ...files });
}

const text = (value: string, attributes = ''): string =>
  `<table:table-cell office:value-type="string" ${attributes}><text:p>${value}</text:p></table:table-cell>`;
const row = (cells: string, attributes = ''): string => `<table:table-row ${attributes}>${cells}</table:table-row>`;
const sheet = (rows: string, name = 'S'): string => `<table:table table:name="${name}">${rows}</table:table>`;

async function readRows(name: string, bytes: Uint8Array): Promise<readonly (readonly string[])[]> {
  const [table] = await readTables(name, bytes);
  return (table?.rows ?? []).map(({ line, cells }) => [String(line), ...cells]);
}

const readOdsRows = (rows: string): Promise<readonly (readonly string[])[]> =>
  readRows('t.ods', createOds(sheet(rows)));

const readXlsxRows = (cells: string): Promise<readonly (readonly string[])[]> =>
  readRows('t.xlsx', createXlsx({ S: [] }, { files: { 'xl/worksheets/sheet1.xml': createSheetXml(cells) } }));

describe('Reading an OpenDocument workbook', () => {
  it('reads rows that are repeated on each page, and grouped rows', async () => {
    const rows = `<table:table-header-rows>${row(text('id'))}</table:table-header-rows><table:table-row-group>${row(text('a'))}<table:table-row-group>${row(text('b'))}</table:table-row-group></table:table-row-group>${row(text('c'))}`;
    assert.deepEqual(await readOdsRows(rows), [
      ['1', 'id'],
      ['2', 'a'],
      ['3', 'b'],
      ['4', 'c'],
    ]);
  });

  it('repeats cells and rows', async () => {
    const gap = '<table:table-cell table:number-columns-repeated="2"/>';
    const repeated = row(
      text('x', 'table:number-columns-repeated="2"') + gap + text('y'),
      'table:number-rows-repeated="2"',
    );
    const empty = row(
      '<table:table-cell table:number-columns-repeated="16384"/>',
      'table:number-rows-repeated="1000000"',
    );
    assert.deepEqual(
      await readOdsRows(repeated + row(gap, 'table:number-rows-repeated="3"') + row(text('z')) + empty),
      [
        ['1', 'x', 'x', '', '', 'y'],
        ['2', 'x', 'x', '', '', 'y'],
        ['6', 'z'],
      ],
    );
  });

  it('reads each kind of value', async () => {
    const cell = (type: string, value: string, shown: string): string =>
      `<table:table-cell office:value-type="${type}" office:${value}><text:p>${shown}</text:p></table:table-cell>`;
    const cells = [
      cell('float', 'value="1.5"', '1,50'),
      cell('percentage', 'value="0.125"', '12.5%'),
      cell('date', 'date-value="2021-06-03"', '03/06/21'),
      cell('date', 'date-value="2021-06-03T09:59:59.999999999"', 'June 3, 2021 10:00 AM'),
      cell('date', 'date-value="2021-06-03T18:00:00"', '2021-06-03'),
      cell('date', 'date-value="2021-06-03"', '2021-06-03 00:00'),
      cell('time', 'time-value="PT26H30M00S"', '26:30'),
      cell('time', 'time-value="PT1064412H00M00S"', '12:00 PM'),
      cell('float', 'value="1"', 'TRUE'),
      cell('boolean', 'boolean-value="true"', 'WAHR'),
      cell('string', 'string-value=""', '#N/A'),
      '<table:table-cell office:value-type="string" office:string-value="a &amp; b"/>',
    ];
    assert.deepEqual(await readOdsRows(row(cells.join(''))), [
      [
        '1',
        '1.5',
        '0.125',
        '2021-06-03',
        '2021-06-03T10:00:00',
        '2021-06-03',
        '2021-06-03T00:00:00',
        '26:30:00',
        '12:00:00',
        'TRUE',
        'TRUE',
        '#N/A',
        'a & b',
      ],
    ]);
  });

  for (const [type, value, shown, text] of [
    ['float', '12', 'SRR20012', 'SRR20012'],
    ['float', '12', 'v2 / 12', 'v2 / 12'],
    ['float', '1234', 'SRR2 1,234', 'SRR2 1,234'],
    ['float', '1.5', 'v1.50', 'v1.50'],
    ['float', '12', '2012', '2012'],
    ['float', '0', 'none 0', 'none 0'],
    ['currency', '12', 'SRR0012', 'SRR0012'],
    ['float', '12', ' 12 ', '12'],
    ['float', '12.4', '12', '12.4'],
    ['float', '1234.5', '1,234.50', '1234.5'],
    ['float', '-1234', '(1,234)', '-1234'],
    ['float', '150000', '1.5E+05', '150000'],
    ['float', '1.5', '1 1/2', '1.5'],
    ['float', '12345', '12', '12345'],
    ['float', '12', '', '12'],
    ['currency', '1234', '€1,234.00', '1234'],
  ] as const)
    it(`reads ${value} that an OpenDocument cell shows as "${shown}" as ${text}`, async () => {
      const cell = `<table:table-cell office:value-type="${type}" office:value="${value}"><text:p>${shown}</text:p></table:table-cell>`;
      const [table] = await readTables('t.ods', createOds(sheet(row(cell))));
      assert.deepEqual(table?.rows[0]?.cells, [text]);
      assert.deepEqual([...table.doubts.values()], text === value ? [] : [{ kind: 'padded', other: value }]);
    });

  it('reads the text of a cell without its comment, drawings and blanks', async () => {
    const comment = '<office:annotation><text:p>no</text:p></office:annotation>';
    const drawing = '<draw:frame xmlns:draw="d"><text:p>no</text:p></draw:frame>';
    const paragraphs = '<text:p>a<text:s text:c="2"/><text:span>b</text:span><text:tab/>c</text:p><text:p>d</text:p>';
    const shapes = `<table:shapes>${sheet(row(text('no')))}</table:shapes>`;
    const cell = `<table:table-cell office:value-type="string">${comment}${drawing}${paragraphs}</table:table-cell>`;
    assert.deepEqual(await readOdsRows(shapes + row(cell)), [['1', 'a  b\tc\nd']]);
  });

  it('doubts shown leading zeros and prefixes, large integers, and formulas without a value', async () => {
    const number = (value: string, shown: string): string =>
      `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${shown}</text:p></table:table-cell>`;
    const cells = [
      number('12', '0012'),
      number('7', 'S7'),
      number('1E+15', '1E+015'),
      number('1234', '1,234'),
      number('123456', '123-456'),
    ];
    const formula = '<table:table-cell table:formula="of:=1+1"/>';
    const [table] = await readTables('t.ods', createOds(sheet(row(cells.join('') + formula))));
    assert.deepEqual(table?.rows[0]?.cells, ['0012', 'S7', '1000000000000000', '1234', '123-456', '']);
    assert.deepEqual(Object.fromEntries(table.doubts), {
      '1/0': { kind: 'padded', other: '12' },
      '1/1': { kind: 'padded', other: '7' },
      '1/2': { kind: 'rounded' },
      '1/4': { kind: 'padded', other: '123456' },
      '1/5': { kind: 'noValue' },
    });
  });

  it('lists hidden sheets last, and no copies of other files', async () => {
    const style = '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>';
    const hidden = sheet(row(text('h'))).replace('<table:table ', '<table:table table:style-name="ta2" ');
    const copy = sheet(row(text('c')), '&apos;file:///x.ods&apos;#$S');
    const bytes = createOds(hidden + sheet(row(text('v')), 'V') + copy, style);
    assert.deepEqual(
      (await readTables('t.ods', bytes)).map((table) => table.sheet),
      ['V', 'S'],
    );
  });

  it('says that an encrypted workbook needs its password', async () => {
    const files = { 'META-INF/manifest.xml': '<m><encryption-data/></m>' };
    await assert.rejects(readTables('t.ods', createOds('', '', files)), { kind: 'encrypted' });
  });

  for (const [what, rows] of [
    [
      'a value in a million rows and 16,384 columns',
      row(text('x', 'table:number-columns-repeated="16384"'), 'table:number-rows-repeated="1000000"'),
    ],
    ['a value in a billion columns', row(text('x', 'table:number-columns-repeated="1000000000"'))],
    ['a value in a billion rows', row(text('x'), 'table:number-rows-repeated="1000000000"')],
    ['many wide rows', row(text('x', 'table:number-columns-repeated="16384"')).repeat(2_000)],
    [
      'a wide row and many short ones',
      row(text('x', 'table:number-columns-repeated="16384"')) + row(text('x'), 'table:number-rows-repeated="100000"'),
    ],
  ] as const) {
    it(`rejects a small workbook with ${what}`, async () => {
      await assert.rejects(readOdsRows(rows), { kind: 'tooManyCells' });
    });
  }

  it('limits the blanks in a text', async () => {
    const [[, cell] = []] = await readOdsRows(row(text('a<text:s text:c="2000000000"/>b')));
    assert.equal(cell?.length, 32_769);
  });
});

describe('Reading an Excel workbook', () => {
  it('reads each kind of cell', async () => {
    const cells = [
      '<c r="A1" t="inlineStr"><is><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></is></c>',
      '<c r="B1" t="str"><f>"x"</f><v>x</v></c>',
      '<c r="C1" t="b"><v>1</v></c>',
      '<c r="D1" t="e"><v>#N/A</v></c>',
      '<c r="E1"><f t="shared" si="0"/><v>4</v></c>',
      '<c t="inlineStr"><is><t>a_x000D_b &#x1F600;&lt;</t></is></c>',
      '<c r="H1"><v>1</v><extLst><ext><f>no</f></ext></extLst></c>',
    ];
    assert.deepEqual(await readXlsxRows(`<row r="1">${cells.join('')}</row>`), [
      ['1', 'rich', 'x', 'TRUE', '#N/A', '4', 'a\rb 😀<', '', '1'],
    ]);
  });

  it('doubts formulas without a value, whatever their type is, but not those of an empty text', async () => {
    const cells = '<c t="str"><f>B2</f></c><c><f>B2</f></c><c><f>B2</f><v/></c><c t="str"><f>B2</f><v></v></c>';
    const files = { 'xl/worksheets/sheet1.xml': createSheetXml(`<row><c t="s"/>${cells}<c><v>1</v></c></row>`) };
    const [table] = await readTables('t.xlsx', createXlsx({ S: [['shared']] }, { files }));
    assert.deepEqual(table?.rows[0]?.cells, ['', '', '', '', '', '1']);
    assert.deepEqual([...table.doubts.keys()], ['1/1', '1/2', '1/3']);
  });

  it('rejects a cell that refers to no shared text', async () => {
    for (const index of ['1', '-1', 'x'])
      await assert.rejects(readXlsxRows(`<row><c t="s"><v>${index}</v></c></row>`), { kind: 'notWorkbook' });
  });

  it('reads rows and cells without positions', async () => {
    assert.deepEqual(
      await readXlsxRows('<row><c><v>1</v></c><c><v>2</v></c></row><row/><x:row><x:c><x:v>3</x:v></x:c></x:row>'),
      [
        ['1', '1', '2'],
        ['3', '3'],
      ],
    );
  });

  it('lists hidden sheets last', async () => {
    const listed = ['A" state="hidden', 'B'].map((name, index) => `<sheet name="${name}" r:id="rId${index + 1}"/>`);
    const files = { 'xl/workbook.xml': `<workbook><sheets>${listed.join('')}</sheets></workbook>` };
    const tables = await readTables('t.xlsx', createXlsx({ A: [['a']], B: [['b']] }, { files }));
    assert.deepEqual(
      tables.map(({ sheet: name }) => name),
      ['B', 'A'],
    );
  });

  it('follows the paths in the workbook', async () => {
    const relation = (type: string, target: string): string =>
      `<Relationships><Relationship Id="rId1" Type="x/${type}" Target="${target}"/></Relationships>`;
    const bytes = zip({
      '_rels/.rels': relation('officeDocument', '/Book/my.xml'),
      'book\\my.xml': '<workbook><sheets><sheet name="S" r:id="rId1"/></sheets></workbook>',
      'Book/_rels/my.xml.rels': relation('worksheet', '../sheets/One.xml'),
      'sheets/one.xml': createSheetXml('<row><c><v>1</v></c></row>'),
    });
    assert.deepEqual(await readRows('t.xlsx', bytes), [['1', '1']]);
  });
});

describe('Rejecting other formats', () => {
  const old = Buffer.from('d0cf11e0a1b11ae1', 'hex');
  for (const [name, bytes, error] of [
    ['t.xls', old, { kind: 'unsupported', format: 'XLS' }],
    ['t.xlsx', Buffer.concat([old, Buffer.from('EncryptedPackage', 'utf16le')]), { kind: 'encrypted' }],
    ['t.xlsb', zip({ 'xl/workbook.bin': '' }), { kind: 'unsupported', format: 'XLSB' }],
    ['t.numbers', zip({ 'Index/Document.iwa': '' }), { kind: 'unsupported', format: 'Numbers' }],
    ['t.docx', zip({ 'word/document.xml': '' }), { kind: 'unsupported', format: 'DOCX' }],
    ['t.parquet', Buffer.from('PAR1\x15\x04'), { kind: 'unsupported', format: 'Parquet' }],
    ['t.parquet', Buffer.from('PAR1\xe8\x02\0\0', 'latin1'), { kind: 'unsupported', format: 'Parquet' }],
    ['t.arrow', Buffer.from('ARROW1\0\0'), { kind: 'unsupported', format: 'Arrow' }],
    ['t.feather', Buffer.from('FEA1\0\0\0\0'), { kind: 'unsupported', format: 'Arrow' }],
    ['t.csv.bz2', Buffer.from('BZh91AY&SY\x91'), { kind: 'unsupported', format: 'bzip2' }],
    ['t.rda', Buffer.from('RDX3\nX\n\0'), { kind: 'unsupported', format: 'R data' }],
    ['t', Buffer.from('RDA3\nA\n3\n'), { kind: 'unsupported', format: 'R data' }],
    ['t.dta', Buffer.from('<stata_dta><header>'), { kind: 'unsupported', format: 'Stata' }],
    ['t.dta', Buffer.from([0x72, 2, 1, 0]), { kind: 'unsupported', format: 'Stata' }],
    ['t.sav', Buffer.from('$FL2@(#) SPSS'), { kind: 'unsupported', format: 'SPSS' }],
    ['t.rds', Buffer.from([0x1f, 0x8b, 8]), { kind: 'unsupported', format: 'R data' }],
    ['t.csv.gz', Buffer.from([0x1f, 0x8b, 8]), { kind: 'unsupported', format: 'gzip' }],
    ['t.xls', Buffer.from('\r\n<html><table>'), { kind: 'unsupported', format: 'HTML' }],
    ['t.xls', Buffer.from('\uFEFF<?xml version="1.0"?><Workbook>'), { kind: 'unsupported', format: 'XML' }],
    ['t.json', Buffer.from('[{"id": 1}]'), { kind: 'unsupported', format: 'JSON' }],
    ['t.xlsx', zip({ 'a.txt': '' }), { kind: 'notWorkbook' }],
  ] as const) {
    it(`explains why ${name} is not read: ${Object.values(error).join(', ')}`, async () => {
      await assert.rejects(readTables(name, bytes), { name: 'TableError', ...error });
    });
  }

  for (const id of ['PAR1-S1', 'FEA1', 'ARROW1', 'BZh9_a', 'RDX3'])
    it(`reads a list that begins with the ID ${id}`, async () => {
      assert.deepEqual(await readRows('ids.txt', Buffer.from(`${id}\nb\r\n`)), [
        ['1', id],
        ['2', 'b'],
      ]);
    });

  it('reads text and workbooks whatever their extension is', async () => {
    assert.deepEqual(await readRows('peaks.xls', Buffer.from('id\tn\n1\t2\n')), [
      ['1', 'id', 'n'],
      ['2', '1', '2'],
    ]);
    assert.deepEqual(await readRows('t.csv', createXlsx({ S: [['id']] })), [['1', 'id']]);
  });
});
