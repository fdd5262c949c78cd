import type { RangeSource } from './parquetBytes.ts';

/** The media types of the images that a page can show. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

interface ImageHeader {
  readonly type: ImageType;
  readonly width: number;
  readonly height: number;
}

/**
 * An image, whose type its first bytes determine, and whose header states its size in pixels; what follows may be
 * damaged. Or why it isn't shown: the file is larger than {@link maxImageBytes} (`large`), or the image has too many
 * pixels to be decoded (`vast`).
 */
export type ImagePreview =
  | { readonly kind: 'image'; readonly header: ImageHeader; readonly bytes: Uint8Array }
  | { readonly kind: 'large' }
  | { readonly kind: 'vast'; readonly header: ImageHeader }
  | { readonly kind: 'problem'; readonly problem: 'notImage' | 'damagedImage' };

/** Maximum number of bytes of an image that is read. */
export const maxImageBytes = 512_000;

// Decoded, an image has four bytes a pixel.
const maxPixels = 40_000_000;
const maxSide = 16_384;

/** Reads an image, but none of more than {@link maxImageBytes}. Rejects only if the source does. */
export async function createImagePreview(source: RangeSource): Promise<ImagePreview> {
  const { totalBytes } = source;
  if (totalBytes > maxImageBytes) return { kind: 'large' };
  if (totalBytes === 0) return { kind: 'problem', problem: 'damagedImage' };
  const bytes = await source.read(0, totalBytes);
  const header = readHeader(bytes);
  if (typeof header === 'string') return { kind: 'problem', problem: header };
  const { width, height } = header;
  const isVast = width > maxSide || height > maxSide || width * height > maxPixels;
  return isVast ? { kind: 'vast', header } : { kind: 'image', header, bytes };
}

type Size = readonly [width: number, height: number];

interface ImageFormat {
  readonly type: ImageType;
  readonly signature: RegExp;
  // Throws a RangeError if the header ends early.
  readonly readSize: (view: DataView) => Size;
}

const formats: readonly ImageFormat[] = [
  { type: 'image/png', signature: /^\x89PNG[^]{8}IHDR/, readSize: (view) => [view.getUint32(16), view.getUint32(20)] },
  { type: 'image/jpeg', signature: /^\xff\xd8\xff/, readSize: readJpegSize },
  { type: 'image/gif', signature: /^GIF8[79]a/, readSize: readGifSize },
  { type: 'image/webp', signature: /^RIFF[^]{4}WEBPVP8[ LX]/, readSize: readWebpSize },
];

function readHeader(bytes: Uint8Array): ImageHeader | 'notImage' | 'damagedImage' {
  const start = String.fromCharCode(...bytes.subarray(0, 16));
  const format = formats.find(({ signature }) => signature.test(start));
  if (!format) return 'notImage';
  try {
    const [width, height] = format.readSize(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return width > 0 && height > 0 ? { type: format.type, width, height } : 'damagedImage';
  } catch (error) {
    if (error instanceof RangeError) return 'damagedImage';
    throw error;
  }
}

function readJpegSize(view: DataView): Size {
  for (let offset = 2; ;) {
    const marker = view.getUint8(offset + 1);
    // As decoders do, skips what isn't a marker.
    if (view.getUint8(offset) !== 0xff || marker === 0 || marker === 0xff) offset += 1;
    else if (isFrame(marker)) return [view.getUint16(offset + 7), view.getUint16(offset + 5)];
    else if (marker === 0xd9 || marker === 0xda) throw new RangeError('no frame');
    else offset += hasLength(marker) ? 2 + view.getUint16(offset + 2) : 2;
  }
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function hasLength(marker: number): boolean {
  return marker !== 0x01 && (marker < 0xd0 || marker > 0xd7);
}

function readGifSize(view: DataView): Size {
  const flags = view.getUint8(10);
  let offset = 13 + ((flags & 0x80) === 0 ? 0 : 6 << (flags & 0x07));
  while (view.getUint8(offset) === 0x21) offset = skipBlocks(view, offset + 2);
  if (view.getUint8(offset) !== 0x2c) throw new RangeError('no frame');
  const read = (at: number): number => view.getUint16(at, true);
  // Browsers enlarge an image to its first frame.
  return [
    Math.max(read(6), read(offset + 1) + read(offset + 5)),
    Math.max(read(8), read(offset + 3) + read(offset + 7)),
  ];
}

function skipBlocks(view: DataView, start: number): number {
  let offset = start;
  while (view.getUint8(offset) !== 0) offset += 1 + view.getUint8(offset);
  return offset + 1;
}

function readWebpSize(view: DataView): Size {
  const kind = String.fromCharCode(view.getUint8(15));
  if (kind === 'X') return [1 + readUint24(view, 24), 1 + readUint24(view, 27)];
  if (kind === ' ') return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
  const bits = view.getUint32(21, true);
  return [1 + (bits & 0x3fff), 1 + ((bits >> 14) & 0x3fff)];
}

function readUint24(view: DataView, offset: number): number {
  return view.getUint16(offset, true) | (view.getUint8(offset + 2) << 16);
}
