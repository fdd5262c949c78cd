import assert from 'node:assert/strict';
import { readBagManifest } from '../../../src/service/catalog/bagManifest.ts';

const [a, b] = ['ab'.repeat(16), '01'.repeat(16)];

describe('The manifest of a BagIt bag', () => {
  const read = (text: string, files: readonly string[] = []) => {
    const { metadata, warnings } = readBagManifest(text, 'manifest-md5.txt', {
      hasFile: (path) => files.includes(path),
    });
    const hashes = [...(metadata ?? [])].map(([path, { hash }]) => [path, hash] as const);
    return { hashes: Object.fromEntries(hashes), warnings };
  };

  it('gives files their hashes, however it separates lines and columns', () => {
    const text = `\uFEFF${a.toUpperCase()}  data/a b.csv\r\n${b} *./data/sub/c.txt\r\n\r\n${b}\tdata/d`;
    const hashes = { 'data/a b.csv': `md5:${a}`, 'data/sub/c.txt': `md5:${b}`, 'data/d': `md5:${b}` };
    assert.deepEqual(read(text), { hashes, warnings: [] });
  });

  it('means the file that exists where programs write a path in several ways', () => {
    const files = ['data/50% x', 'data/é', 'data/100%25'];
    const written = ['data/50%25 x', 'data/e\u0301', 'data/100%25', 'data\\50% x', 'data/gone%20x'];
    const { hashes } = read(written.map((path) => `${a} ${path}`).join('\n'), files);
    assert.deepEqual(Object.keys(hashes), [...files, 'data/gone%20x']);
  });

  it('never means a file outside data/, and names the line', () => {
    const paths = ['data/../bagit.txt', '/etc/passwd', 'bag-info.txt', 'data', 'https://example.org/data/x'];
    const lines = [...paths.map((path) => `${a} ${path}`), 'no hash', a];
    const { hashes, warnings } = read(lines.join('\n'));
    assert.deepEqual(hashes, {});
    assert.deepEqual(
      warnings,
      lines.map((_, index) => `line ${index + 1} has no hash and path of a file in data/`),
    );
  });
});
