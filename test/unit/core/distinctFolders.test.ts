import assert from 'node:assert/strict';
import { findDistinctFolders } from '../../../src/core/util/distinctFolders.ts';

const find = (...paths: readonly string[]): readonly string[] =>
  findDistinctFolders(paths.map((path) => ({ name: path.split('/').at(-1) ?? '', id: path })));

describe('The folder that distinguishes files with the same name', () => {
  for (const [paths, folders] of [
    [
      ['a/x.csv', 'a/y.csv'],
      ['', ''],
    ],
    [
      ['a/liver/x.csv', 'a/lung/x.csv', 'a/x.tsv'],
      ['liver', 'lung', ''],
    ],
    [
      ['a/liver/raw/x.csv', 'a/lung/raw/x.csv'],
      ['liver/…', 'lung/…'],
    ],
    [
      ['a/b/x.csv', 'a/c/x.csv', 'd/b/x.csv'],
      ['a/b', 'a/c', 'd/b'],
    ],
    [
      ['x.csv', 'a/x.csv', 'a/a/x.csv'],
      ['', 'a', 'a/a'],
    ],
    [
      ['a/x.csv', 'a/x.csv'],
      ['', ''],
    ],
  ] as const) {
    it(`is ${JSON.stringify(folders)} for ${JSON.stringify(paths)}`, () => {
      assert.deepEqual(find(...paths), folders);
    });
  }

  it('is found in the path if the ID is not a path', () => {
    const files = ['liver', 'lung'].map((folder) => ({ name: 'x.csv', id: folder, path: `${folder}/x.csv` }));
    assert.deepEqual(findDistinctFolders(files), ['liver', 'lung']);
  });
});
