import assert from 'node:assert/strict';
import { LinkLoop, LoopFinder } from '../../../src/service/stores/linkLoops.ts';

/** Returns the link that a listing of paths shows, all of whose files or folders have the same properties. */
function findLoop(paths: readonly string[], IsDir = false): string | undefined {
  const finder = new LoopFinder();
  try {
    for (const Path of paths) finder.check({ Path, Size: 1, ModTime: '2026-01-01T00:00:00Z', IsDir });
    return undefined;
  } catch (error) {
    if (error instanceof LinkLoop) return error.folder;
    throw error;
  }
}

const repeat = (start: string, folders: string, end: string, length = 6): string[] =>
  Array.from({ length }, (_, count) => start + folders.repeat(count) + end);

describe('A link to a folder that contains it (D62)', () => {
  it('is found by a file that is listed again after more and more of the same folders', () => {
    assert.equal(findLoop(repeat('', 'current/', 'a.txt')), 'current');
    assert.equal(findLoop(repeat('lab/', 'runs/up/', 'runs/deep/a.txt')), 'lab/runs/up');
  });

  it('is found among many files with the same folders, of which it remembers some', () => {
    const zeros = Array.from({ length: 1_000 }, (_, index) => `a.zarr/0/0/0/${index}/${index}`);
    assert.equal(findLoop([...zeros, ...repeat('a.zarr/', '0/', 'current/a.txt')]), undefined);
    assert.equal(findLoop([...zeros, ...repeat('', 'current/', 'a.txt')]), 'current');
  });

  it('is found by a folder only after more repetitions than an array has dimensions', () => {
    assert.equal(findLoop(repeat('lab/', '0/', '0', 10), true), undefined);
    assert.equal(findLoop(repeat('lab/', '0/', '0', 11), true), 'lab/0');
  });

  it('is suspected of many folders without files and with repeated names, not of many other folders', () => {
    const finder = new LoopFinder();
    const add = (path: string, count: number): void => {
      for (let index = 0; index < count; index += 1) finder.check({ Path: path, IsDir: true });
    };
    add('a/b/a/b', 1_000_000);
    finder.check({ Path: 'a.txt', IsDir: false });
    // A listing may name all folders of a folder before their files.
    add('a/b/c', 1_000_001);
    assert.throws(() => add('a/b/a/b', 1_000_001), /^DatabaseUnavailableError: a million of its folders have no files/);
  });

  it('is not concluded from the names of folders alone', () => {
    assert.equal(findLoop(repeat('', 'backup/', '').map((path, index) => `${path}${index}.txt`)), undefined);
    // Folders of a Zarr array, and files with other folders in between.
    assert.equal(findLoop(['0/0/0/0/0/0/0', '0/0/0/0/0/0/1', '0/0/0/0/0/1/0', 'a/0/0/0/0/1']), undefined);
    assert.equal(findLoop(['a/a/x/a/a.txt', 'a/x/a/x/a.txt', 'a/b/a/c/a/a.txt', 'a.txt']), undefined);
  });
});
