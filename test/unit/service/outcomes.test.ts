import assert from 'node:assert/strict';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { haveRoom, meaningOf, TransferFailure, TransferSuspension } from '../../../src/service/transfers/outcomes.ts';

const there = os.tmpdir();
const away = nodePath.join(there, 'no-such-folder-for-this-test');

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: as the system says it`), { code });
}

describe('What an error of the file system means for a transfer (D23)', () => {
  const failures: [act: 'read' | 'write', code: string, message: string][] = [
    ['write', 'EACCES', 'could not write a.csv: permission denied'],
    ['write', 'EPERM', 'could not write a.csv: permission denied'],
    ['write', 'EROFS', 'could not write a.csv: the disk is read-only'],
    ['write', 'ENAMETOOLONG', 'could not write a.csv: its name is too long'],
    ['write', 'EXYZ', 'could not write a.csv: EXYZ'],
    ['read', 'EACCES', 'could not read a.csv: permission denied'],
    ['read', 'ENOENT', 'could not read a.csv: it is no longer there'],
    ['read', 'EIO', 'could not read a.csv: the disk reported an error'],
  ];
  for (const [act, code, message] of failures) {
    it(`fails on ${code} while it would ${act}`, async () => {
      const meaning = await meaningOf(systemError(code), { act, path: 'a.csv', root: there, bytes: 5 });
      assert.ok(meaning instanceof TransferFailure);
      assert.equal(meaning.message, message);
    });
  }

  for (const code of ['ENOSPC', 'EDQUOT']) {
    it(`waits on ${code} until there is room for the file`, async () => {
      const meaning = await meaningOf(systemError(code), { act: 'write', path: 'a.csv', root: there, bytes: 5 });
      assert.ok(meaning instanceof TransferSuspension);
      assert.deepEqual([meaning.message, meaning.neededBytes], ['waiting: the destination is full', 5]);
    });
  }

  it('waits when the folder itself is away', async () => {
    const meaning = await meaningOf(systemError('ENOENT'), { act: 'read', path: 'a.csv', root: away, bytes: 5 });
    assert.ok(meaning instanceof TransferSuspension);
    assert.equal(meaning.message, 'waiting: the source folder is away');
  });

  it('goes on when both folders are there and the destination has room for the file', async () => {
    assert.equal(await haveRoom(there, there, 1), true);
    assert.equal(await haveRoom(there, there, Number.MAX_SAFE_INTEGER), false);
    assert.equal(await haveRoom(away, there, 1), false);
    assert.equal(await haveRoom(there, away, 1), false);
  });

  it('leaves an abort, and what already has a meaning, as it is', async () => {
    const what = { act: 'read', path: 'a.csv', root: there, bytes: 5 } as const;
    for (const error of [new DOMException('stop', 'AbortError'), new TransferFailure('known'), new RangeError('bug')]) {
      assert.equal(await meaningOf(error, what), error);
    }
  });
});
