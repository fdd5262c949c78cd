import { crc32, deflateSync } from 'node:zlib';

/** Creates a valid image of one color with a width and a height in pixels. */
type CreateImage = (width: number, height: number) => Buffer;

/** Returns the color of a pixel as 0xRRGGBBAA. */
type PaintPixel = (x: number, y: number) => number;

/** Creates a PNG, whose header states other sizes than the real ones if they are given. It is transparent, or painted. */
export function createPng(width: number, height: number, stated = { width, height }, paint?: PaintPixel): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0]);
  header.writeUInt32BE(stated.width, 0);
  header.writeUInt32BE(stated.height, 4);
  const pixels = Buffer.alloc((1 + 4 * width) * height);
  for (let y = 0; paint && y < height; y++)
    for (let x = 0; x < width; x++) pixels.writeUInt32BE(paint(x, y), (1 + 4 * width) * y + 1 + 4 * x);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    createPngChunk('IHDR', header),
    createPngChunk('IDAT', deflateSync(pixels)),
    createPngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function createPngChunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const chunk = Buffer.alloc(typed.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  typed.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(typed), typed.length + 4);
  return chunk;
}

/** Creates a baseline JPEG with Huffman tables of one code each: every block of 8 by 8 pixels is two zero bits. */
export function createJpeg(width: number, height: number): Buffer {
  const [h, w] = [Buffer.alloc(2), Buffer.alloc(2)];
  h.writeUInt16BE(height);
  w.writeUInt16BE(width);
  const oneCode = [1, ...Array.from({ length: 15 }, () => 0), 0];
  const bits = Math.ceil(width / 8) * Math.ceil(height / 8) * 2;
  const scan = Buffer.alloc(Math.ceil(bits / 8));
  if (bits % 8 !== 0) scan[scan.length - 1] = 0xff >> (bits % 8);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    // A comment, and a fill byte before the next marker.
    Buffer.from([0xff, 0xfe, 0, 6, 0xff, 0xc0, 0, 9, 0xff]),
    Buffer.from([0xff, 0xdb, 0, 67, 0, ...Array.from({ length: 64 }, () => 1)]),
    Buffer.from([0xff, 0xc0, 0, 11, 8, ...h, ...w, 1, 1, 0x11, 0]),
    Buffer.from([0xff, 0xc4, 0, 20, 0, ...oneCode, 0xff, 0xc4, 0, 20, 0x10, ...oneCode]),
    Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]),
    scan,
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** Creates a GIF with `frames` frames, which are shown for 0.1 s each, forever. Its screen may be smaller than its frames. */
export function createGif(width: number, height: number, frames = 1, screen = { width, height }): Buffer {
  const colors = [255, 0, 0, 0, 0, 255];
  return Buffer.concat([
    Buffer.from('GIF89a'),
    toLittleEndian(screen.width, screen.height),
    Buffer.from([0x80, 0, 0, ...colors]),
    Buffer.from([0x21, 0xff, 11, ...Buffer.from('NETSCAPE2.0'), 3, 1, 0, 0, 0]),
    ...Array.from({ length: frames }, (_, index) => createGifFrame(width, height, index % 2)),
    Buffer.from([0x3b]),
  ]);
}

function createGifFrame(width: number, height: number, color: number): Buffer {
  // A code for clearing the table before each pixel keeps all codes at three bits.
  const codes = [...Array.from({ length: width * height }, () => [4, color]).flat(), 5];
  const data = packBits(codes.map((code) => [code, 3]));
  const blocks = [];
  for (let start = 0; start < data.length; start += 255) {
    const block = data.subarray(start, start + 255);
    blocks.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([
    Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c]),
    toLittleEndian(0, 0, width, height),
    Buffer.from([0, 2]),
    ...blocks,
    Buffer.from([0]),
  ]);
}

function toLittleEndian(...numbers: readonly number[]): Buffer {
  return Buffer.from(Uint16Array.from(numbers).buffer);
}

/** Creates a lossless WebP whose prefix codes have one symbol each, so that its pixels need no bits. */
export function createWebp(width: number, height: number): Buffer {
  const symbol = [
    [1, 1],
    [0, 1],
    [1, 1],
    [0x80, 8],
  ];
  const distance = [
    [1, 1],
    [0, 1],
    [0, 1],
    [0, 1],
  ];
  const bits = [[width - 1, 14], [height - 1, 14], [0, 1], [0, 3], [0, 3], ...symbol, ...symbol, ...symbol, ...symbol];
  const data = Buffer.concat([Buffer.from([0x2f]), packBits([...bits, ...distance])]);
  return wrapWebp(createWebpChunk('VP8L', data));
}

/** Creates the beginning of a WebP with the header of the extended format, which has animations. */
export function createExtendedWebp(width: number, height: number): Buffer {
  const bits = [
    [0, 32],
    [width - 1, 24],
    [height - 1, 24],
  ];
  return wrapWebp(createWebpChunk('VP8X', packBits(bits)));
}

/** Creates the beginning of a lossy WebP. */
export function createLossyWebp(width: number, height: number): Buffer {
  return wrapWebp(createWebpChunk('VP8 ', Buffer.from([0, 0, 0, 0x9d, 1, 0x2a, ...toLittleEndian(width, height)])));
}

function createWebpChunk(type: string, data: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(type), size, data, Buffer.alloc(data.length % 2)]);
}

function wrapWebp(chunk: Buffer): Buffer {
  return createWebpChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), chunk]));
}

/** Packs numbers, each with its count of bits, from the lowest bit on. */
function packBits(numbers: readonly (readonly number[])[]): Buffer {
  const bits = numbers.flatMap(([value = 0, count = 0]) =>
    Array.from({ length: count }, (_, bit) => Math.floor(value / 2 ** bit) % 2),
  );
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries()) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (bit << (index & 7));
  return bytes;
}

/** Creates images of each type that pages show, by media type. */
export const createImages = {
  'image/png': createPng,
  'image/jpeg': createJpeg,
  'image/gif': createGif,
  'image/webp': createWebp,
} satisfies Readonly<Record<string, CreateImage>>;
