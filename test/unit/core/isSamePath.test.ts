import assert from 'node:assert/strict';
import { posix, win32 } from 'node:path';
import { isSamePath } from '../../../src/core/util/fileSystem.ts';

describe('Two paths', () => {
  for (const [system, path, first, second, expected] of [
    ['Windows', win32, 'C:\\data\\lab', 'c:\\data\\lab', true],
    ['Windows', win32, 'c:\\Data\\Lab\\', 'c:/data/lab', true],
    ['Windows', win32, '\\\\server\\share\\lab', '\\\\SERVER\\share\\lab', true],
    ['Windows', win32, 'c:\\data\\lab', 'd:\\data\\lab', false],
    ['Windows', win32, 'c:\\data\\lab', 'c:\\data\\lab\\a', false],
    ['Linux', posix, '/data/lab', '/data/x/../lab/', true],
    ['Linux', posix, '/data/lab', '/data/Lab', false],
    ['Linux', posix, '/data/lab', '/data', false],
  ] as const) {
    it(`on ${system} ${expected ? 'are' : "aren't"} the same: ${first} and ${second}`, () => {
      assert.equal(isSamePath(first, second, path), expected);
      assert.equal(isSamePath(second, first, path), expected);
    });
  }
});
