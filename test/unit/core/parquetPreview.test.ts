import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as zlib from 'node:zlib';
import { createParquetPreview, maxParquetBytes } from '../../../src/core/tables/parquetPreview.ts';
import { CountedSource, readParquet, writeSparseParquet } from '../../support/parquetFiles.ts';

async function preview(content: Buffer) {
  const source = new CountedSource(content);
  const result = await createParquetPreview(source);
  assert.ok(source.bytesRead <= maxParquetBytes, `${source.bytesRead} bytes were read`);
  return result;
}

async function readRows(name: string) {
  const { kind, ...rest } = await preview(readParquet(name));
  assert.equal(kind, 'table');
  return rest as { readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] };
}

async function readSparse(name: 'large-rows' | 'default'): Promise<Buffer> {
  const path = join(mkdtempSync(join(tmpdir(), 'parquet-')), 'large.parquet');
  await writeSparseParquet(name, path);
  const content = readFileSync(path);
  rmSync(dirname(path), { recursive: true });
  return content;
}

/** Returns a Parquet file with another footer. */
function withFooter(content: Buffer, footer: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([
    content.subarray(0, content.length - getFooterBytes(content)),
    footer,
    length,
    Buffer.from('PAR1'),
  ]);
}

function getFooterBytes(content: Buffer): number {
  return content.readUInt32LE(content.length - 8) + 8;
}

describe('The preview of a Parquet file', () => {
  const second = [
    ...['9007199254740994', '18446744073709551614', 'name1', '0.1', 'false', '2020-02-29'],
    ...['1969-12-31T23:59:59.123456', '2020-09-13T12:26:40.000000002Z', '01:02:03.000004'],
    ...['-12345678901234567889.05', '0100ff'],
  ];
  const hasZstd = 'zstdDecompressSync' in zlib;

  for (const name of ['snappy', 'brotli-pages2', ...(hasZstd ? ['zstd-encoded'] : [])]) {
    it(`shows numbers, dates and bytes exactly (${name})`, async () => {
      const { header, rows } = await readRows(name);
      const names = ['int64', 'uint64', 'text', 'float', 'flag', 'date', 'local', 'utc', 'time', 'decimal', 'bytes'];
      assert.deepEqual(header, names);
      assert.equal(rows.length, 20);
      assert.deepEqual(rows[1], second);
      assert.equal(rows[7]?.[2], '');
    });
  }

  it('shows nested values as JSON (nested-gzip)', async () => {
    const { header, rows } = await readRows('nested-gzip');
    assert.deepEqual(header, ['list', 'struct', 'map', 'lists']);
    assert.deepEqual(rows[0], ['', '', '{"k":0,"m":null}', '[[1,0],[]]']);
    assert.deepEqual(rows[1], [
      '[1,null]',
      '{"x":1152921504606846977,"y":{"z":"\\"1\\""}}',
      '{"k":1,"m":null}',
      '[[1,1],[]]',
    ]);
    assert.equal(rows[4]?.[0], '[]');
  });

  it('begins with the first row group that has rows', async () => {
    const { rows } = await readRows('empty-group');
    assert.deepEqual(rows[1], ['9007199254740994', 'name1']);
  });

  it('is the columns if their compression is not supported', async () => {
    assert.deepEqual(await preview(readParquet('lz4')), {
      kind: 'schema',
      problem: 'rowsCompressed',
      rows: [['int64', 'INT64']],
    });
  });

  it('is the columns if the first rows are too large', async () => {
    assert.deepEqual(await preview(await readSparse('large-rows')), {
      kind: 'schema',
      problem: 'rowsTooLarge',
      rows: [['image', 'BYTE_ARRAY']],
    });
  });

  it('reads only the beginnings of pages and dictionaries that are large, and leaves out columns', async () => {
    const source = new CountedSource(await readSparse('default'));
    const table = await createParquetPreview(source);
    assert.ok(table.kind === 'table');
    assert.deepEqual(table.header, ['value', 'id', 'group', 'nullable', 'list', 'last']);
    assert.deepEqual(table.largeColumns, ['last']);
    assert.equal(table.rows.length, 20);
    for (const [row, cells] of table.rows.entries()) {
      const nullable = row % 3 === 0 ? '' : String(row);
      const list = row % 4 === 0 ? '[]' : `[${row},${row + 1}]`;
      const id = `ID${String(row).padStart(8, '0')}`;
      assert.deepEqual(cells, [String(row * 0.25), id, 'cba'.charAt(row % 3), nullable, list, '…']);
    }
    assert.ok(source.bytesRead <= maxParquetBytes, `${source.bytesRead} bytes were read`);
    assert.ok(source.reads <= 20, `there were ${source.reads} reads`);
  });

  it('is the columns if the rows are damaged', async () => {
    const content = readParquet('snappy');
    const start = content.length - getFooterBytes(content);
    const zeros = Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(start - 4), content.subarray(start)]);
    const damaged = await preview(zeros);
    assert.ok(damaged.kind === 'schema');
    assert.deepEqual([damaged.problem, damaged.rows[0]], ['rowsDamaged', ['int64', 'INT64']]);
  });

  it('is a problem if the footer is cut off, lies about its length, or is of another format', async () => {
    const content = readParquet('snappy');
    const cut = content.subarray(0, -20);
    const lying = Buffer.from(content);
    lying.writeUInt32LE(0xffff_fff0, lying.length - 8);
    const notThrift = withFooter(content, Buffer.alloc(500, 0xff));
    // A list that claims 2^31 lists, each of which does too.
    const nestedLists = withFooter(
      content,
      Buffer.from([0x29, ...Array.from({ length: 60 }, () => [0xf9, 0xff, 0xff, 0xff, 0xff, 7]).flat(), 0]),
    );
    for (const one of [
      cut,
      lying,
      notThrift,
      nestedLists,
      Buffer.from('PAR1PAR1'),
      Buffer.alloc(0),
      Buffer.alloc(5_000_000),
    ])
      assert.deepEqual(await preview(one), { kind: 'problem', problem: 'notParquet' });
  });

  it('is a problem if the footer is too long, as with 10,000 columns or 100 MB of metadata', async () => {
    const content = readParquet('snappy');
    for (const bytes of [300_000, 100_000_000]) {
      const long = withFooter(content, Buffer.alloc(bytes));
      assert.deepEqual(await preview(long), { kind: 'problem', problem: 'longHeader' });
    }
  });

  it('ends whatever its pages claim', async () => {
    const content = readParquet('snappy');
    const end = content.length - getFooterBytes(content);
    const kinds = new Set<string>();
    for (let offset = 4; offset < end; offset += 3) {
      const lying = Buffer.from(content);
      lying.fill(0xff, offset, Math.min(offset + 5, end));
      kinds.add((await preview(lying)).kind);
    }
    assert.deepEqual([...kinds].sort(), ['schema', 'table']);
  });

  it('rejects if the file cannot be read', async () => {
    const source = { totalBytes: 5000, read: () => Promise.reject(new Error('no longer there')) };
    await assert.rejects(createParquetPreview(source), /no longer there/);
  });
});
