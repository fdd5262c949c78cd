import assert from 'node:assert/strict';
import fc from 'fast-check';
import { unpackBytes } from '../../../src/core/util/unpackBytes.ts';
import { unpackSnappy } from '../../../src/core/util/unpackSnappy.ts';

type Element = { readonly literal: Uint8Array } | { readonly distance: number; readonly length: number };

function writeSize(size: number): Buffer {
  const bytes = [];
  let rest = size;
  for (; rest > 127; rest >>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

function writeLiteral(literal: Uint8Array): Buffer {
  const code = literal.length - 1;
  const head = code < 60 ? [code << 2] : code < 256 ? [60 << 2, code] : [61 << 2, code & 255, code >> 8];
  return Buffer.concat([Buffer.from(head), literal]);
}

function writeCopy(distance: number, length: number): Buffer {
  if (length >= 4 && length <= 11 && distance < 2048)
    return Buffer.from([1 | ((length - 4) << 2) | ((distance >> 8) << 5), distance & 255]);
  if (distance < 65_536) return Buffer.from([2 | ((length - 1) << 2), distance & 255, distance >> 8]);
  return Buffer.from([3 | ((length - 1) << 2), distance & 255, (distance >> 8) & 255, distance >> 16, 0]);
}

/** Returns the bytes of elements, and a block with these elements. */
function pack(elements: readonly Element[]): { readonly bytes: Buffer; readonly block: Buffer } {
  const bytes: number[] = [];
  const parts: Buffer[] = [];
  for (const element of elements) {
    if ('literal' in element) {
      bytes.push(...element.literal);
      parts.push(writeLiteral(element.literal));
    } else if (bytes.length > 0) {
      const distance = 1 + (element.distance % bytes.length);
      for (let count = 0; count < element.length; count++) bytes.push(bytes.at(-distance) ?? 0);
      parts.push(writeCopy(distance, element.length));
    }
  }
  return { bytes: Buffer.from(bytes), block: Buffer.concat([writeSize(bytes.length), ...parts]) };
}

const blocks = fc
  .array(
    fc.oneof(
      fc.record({ literal: fc.uint8Array({ minLength: 1, maxLength: 400 }) }),
      fc.record({ distance: fc.nat(5000), length: fc.integer({ min: 1, max: 64 }) }),
    ),
    { maxLength: 40 },
  )
  .map(pack);

describe('A block of Snappy', () => {
  it('is unpacked, whatever its literals and copies', () => {
    fc.assert(
      fc.property(blocks, ({ bytes, block }) => {
        assert.deepEqual(Buffer.from(unpackSnappy(block, bytes.length, true)), bytes);
        assert.deepEqual(unpackBytes(block, 'SNAPPY', bytes.length, true), Uint8Array.from(bytes));
      }),
    );
  });

  it('may copy bytes from far, and repeat the last ones', () => {
    const far = { literal: Uint8Array.from({ length: 60_000 }, (_, index) => index % 251) };
    const { bytes, block } = pack([far, far, { distance: 70_000, length: 64 }, { distance: 0, length: 60 }]);
    assert.deepEqual(Buffer.from(unpackSnappy(block, 1_000_000, true)), bytes);
  });

  it('is refused if it is cut off or has more bytes than are allowed', () => {
    fc.assert(
      fc.property(blocks, fc.nat(), ({ bytes, block }, at) => {
        assert.throws(() => unpackSnappy(block.subarray(0, at % block.length), bytes.length, true), RangeError);
        if (bytes.length > 0) assert.throws(() => unpackSnappy(block, bytes.length - 1, true), RangeError);
      }),
    );
  });

  it('is refused or has as many bytes as it declares if it is damaged', () => {
    fc.assert(
      fc.property(blocks, fc.nat(), fc.nat(255), ({ bytes, block }, at, value) => {
        const damaged = Buffer.from(block);
        const first = writeSize(bytes.length).length;
        if (block.length > first) damaged[first + (at % (block.length - first))] = value;
        try {
          assert.equal(unpackSnappy(damaged, bytes.length, true).length, bytes.length);
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
        }
      }),
    );
  });

  const refused: Readonly<Record<string, readonly number[]>> = {
    'has no size': [],
    'has a size of too many digits': [0x80, 0x80, 0x80, 0x80, 0x80, 0],
    'has a literal beyond its end': [5, 4 << 2, 1],
    'has a literal beyond its size': [1, 1 << 2, 1, 2],
    'copies from before its start': [6, 0, 1, 1, 2],
    'copies from nowhere': [6, 0, 1, 1, 0],
    'copies beyond its size': [3, 0, 1, 1, 1],
    'has bytes after its end': [1, 0, 1, 0],
  };
  for (const [problem, block] of Object.entries(refused)) {
    it(`is refused if it ${problem}`, () => {
      assert.throws(() => unpackSnappy(Uint8Array.from(block), 100, true), RangeError);
    });
  }
});

describe('The beginning of a block of Snappy', () => {
  it('has the beginning of the bytes, wherever it ends', () => {
    fc.assert(
      fc.property(blocks, fc.nat(), fc.nat(), ({ bytes, block }, at, max) => {
        const part = block.subarray(0, at % (block.length + 1));
        const unpacked = unpackSnappy(part, max, false);
        assert.deepEqual(Buffer.from(unpacked), bytes.subarray(0, unpacked.length));
        assert.ok(unpacked.length <= max);
      }),
    );
  });

  it('has all bytes of its complete elements, and those of a literal that are there', () => {
    // "abcd", then 6 bytes from 4 before, then 70 bytes from 1 before, with numbers of all sizes.
    const block = Buffer.from([80, 12, ...Buffer.from('abcd'), 9, 4, 0xfe, 1, 0, 0x17, 1, 0, 0, 0]);
    const lengths = [0, 0, 0, 1, 2, 3, 4, 4, 10, 10, 10, 74, 74, 74, 74, 74, 80];
    const whole = `abcdabcdab${'b'.repeat(70)}`;
    for (const [end, length] of lengths.entries())
      assert.equal(
        Buffer.from(unpackSnappy(block.subarray(0, end), 80, false)).toString(),
        whole.slice(0, length),
        `${end} bytes`,
      );
    assert.equal(Buffer.from(unpackSnappy(block, 12, false)).toString(), whole.slice(0, 12));
  });

  it('is refused if it copies bytes from before its start', () => {
    for (const block of [
      [6, 0, 1, 1, 2],
      [6, 0, 1, 1, 0],
    ])
      assert.throws(() => unpackSnappy(Uint8Array.from(block), 6, false), RangeError);
  });
});
