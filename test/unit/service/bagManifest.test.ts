import assert from 'node:assert/strict';
import { readBagManifest } from '../../../src/service/catalog/bagManifest.ts';

const [a, b] = ['ab'.repeat(16), '01'.repeat(16)];

describe('The manifest of a BagIt bag', () => {
  const read = (text: string) => {
    const { metadata, warnings } = readBagManifest(text, 'manifest-md5.txt');
    const hashes = [...(metadata ?? [])].map(([path, { hash }]) => [path, hash] as const);
    return { hashes: Object.fromEntries(hashes), warnings };
  };

  it('gives files their hashes, however it separates lines and columns', () => {
    const text = `\uFEFF${a.toUpperCase()}  data/a b.csv\r\n${b} *./data/sub/c.txt\r\n\r\n${b}\tdata/d`;
    const hashes = { 'data/a b.csv': `md5:${a}`, 'data/sub/c.txt': `md5:${b}`, 'data/d': `md5:${b}` };
    assert.deepEqual(read(text), { hashes, warnings: [] });
  });

  it('means each file that a path can stand for, however programs write it', () => {
    const written = ['data/50%25 x', 'data/e\u0301', 'data\\sub\\b'];
    const { hashes } = read(written.map((path) => `${a} ${path}`).join('\n'));
    assert.deepEqual(Object.keys(hashes), ['data/50%25 x', 'data/50% x', 'data/\u00E9', 'data/sub/b']);
  });

  it('gives no hash to a file that could have two', () => {
    const text = `${a} data/50%25 x\n${b} data/50% x\n${a} data/c\n${b} data/c\n${a} data/c\n${a} data/d\n${a} data/d`;
    assert.deepEqual(read(text).hashes, { 'data/50%25 x': `md5:${a}`, 'data/d': `md5:${a}` });
  });

  it('never means a file outside data/, and names the line', () => {
    const paths = ['data/../bagit.txt', '/etc/passwd', 'bag-info.txt', 'data', 'https://example.org/data/x'];
    const lines = [...paths.map((path) => `${a} ${path}`), 'no hash', a, `${a}00 data/long`];
    const { hashes, warnings } = read(lines.join('\n'));
    assert.deepEqual(hashes, {});
    assert.deepEqual(
      warnings,
      lines.map((_, index) => `line ${index + 1} has no md5 hash and path of a file in data/`),
    );
  });
});
