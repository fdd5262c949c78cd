import assert from 'node:assert/strict';
import * as zlib from 'node:zlib';
import { parquetMetadata, parquetSchema } from 'hyparquet/src/metadata.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import { ColumnPages, readPageHeader, type PagePart } from '../../../src/core/tables/parquetPages.ts';
import { WorkLimit } from '../../../src/core/tables/parquetUnpack.ts';
import { readParquet } from '../../support/parquetFiles.ts';

interface Column {
  readonly name: string;
  readonly create: (maxRows: number, work?: WorkLimit) => ColumnPages;
  readonly dictionary: PagePart | undefined;
  readonly page: PagePart;
}

function readColumns(name: string): readonly Column[] {
  const file = Uint8Array.from(readParquet(name));
  const metadata = parquetMetadata(file.buffer, { geoparquet: false });
  const root = parquetSchema(metadata);
  const readPage = (offset: number): PagePart & { readonly end: number } => {
    const { header, headerBytes } = readPageHeader(new DataView(file.buffer, offset));
    const end = offset + headerBytes + header.compressed_page_size;
    return { header, bytes: file.subarray(offset + headerBytes, end), end };
  };
  return (metadata.row_groups[0]?.columns ?? []).map(({ meta_data: chunk }) => {
    assert.ok(chunk);
    const { dictionary_page_offset: offset, data_page_offset: data, codec, path_in_schema: path } = chunk;
    const create: Column['create'] = (rows, work = new WorkLimit()) =>
      new ColumnPages(getTreePath(root, path), codec, rows, work);
    const dictionary = offset === undefined ? undefined : readPage(Number(offset));
    return { name: path.join('.'), create, dictionary, page: readPage(Number(data)) };
  });
}

function cutPage({ header, bytes }: PagePart, length: number): PagePart {
  return { header, bytes: bytes.subarray(0, length) };
}

const maxRows = 5;
const names = ['snappy', 'brotli-pages2', 'nested-gzip', ...('zstdDecompressSync' in zlib ? ['zstd-encoded'] : [])];

describe('A part of a page of a Parquet file', () => {
  for (const name of names) {
    it(`has the same first rows as the page, or none, wherever it ends (${name})`, () => {
      const outcomes = new Set<string | undefined>();
      for (const { name: column, create, dictionary, page } of readColumns(name)) {
        const whole = create(maxRows);
        assert.equal(whole.add(page, dictionary), undefined);
        const expected = whole.rows.slice(0, maxRows);
        assert.equal(expected.length, maxRows);
        const addParts = (part: PagePart, words: PagePart | undefined): void => {
          const pages = create(maxRows);
          const missing = pages.add(part, words);
          outcomes.add(missing);
          assert.deepEqual(pages.rows.slice(0, maxRows), missing ? [] : expected, column);
        };
        for (let length = 0; length < page.bytes.length; length++) addParts(cutPage(page, length), dictionary);
        for (let length = 0; length < (dictionary?.bytes.length ?? 0); length++)
          addParts(page, dictionary && cutPage(dictionary, length));
      }
      const hasDictionary = name !== 'zstd-encoded';
      assert.deepEqual(outcomes, new Set(['page', undefined, ...(hasDictionary ? ['dictionary'] : [])]));
    });
  }
});

describe('The pages of a Parquet file', () => {
  it('are too large if all that were unpacked claim too much together', () => {
    const [column] = readColumns('snappy');
    assert.ok(column);
    const { page, dictionary, create } = column;
    const work = new WorkLimit();
    assert.equal(create(maxRows, work).add(page, dictionary), undefined);
    work.take(2 ** 28 - 10_000);
    assert.throws(
      () => {
        for (let count = 0; count < 1000; count++) create(maxRows, work).add(page, dictionary);
      },
      { problem: 'rowsTooLarge' },
    );
  });

  it('are damaged if a page with values has no header for them', () => {
    const [column] = readColumns('snappy');
    assert.ok(column);
    const { page, dictionary, create } = column;
    const header = { ...page.header };
    delete header.data_page_header;
    const add = (): unknown => create(maxRows).add({ header, bytes: page.bytes }, dictionary);
    assert.throws(add, { problem: 'rowsDamaged' });
  });
});
