import assert from 'node:assert/strict';
import * as zlib from 'node:zlib';
import { createParquetPreview, maxParquetBytes, type ParquetPreview } from '../../../src/core/tables/parquetPreview.ts';
import { PageUnpacker, WorkLimit } from '../../../src/core/tables/parquetUnpack.ts';
import { CountedSource } from '../../support/parquetFiles.ts';
import {
  writeBytes,
  writeInteger,
  writeLevels,
  writeNumbers,
  writeParquet,
  writeStruct,
  writeVarint,
  type SchemaEntry,
  type WrittenColumn,
  type WrittenPage,
} from '../../support/parquetWriter.ts';

const [int32, bytes] = [1, 6];
const [required, optional, repeated] = [0, 1, 2];
const [text, map, list] = [0, 1, 3];
const root = (children: number): SchemaEntry => ({ name: 'schema', children });
const number = (name: string): SchemaEntry => ({ name, type: int32, repetition: required });

async function preview(content: Buffer): Promise<ParquetPreview> {
  return await createParquetPreview(new CountedSource(content));
}

async function readRows(content: Buffer): Promise<readonly (readonly string[])[]> {
  const result = await preview(content);
  assert.equal(result.kind, 'table');
  return result.rows;
}

async function findProblem(content: Buffer): Promise<string> {
  const result = await preview(content);
  assert.equal(result.kind, 'schema');
  return result.problem;
}

describe('The differences of numbers in a Parquet file', () => {
  const [numbers, lengths] = [5, 6];

  /** Returns a file with three numbers, or with three texts of the same length. */
  function write(block: number, parts: number, encoding = numbers): Buffer {
    const head = Buffer.concat([writeVarint(block), writeVarint(parts), writeVarint(3), writeVarint(2)]);
    const content = Buffer.concat([head, Buffer.from([0]), Buffer.alloc(parts), Buffer.from('abc')]);
    const type = encoding === numbers ? int32 : bytes;
    const x = { name: 'x', type, repetition: required };
    return writeParquet([root(1), x], [{ type, path: ['x'], content, encoding }], 3);
  }

  it('are read', async () => {
    assert.deepEqual(await readRows(write(128, 4)), [['1'], ['1'], ['1']]);
    assert.deepEqual(await readRows(write(128, 4, lengths)), [['61'], ['62'], ['63']]);
  });

  it('are damaged if their blocks have more values than are allowed, or parts of another size', async () => {
    for (const encoding of [numbers, lengths])
      for (const [block, parts] of [
        [2 ** 21, 4],
        [2 ** 20, 8192],
        [120, 4],
        [128, 3],
      ] as const)
        assert.equal(await findProblem(write(block, parts, encoding)), 'rowsDamaged', `${block} / ${parts}`);
  });
});

describe('Repeated values in a Parquet file', () => {
  const schema = [root(1), { name: 'x', type: int32, repetition: repeated }];

  /** Returns a file whose rows are lists with these lengths of the number 5. */
  function write(...lengths: readonly number[]): Buffer {
    const repetitions = lengths
      .flatMap(
        (length) =>
          [
            [1, 0],
            [length - 1, 1],
          ] as const,
      )
      .filter(([count]) => count > 0);
    const count = lengths.reduce((sum, length) => sum + length, 0);
    const content = Buffer.concat([writeLevels(...repetitions), writeLevels([count, 1]), Buffer.from([0])]);
    const column: WrittenColumn = {
      type: int32,
      path: ['x'],
      content,
      count,
      encoding: 8,
      dictionary: writeNumbers([5]),
    };
    return writeParquet(schema, [column], lengths.length);
  }

  for (const rows of [1, 19, 20, 21, 22])
    it(`are complete in each of the first rows of ${rows}`, async () => {
      const shown = await readRows(write(...Array.from({ length: rows }, (_, row) => 1 + (row % 3))));
      const expected = Array.from(
        { length: Math.min(rows, 20) },
        (_, row) =>
          `[${Array(1 + (row % 3))
            .fill(5)
            .join(',')}]`,
      );
      assert.deepEqual(shown.flat(), expected);
    });

  it('are not converted after the rows that are shown, and are too large if these have too many', async () => {
    assert.equal((await readRows(write(...Array<number>(20).fill(2), 150_000))).length, 20);
    assert.equal(await findProblem(write(100_001)), 'rowsTooLarge');
  });

  it('are too large if the rows that are shown have too many missing ones', async () => {
    const schema = [
      root(1),
      { name: 'x', repetition: optional, children: 1, converted: list },
      { name: 'list', repetition: repeated, children: 1 },
      { name: 'element', type: int32, repetition: optional },
    ];
    const writeMissing = (count: number): Buffer => {
      const content = Buffer.concat([writeLevels([1, 0], [count - 1, 1]), writeLevels([count, 2])]);
      return writeParquet(schema, [{ type: int32, path: ['x', 'list', 'element'], content, count }], 1);
    };
    assert.deepEqual(await readRows(writeMissing(3)), [['[null,null,null]']]);
    assert.equal(await findProblem(writeMissing(100_001)), 'rowsTooLarge');
  });
});

