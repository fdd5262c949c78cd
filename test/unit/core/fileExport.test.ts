import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  checksumAlgorithms,
  exportChecksums,
  exportFiles,
  filterChecksummed,
  listAlgorithms,
} from '../../../src/core/model/fileExport.ts';

describe('Exporting files', () => {
  it('writes a table without formulas, separated by commas or tabs', () => {
    const files = [
      {
        id: '=1+1',
        name: 'a, b',
        path: 'x/a.txt',
        sizeBytes: 5,
        hash: 'md5:ff',
        mediaType: 'text/plain',
        database: 'D',
      },
      { id: '2' },
    ];
    assert.deepEqual(
      [...exportFiles(files, ',')],
      [
        'id,name,path,bytes,hash,media_type,database\r\n',
        '\'=1+1,"a, b",x/a.txt,5,md5:ff,text/plain,D\r\n',
        '2,,,,,,\r\n',
      ],
    );
    assert.equal([...exportFiles(files, '\t')][2], '2\t\t\t\t\t\t\r\n');
  });

  it('escapes text that starts a formula, but not numbers', () => {
    const guarded = ['=1', '+a', '-1+1', '@x', '\tx', '-', '-33.9.1', '+1 555', '-1e', '－1', ' =1'];
    const plain = ['-33.9', '+5', '-1', '-.5', '-1e-5', '-2,5', '5', 'a-1', '1=1'];
    const readName = (name: string): string =>
      ([...exportFiles([{ name }], '\t')][1] ?? '').split(/^\t"?|"?\t{5}\r\n$/)[1] ?? '';
    assert.deepEqual(
      guarded.map(readName),
      guarded.map((text) => `'${text}`),
    );
    assert.deepEqual(plain.map(readName), plain);
    assert.equal(readName('\r=1'), "'\r'=1");
  });

  it('lists only SHA-256 hashes as checksums', () => {
    const sha256 = 'a'.repeat(64);
    const files = [{ path: 'a', hash: `SHA256:${sha256}` }, { path: 'b', hash: 'b'.repeat(32) }, { path: 'c' }];
    assert.deepEqual(filterChecksummed(files), files.slice(0, 1));
    const omissions = [{ kind: 'noHash', count: 2 }, { kind: 'notLoaded' }] as const;
    assert.deepEqual(
      [...exportChecksums(filterChecksummed(files), omissions)],
      [
        '# Not listed: 2 without a SHA-256 hash.\n',
        '# Not listed: results of the search that were not loaded.\n',
        `${sha256}  a\n`,
      ],
    );
  });

  for (const algorithm of checksumAlgorithms) {
    it(`writes checksums that ${algorithm}sum accepts, even for unusual names`, async function () {
      if (process.platform === 'win32') this.skip();
      const folder = await mkdtemp(join(tmpdir(), 'checksums-'));
      try {
        const names = ['plain.txt', '-dash', 'line\nbreak', 'back\\slash', ' space'];
        const files = names.map((path) => ({ path, hash: createHash(algorithm).update(path).digest('hex') }));
        for (const { path } of files) await writeFile(join(folder, path), path);
        assert.deepEqual(filterChecksummed(files, algorithm), files);
        assert.deepEqual(listAlgorithms(files), [algorithm]);
        const omissions = [{ kind: 'noHash', count: 2, algorithm }] as const;
        await writeFile(join(folder, 'sums'), [...exportChecksums(files, omissions, algorithm)].join(''));
        const output = execFileSync(`${algorithm}sum`, ['--strict', '-c', 'sums'], { cwd: folder, encoding: 'utf8' });
        assert.equal(output.match(/: OK$/gm)?.length, names.length);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }
});
