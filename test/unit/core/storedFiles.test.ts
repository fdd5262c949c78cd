import assert from 'node:assert/strict';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import type { TransferFile } from '../../../src/core/model/transferModel.ts';
import { compareStoredFiles } from '../../../src/core/verification/storedFiles.ts';

const transferId = '6a0f0b3e-0000-4000-8000-000000000001';
const folder = `dts-${transferId}`;
const [md5, otherMd5] = ['a'.repeat(32), 'b'.repeat(32)];

function list(path: string, sizeBytes: number, hash?: string): FileEntry {
  const name = path.split('/').at(-1) ?? path;
  const id = `${folder}/${path}`.replaceAll('%', '%25').replaceAll(',', '%2C');
  const facts = { id, name, path: `${folder}/${path}`, sizeBytes, ...(hash !== undefined && { hash }) };
  return { kind: 'file', database: 'out', resource: {}, ...facts };
}

function request(id: string, more: Partial<TransferFile> = {}): TransferFile {
  return { id, name: id.split('/').at(-1) ?? id, sizeBytes: 4, hash: md5, ...more };
}

const manifest = list('manifest.json', 9);

const compare = (files: readonly TransferFile[], listed: readonly FileEntry[]): readonly unknown[] | undefined =>
  compareStoredFiles(transferId, files, [...listed, manifest])?.findings.map(({ file, outcome }) => [
    file.path,
    outcome.kind,
  ]);

describe('The files of a transfer in a store', () => {
  it('are not compared before the store lists their manifest', () => {
    const other: FileEntry = { ...manifest, path: `${folder}-other/manifest.json` };
    assert.equal(compareStoredFiles(transferId, [request('a')], [list('a', 4, md5), other]), undefined);
  });

  it('are intact if sizes and hashes are equal', () => {
    const report = compareStoredFiles(
      transferId,
      [request('a'), request('b/a')],
      [list('b/a', 4, md5), list('a', 4, md5), manifest],
    );
    assert.deepEqual([report?.intactCount, report?.findings, report?.extra.paths], [2, [], []]);
  });

  it('can be missing, or have another size or content', () => {
    const listed = [list('b', 5, md5), list('c', 4, otherMd5)];
    assert.deepEqual(
      compare(
        ['a', 'b', 'c'].map((id) => request(id)),
        listed,
      ),
      [
        ['a', 'missing'],
        ['b', 'size'],
        ['c', 'hash'],
      ],
    );
  });

  it('are compared by size alone if there is no hash, or only one of another kind', () => {
    const sha256 = `sha256:${'c'.repeat(64)}`;
    const files = [
      request('a', { hash: sha256 }),
      { id: 'b', name: 'b', sizeBytes: 4 },
      request('c'),
      { id: 'd', name: 'd' },
    ];
    const listed = ['a', 'b', 'd'].map((name) => list(name, 4, md5));
    assert.deepEqual(
      compare(files, [...listed, list('c', 4)]),
      files.map(({ id }) => [id, 'notCompared']),
    );
    assert.deepEqual(compare([request('a', { hash: sha256 })], [list('a', 5, md5)]), [['a', 'size']]);
  });

  it('are found by their names if the source declares IDs, those with the same content first', () => {
    const files = [request('X1', { name: 'a.txt', hash: otherMd5 }), request('X2', { name: 'a.txt', sizeBytes: 9 })];
    const listed = [list('x/a.txt', 9, md5), list('y/a.txt', 4, otherMd5)];
    assert.equal(compareStoredFiles(transferId, files, [...listed, manifest])?.intactCount, 2);
    assert.deepEqual(compare(files, listed.slice(0, 1)), [['a.txt', 'missing']]);
    assert.deepEqual(compare(files, [list('x/a.txt', 7, md5)]), [
      ['x/a.txt', 'size'],
      ['a.txt', 'missing'],
    ]);
  });

  it('are missing if their path is known and only another path has their content', () => {
    assert.deepEqual(compare([request('run1/log.txt')], [list('x/log.txt', 4, md5)]), [['run1/log.txt', 'missing']]);
  });

  it('are found in another Unicode form, and with % and , in their names', () => {
    const files = [request('caf\u00e9.txt'), request('50%25%2C x.csv', { name: '50%, x.csv' })];
    assert.deepEqual(compare(files, [list('cafe\u0301.txt', 4, md5), list('50%, x.csv', 4, md5)]), []);
  });

  it('may have others beside them, apart from the manifest', () => {
    const listed = [list('a', 4, md5), list('b/c', 1), manifest];
    assert.deepEqual(compareStoredFiles(transferId, [request('a')], listed)?.extra.paths, ['b/c']);
    const own = [...listed, list(`manifest-${transferId}.json`, 9)];
    const files = [request('manifest.json', { sizeBytes: 9 }), request('sub/manifest.json')];
    const report = compareStoredFiles(transferId, files, own);
    assert.deepEqual(report?.extra.paths, ['a', 'b/c']);
    assert.deepEqual(
      report.findings.map(({ file, outcome }) => [file.path, outcome.kind]),
      [
        ['manifest.json', 'notCompared'],
        ['sub/manifest.json', 'missing'],
      ],
    );
  });
});