describe('The pages of a column of a Parquet file', () => {
  const writeLists = (...lists: readonly (readonly number[])[]): WrittenPage => {
    const levels = lists.flatMap((list) => list.map((_, index) => [1, index === 0 ? 0 : 1] as const));
    return writeListPage(levels, lists.flat());
  };
  const writeListPage = (levels: readonly (readonly [number, number])[], values: readonly number[]): WrittenPage => ({
    content: Buffer.concat([writeLevels(...levels), writeLevels([values.length, 1]), writeNumbers(values)]),
    count: values.length,
  });

  it('are too large if a page begins within a list that has no group around it', async () => {
    const schema = [root(2), { name: 'x', type: int32, repetition: repeated }, number('y')];
    const y = { type: int32, path: ['y'], content: writeNumbers([7, 8, 9]) };
    const write = (...[first, ...morePages]: readonly WrittenPage[]): Buffer => {
      assert.ok(first);
      return writeParquet(schema, [{ ...first, type: int32, path: ['x'], morePages }, y], 3);
    };
    const whole = await preview(write(writeLists([1, 2, 3, 4]), writeLists([5]), writeLists([6])));
    assert.deepEqual(whole, {
      kind: 'table',
      header: ['x', 'y'],
      rows: [
        ['[1,2,3,4]', '7'],
        ['[5]', '8'],
        ['[6]', '9'],
      ],
      largeColumns: [],
    });
    const cut = await preview(
      write(writeLists([1, 2]), writeListPage([[2, 1]], [3, 4]), writeLists([5]), writeLists([6])),
    );
    assert.deepEqual(cut, {
      kind: 'table',
      header: ['x', 'y'],
      rows: [
        ['…', '7'],
        ['…', '8'],
        ['…', '9'],
      ],
      largeColumns: ['x'],
    });
  });

  it('may have no values', async () => {
    const schema = [root(1), { name: 'x', type: int32, repetition: optional }];
    const empty = { content: Buffer.alloc(0), count: 0 };
    const filled = { content: Buffer.concat([writeLevels([2, 1]), writeNumbers([1, 2])]), count: 2 };
    const column = { type: int32, path: ['x'] };
    for (const [first, ...morePages] of [
      [empty, filled],
      [filled, empty],
      [empty, empty, filled],
    ]) {
      assert.ok(first);
      assert.deepEqual(await readRows(writeParquet(schema, [{ ...column, ...first, morePages }], 2)), [['1'], ['2']]);
    }
  });
});

if ('zstdCompressSync' in zlib)
  describe('Pages of a Parquet file in Zstandard', () => {
    const rows = 250_000;

    /** Returns a column whose first block has about 30 kB for each byte of its numbers that varies. */
    function write(name: string, bits: number): WrittenColumn {
      let state = bits;
      const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> (32 - bits);
      const content = writeNumbers(Array.from({ length: rows }, next));
      const packZstandard = (page: Buffer): Buffer => zlib.zstdCompressSync(page);
      return { type: int32, path: [name], content, packZstandard };
    }

    it('are read by whole blocks, first those of the columns that need least', async () => {
      const bits = [24, 24, 24, 24, 16, 16, 16, 8];
      const columns = bits.map((count, index) => write(`x${index}`, count));
      const schema = [root(bits.length), ...bits.map((_, index) => number(`x${index}`))];
      const source = new CountedSource(writeParquet(schema, columns, rows));
      const table = await createParquetPreview(source);
      assert.ok(table.kind === 'table');
      assert.deepEqual(table.largeColumns, ['x1', 'x2', 'x3']);
      const first = columns.map(({ content }) => String(content.readInt32LE(0)));
      first.splice(1, 3, '…', '…', '…');
      assert.deepEqual(table.rows[0], first);
      assert.ok(source.bytesRead <= maxParquetBytes, `${source.bytesRead} bytes were read`);
    });

    it('have blocks whose ends are found, whatever these hold', () => {
      const size = 400_000;
      const contents = [Buffer.alloc(size), Buffer.alloc(size, 'ACGTTGCA'), write('x', 31).content.subarray(0, size)];
      for (const content of [...contents, ...contents.map((one) => one.subarray(0, 100))]) {
        const packed = zlib.zstdCompressSync(content);
        const unpacker = new PageUnpacker('ZSTD', new WorkLimit());
        let end = 5;
        const ends = [end];
        const unpack = (): Uint8Array => unpacker.unpack(packed.subarray(0, end), content.length, end >= packed.length);
        while (unpack().length < content.length) {
          end = Math.min(unpacker.findNextEnd(packed.subarray(0, end)) ?? 2 * end, packed.length);
          assert.ok(end > (ends.at(-1) ?? 0), `${end} follows ${ends.join(', ')}`);
          ends.push(end);
        }
        assert.ok(ends.length <= 20, `${ends.length} parts`);
      }
    });
  });

