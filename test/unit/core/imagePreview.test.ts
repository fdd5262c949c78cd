import assert from 'node:assert/strict';
import { createImagePreview, maxImageBytes, type ImagePreview } from '../../../src/core/tables/imagePreview.ts';
import {
  createExtendedWebp,
  createGif,
  createImages,
  createJpeg,
  createLossyWebp,
  createPng,
  createWebp,
} from '../../support/tinyImages.ts';

/** Creates the preview of an image that a service returns in ranges. */
async function preview(content: Buffer): Promise<ImagePreview> {
  return await createImagePreview({
    totalBytes: content.length,
    read: async (offset, limit) => await Promise.resolve(content.subarray(offset, offset + limit)),
  });
}

/** Reads the size of an image. Throws if it isn't shown. */
async function readSize(content: Buffer): Promise<readonly number[]> {
  const image = await preview(content);
  assert.ok(image.kind === 'image');
  return [image.header.width, image.header.height];
}

describe('The preview of an image', () => {
  for (const [type, create] of Object.entries(createImages))
    it(`has the type, the size and the bytes of an ${type}`, async () => {
      const bytes = create(300, 200);
      assert.deepEqual(await preview(bytes), { kind: 'image', header: { type, width: 300, height: 200 }, bytes });
    });

  it('has the size that the other headers of WebP state', async () => {
    assert.deepEqual(await readSize(createExtendedWebp(16_384, 2)), [16_384, 2]);
    assert.deepEqual(await readSize(createLossyWebp(5, 7)), [5, 7]);
    assert.deepEqual(await readSize(createWebp(16_384, 1)), [16_384, 1]);
  });

  it('has the size to which browsers enlarge a GIF whose first frame is larger than its screen', async () => {
    assert.deepEqual(await readSize(createGif(30, 20, 2, { width: 1, height: 40 })), [30, 40]);
  });

  it('has the size of the frame of a JPEG, not that of an image in its metadata', async () => {
    const thumbnail = createJpeg(1, 1);
    const metadata = Buffer.from([0xff, 0xe1, 0, thumbnail.length + 2, ...thumbnail]);
    const image = createJpeg(640, 480);
    const whole = Buffer.concat([image.subarray(0, 2), metadata, image.subarray(2)]);
    assert.deepEqual(await readSize(whole), [640, 480]);
  });

  const vast: Readonly<Record<string, Buffer>> = {
    PNG: createPng(1, 1, { width: 60_000, height: 60_000 }),
    'PNG as wide as a number allows': createPng(1, 1, { width: 0xffff_ffff, height: 1 }),
    'PNG of many pixels': createPng(1, 1, { width: 16_384, height: 2_442 }),
    GIF: createGif(1, 1, 1, { width: 60_000, height: 60_000 }),
    WebP: createExtendedWebp(60_000, 60_000),
  };
  for (const [what, content] of Object.entries(vast))
    it(`is refused for the pixels that the header of a ${what} claims`, async () => {
      assert.equal((await preview(content)).kind, 'vast');
    });

  it('is refused for a JPEG that claims many pixels', async () => {
    const image = createJpeg(8, 8);
    const at = image.lastIndexOf(Buffer.from([0xff, 0xc0]));
    image.writeUInt16BE(60_000, at + 5);
    image.writeUInt16BE(60_000, at + 7);
    const header = { type: 'image/jpeg', width: 60_000, height: 60_000 };
    assert.deepEqual(await preview(image), { kind: 'vast', header });
  });

  it('has none of a file that is too large, of which it reads nothing', async () => {
    const read = (): Promise<Uint8Array> => assert.fail('it was read');
    const totalBytes = maxImageBytes + 1;
    assert.deepEqual(await createImagePreview({ totalBytes, read }), { kind: 'large' });
  });

  const problems: Readonly<Record<string, readonly [content: Buffer, problem: string]>> = {
    'an empty file': [Buffer.alloc(0), 'damagedImage'],
    'a file of one byte': [Buffer.from([0x89]), 'notImage'],
    'an SVG': [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'notImage'],
    'a page': [Buffer.from('<!DOCTYPE html><script>alert(1)</script>'), 'notImage'],
    'a TIFF': [Buffer.from('II*\0aaaaaaaaaaaaaaaa'), 'notImage'],
    'a WAV, which begins like a WebP': [Buffer.from('RIFF\x24\0\0\0WAVEfmt aaaaaaaa'), 'notImage'],
    'a PNG that ends in its header': [createPng(1, 1).subarray(0, 20), 'damagedImage'],
    'a PNG without pixels': [createPng(1, 1, { width: 0, height: 5 }), 'damagedImage'],
    'a GIF without a frame': [createGif(1, 1, 0), 'damagedImage'],
    'a GIF that ends in an extension': [createGif(1, 1).subarray(0, 25), 'damagedImage'],
    'a JPEG that ends before its frame': [createJpeg(1, 1).subarray(0, 20), 'damagedImage'],
    'a JPEG without a frame': [Buffer.from([0xff, 0xd8, 0xff, 0xd9, 0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1]), 'damagedImage'],
    'a JPEG whose segments have no length': [Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0]), 'damagedImage'],
    'a WebP that ends in its header': [createWebp(1, 1).subarray(0, 24), 'damagedImage'],
  };
  for (const [what, [content, problem]] of Object.entries(problems))
    it(`says so of ${what}`, async () => {
      assert.deepEqual(await preview(content), { kind: 'problem', problem });
    });

  it('reads the header of each image in steps that end, wherever it is cut', async () => {
    for (const create of Object.values(createImages)) {
      const image = create(9, 9);
      for (let length = 16; length < image.length; length++)
        assert.match((await preview(image.subarray(0, length))).kind, /image|problem/);
    }
  });
});
