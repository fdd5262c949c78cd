import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { createPreview, previewBytes, type FilePreview } from '../../../src/core/tables/filePreview.ts';
import { findPreviewKind } from '../../../src/core/tables/previewKinds.ts';

/** Creates the preview of a file of which at most {@link previewBytes} bytes are read. */
async function preview(name: string, content: string | Buffer): Promise<FilePreview> {
  const bytes = Buffer.from(content);
  return await createPreview(name, { bytes: bytes.subarray(0, previewBytes), isWhole: bytes.length <= previewBytes });
}

/** Creates the preview of a table. Throws if it is another one. */
async function readRows(name: string, content: string | Buffer) {
  const table = await preview(name, content);
  assert.ok(table.kind === 'table');
  return table;
}

const rows = Array.from({ length: 50 }, (_, index) => `${index},"a, b",é`);
const csv = ['id,name,letter', ...rows, ''].join('\r\n');

describe('The preview of a file', () => {
  it('has the header and the first twenty rows of a table', async () => {
    const expected = rows.slice(0, 20).map((_, index) => [String(index), 'a, b', 'é']);
    const table = { kind: 'table', header: ['id', 'name', 'letter'], rows: expected };
    assert.deepEqual(await preview('a.csv', csv), table);
    assert.deepEqual(await preview('a.CSV.gz', gzipSync(csv)), table);
    assert.deepEqual(await preview('a.tsv', 'id\tname\n1\tx\n'), {
      kind: 'table',
      header: ['id', 'name'],
      rows: [['1', 'x']],
    });
  });

  it('reads tables in several compressed blocks, as bgzip writes them', async () => {
    const blocks = Buffer.concat([gzipSync('id,n\n1,'), gzipSync('x\n'), gzipSync('')]);
    assert.deepEqual(await preview('a.csv.bgz', blocks), { kind: 'table', header: ['id', 'n'], rows: [['1', 'x']] });
  });

  it('has the records of VCF, GFF, FASTA and FASTQ', async () => {
    const vcf = '##fileformat=VCFv4.2\n##INFO=<ID=DP>\n#CHROM\tPOS\tID\nchr1\t5\trs1\n';
    assert.deepEqual(await preview('a.vcf', vcf), {
      kind: 'table',
      header: ['#CHROM', 'POS', 'ID'],
      rows: [['chr1', '5', 'rs1']],
    });
    const line = ['chr1', 'ens', 'gene', '1', '9', '.', '+', '.', 'ID=g1'];
    const gff = await readRows('a.gff3', `##gff-version 3\n${line.join('\t')}\n###\n`);
    assert.deepEqual([gff.header.length, gff.rows], [9, [line]]);
    assert.deepEqual(await preview('a.fa.gz', gzipSync('>s1 first\nACGT\nAC\n>s2\nTT\n')), {
      kind: 'sequences',
      hasQuality: false,
      rows: [
        ['s1 first', 'ACGTAC'],
        ['s2', 'TT'],
      ],
    });
    assert.deepEqual(await preview('a.fastq', '@r1\nACGT\n+\nIIII\n@r2\nAC\n+\n@I\n'), {
      kind: 'sequences',
      hasQuality: true,
      rows: [
        ['r1', 'ACGT', 'IIII'],
        ['r2', 'AC', '@I'],
      ],
    });
  });

  it('separates the columns of VCF, GFF and TSV only at tabs', async () => {
    const header = ['#CHROM', 'POS', 'ID', 'INFO'];
    const row = ['chr1', '5', 'rs1', 'AC=1;AN=2;DP=5;CSQ=A|B|C|D|E|F,G|H;MQ=60;QD=1'];
    const vcf = `##fileformat=VCFv4.2\n${header.join('\t')}\n${row.join('\t')}\n`;
    assert.deepEqual(await preview('a.vcf', vcf), { kind: 'table', header, rows: [row] });
    assert.deepEqual(await preview('a.tsv.gz', gzipSync('a\tb,c,d\n1\t2\n')), {
      kind: 'table',
      header: ['a', 'b,c,d'],
      rows: [['1', '2']],
    });
    const line = ['NC_1', 'RefSeq', 'region', '1', '9', '.', '+', '.', 'a=1;b=2;c=3;d=4;e=5;f=6;g=7;h=8;i=9;j=10'];
    assert.deepEqual((await readRows('a.gff', `##gff-version 3\n${line.join('\t')}\n`)).rows, [line]);
  });

  it('has the beginning of a sequence that is one long line', async () => {
    const sequences = await preview('a.fa', `>chr1\n${'ACGT'.repeat(100_000)}\n`);
    assert.ok(sequences.kind === 'sequences');
    assert.deepEqual(sequences.rows, [['chr1', `${'ACGT'.repeat(50)}…`]]);
  });

  it('has the value of a JSON file', async () => {
    assert.deepEqual(await preview('a.json', '\uFEFF{"a": [1]}'), { kind: 'json', value: { a: [1] } });
    assert.deepEqual(await preview('a.geojson', '5'), { kind: 'json', value: [5] });
  });

  it('has a number that would be rounded as it is written', async () => {
    const exact = '{"12345678901234567890": [-0.10, 1E5, 9007199254740992, 1e-7], "t": "\\"9007199254740993\\\\"}';
    assert.deepEqual(await preview('a.json', exact), { kind: 'json', value: JSON.parse(exact) as unknown });
    const rounded = ['9007199254740993', '-123456789.12345678901', '1e400', '1E-400'];
    assert.deepEqual(await preview('a.json', `[${rounded.join(', ')}, 0]`), { kind: 'json', value: [...rounded, 0] });
  });

  const large = `${'x'.repeat(99)}\n`.repeat(previewBytes / 50);
  const problems: Readonly<Record<string, readonly [name: string, content: string | Buffer, problem: string]>> = {
    'an empty file': ['a.csv', '', 'empty'],
    'a table of one endless line': ['a.csv', 'a,'.repeat(previewBytes), 'longLine'],
    'a compressed table of one endless line': ['a.csv.gz', gzipSync('a,'.repeat(10_000_000)), 'longLine'],
    'a file that is no text': ['a.csv', Buffer.from([1, 0, 2, 10]), 'notText'],
    'a file that is not compressed': ['a.csv.gz', csv, 'damaged'],
    'a table whose header is long': ['a.vcf', `${'##contig=<ID=1>\n'.repeat(20_000)}#CHROM\n`, 'longHeader'],
    'a first read of one endless line': ['a.fastq', `@r1\n${'A'.repeat(300_000)}\n`, 'longLine'],
    'a file without sequences': ['a.fa', 'ACGT\n', 'noRecords'],
    'a table of comments': ['a.vcf', '##fileformat=VCFv4.2\n', 'noRecords'],
    'a large JSON file': ['a.json', `[${large}]`, 'tooLarge'],
    'a deep JSON file': ['a.json', '['.repeat(5_000) + ']'.repeat(5_000), 'tooLarge'],
    'a file that is no JSON': ['a.json', '{', 'notJson'],
  };
  for (const [what, [name, content, problem]] of Object.entries(problems)) {
    it(`says so of ${what}`, async () => {
      assert.deepEqual(await preview(name, content), { kind: 'problem', problem });
    });
  }

  it('unpacks only the beginning of a file that would fill the memory', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000, 'id,name\n'));
    const before = process.memoryUsage().arrayBuffers;
    const { kind } = await preview('a.csv.gz', bomb);
    assert.equal(kind, 'table');
    assert.ok(process.memoryUsage().arrayBuffers - before < 20_000_000);
  });

  it('shows the rows before the damage, and no row that is cut off', async () => {
    const cut = Buffer.from(`id,name\n1,x\n2,"${'y\n'.repeat(previewBytes)}"\n`);
    const table = await readRows('a.csv', cut);
    assert.deepEqual(table.rows[0], ['1', 'x']);
    const packed = gzipSync(Array.from({ length: 50_000 }, (_, index) => `${index},${Math.sqrt(index)}\n`).join(''));
    const damaged = await preview('a.csv.gz', Buffer.concat([packed.subarray(0, packed.length / 2), Buffer.alloc(99)]));
    assert.equal(damaged.kind, 'table');
  });

  it('has short cells and a limited number of columns', async () => {
    const wide = Array.from({ length: 200 }, () => 'w'.repeat(400)).join(',');
    const table = await readRows('a.csv', `${wide}\n${wide}\n`);
    assert.deepEqual([table.rows[0]?.length, table.rows[0]?.[0]?.length], [50, 201]);
  });

  it('exists for the names of these formats only', () => {
    const kinds = {
      'a.csv': 'table',
      'b.tsv.gz': 'tabs',
      'c.vcf.bgz': 'tabs',
      'd.GTF': 'features',
      'e.fna': 'fasta',
      'f.fq.gz': 'fastq',
      'g.ipynb': 'json',
      'h.parquet': 'parquet',
      'i.PNG': 'image',
      'j.jpeg': 'image',
      'k.gif': 'image',
      'l.webp': 'image',
      csv: undefined,
      'm.bam': undefined,
      'n.svg': undefined,
      'o.tiff': undefined,
      'p.png.gz': undefined,
    };
    const names = Object.keys(kinds);
    assert.deepEqual(Object.fromEntries(names.map((name) => [name, findPreviewKind(name)])), kinds);
  });
});