describe('A damaged page of a Parquet file', () => {
  const size = 1_000_000;

  it('is not called too large if its header is not one', async () => {
    const content = writeParquet(
      [root(1), number('x')],
      [{ type: int32, path: ['x'], content: Buffer.alloc(size) }],
      9,
    );
    content.fill(0xff, 4, 10);
    assert.equal(await findProblem(content), 'rowsDamaged');
  });

  it('is not called too large if its levels or texts would end after it', async () => {
    const long = writeNumbers([2 ** 30]);
    const x = { name: 'x', type: bytes, repetition: optional };
    const levels = Buffer.concat([long, Buffer.alloc(size)]);
    const texts = Buffer.concat([writeLevels([9, 1]), long, Buffer.alloc(size)]);
    for (const content of [levels, texts])
      assert.equal(
        await findProblem(writeParquet([root(1), x], [{ type: bytes, path: ['x'], content }], 9)),
        'rowsDamaged',
      );
  });
});

describe('The columns of a Parquet file', () => {
  it('are without rows if several have the same name', async () => {
    const numbers = (path: readonly string[], ...values: readonly number[]): WrittenColumn => ({
      type: int32,
      path,
      content: writeNumbers(values),
    });
    const same = writeParquet([root(2), number('x'), number('x')], [numbers(['x'], 1), numbers(['x'], 2)], 1);
    assert.deepEqual(await preview(same), {
      kind: 'schema',
      problem: 'rowsNamed',
      rows: [
        ['x', 'INT32'],
        ['x', 'INT32'],
      ],
    });
    const group = { name: 'a', repetition: required, children: 1 };
    const dotted = [root(2), group, number('b'), number('a.b')];
    assert.equal(
      await findProblem(writeParquet(dotted, [numbers(['a', 'b'], 1), numbers(['a.b'], 2)], 1)),
      'rowsNamed',
    );
  });

  it('may have decimals with only the newer annotation', async () => {
    const logical = writeStruct({ 5: writeStruct({ 1: writeInteger(2), 2: writeInteger(9) }) });
    const column = { type: int32, path: ['x'], content: writeNumbers([150]) };
    assert.deepEqual(await readRows(writeParquet([root(1), { ...number('x'), logical }], [column], 1)), [['1.50']]);
  });
});

describe('The maps of a Parquet file', () => {
  /** Returns a file with a row, which is a map. */
  function write(names: readonly [string, string], keys: readonly string[]): Buffer {
    const count = keys.length;
    const repetitions = [
      [1, 0],
      [count - 1, 1],
    ] as const;
    const levels = Buffer.concat([writeLevels(...repetitions.filter(([run]) => run > 0)), writeLevels([count, 2])]);
    const schema = [
      root(1),
      { name: 'm', repetition: optional, children: 1, converted: map },
      { name: 'entries', repetition: repeated, children: 2 },
      { name: names[0], type: bytes, repetition: required, converted: text },
      number(names[1]),
    ];
    const contents = [Buffer.concat(keys.map(writeBytes)), writeNumbers(keys.map((_, index) => index))];
    const columns = contents.map((content, index) => ({
      type: index === 0 ? bytes : int32,
      path: ['m', 'entries', names[index] ?? ''],
      content: Buffer.concat([levels, content]),
      count,
    }));
    return writeParquet(schema, columns, 1);
  }

  it('are shown by their keys', async () => {
    assert.deepEqual(await readRows(write(['key', 'value'], ['a', 'b'])), [['{"a":0,"b":1}']]);
  });

  it('are lists of entries if these have other names', async () => {
    const entries = '{"entries":[{"keys":"a","values":0},{"keys":"b","values":1}]}';
    assert.deepEqual(await readRows(write(['keys', 'values'], ['a', 'b'])), [[entries]]);
  });

  it('are lists of entries if a key could not name one', async () => {
    const same = '{"entries":[{"key":"a","value":0},{"key":"a","value":1}]}';
    assert.deepEqual(await readRows(write(['key', 'value'], ['a', 'a'])), [[same]]);
    assert.deepEqual(await readRows(write(['key', 'value'], ['__proto__'])), [
      ['{"entries":[{"key":"__proto__","value":0}]}'],
    ]);
  });
});

describe('A Parquet file that was shortened', () => {
  it('is not valid', async () => {
    const read = (): Promise<Uint8Array> => Promise.resolve(new Uint8Array(10));
    assert.deepEqual(await createParquetPreview({ totalBytes: 5000, read }), {
      kind: 'problem',
      problem: 'notParquet',
    });
  });
});
