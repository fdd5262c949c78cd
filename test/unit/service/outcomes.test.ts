import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import {
  FileAttempts,
  hasRoom,
  toTransferError,
  TransferFailure,
  TransferSuspension,
} from '../../../src/service/transfers/transferErrors.ts';

const existing = os.tmpdir();
const missing = nodePath.join(existing, 'no-such-folder-for-this-test');

interface FailedOperation {
  readonly operation: 'read' | 'write';
  readonly path: string;
  readonly root: string;
  readonly bytes: number;
}

/** Converts a failure with the system's code. */
async function convert(
  code: string,
  { operation, ...file }: FailedOperation,
  attempts = new FileAttempts(),
): Promise<Error> {
  return await toTransferError({ operation, code }, file, attempts);
}

describe('File system errors of a transfer (D23)', () => {
  const failures: [operation: 'read' | 'write', code: string, message: string][] = [
    ['write', 'EACCES', 'could not write a.csv: permission denied'],
    ['write', 'EPERM', 'could not write a.csv: permission denied'],
    ['write', 'EROFS', 'could not write a.csv: the disk is read-only'],
    ['write', 'ENAMETOOLONG', 'could not write a.csv: its name is too long'],
    ['write', 'EXYZ', 'could not write a.csv: EXYZ'],
    ['write', 'ERR_FS_EISDIR', 'could not write a.csv: a folder has the same name'],
    ['read', 'UNKNOWN', 'could not read a.csv: the system reported an unknown error'],
    ['read', 'EACCES', 'could not read a.csv: permission denied'],
    ['read', 'ENOENT', 'could not read a.csv: it no longer exists'],
    ['read', 'EIO', 'could not read a.csv: the disk reported an error'],
  ];
  for (const [operation, code, message] of failures) {
    it(`cause a failure on ${code} during ${operation}`, async () => {
      const file = { operation, path: 'a.csv', root: existing, bytes: 5 };
      const result = await convert(code, file);
      assert.ok(result instanceof TransferFailure);
      assert.equal(result.message, message);
    });
  }

  // exfat-fuse reports that a name with such a character doesn't exist; drivers of the kernel report an invalid argument.
  for (const code of ['ENOENT', 'EINVAL'])
    it(`name the file's name as a possible cause of ${code} if FAT does not allow it`, async () => {
      const describe = async (operation: 'read' | 'write', path: string): Promise<string> =>
        String(await convert(code, { operation, path, root: existing, bytes: 5 }));
      for (const path of ['a:b.csv', 'what?/a.csv'])
        assert.match(await describe('write', path), /could not write .*: the disk may not allow its name$/);
      assert.doesNotMatch(await describe('write', 'what/a b.csv'), /its name/);
      assert.doesNotMatch(await describe('read', 'a:b.csv'), /its name/);
    });

  for (const code of ['ENOSPC', 'EDQUOT']) {
    it(`cause a suspension on ${code} until there is space for the file`, async () => {
      const file = { operation: 'write', path: 'a.csv', root: existing, bytes: 5 } as const;
      const result = await convert(code, file);
      assert.ok(result instanceof TransferSuspension);
      assert.deepEqual([result.message, result.neededBytes], ['waiting: the destination is full', 5]);
    });
  }

  describe('that a missing folder or disk may have caused, after it has returned', () => {
    let root: string;

    beforeEach(async () => void (root = await fs.mkdtemp(nodePath.join(existing, 'dts-outcomes-'))));
    afterEach(async () => await fs.rm(root, { recursive: true }));

    const returned: [operation: 'read' | 'write', code: string, reason: string][] = [
      ['write', 'ENOENT', 'part of its path was missing'],
      ['read', 'ENOENT', 'it was missing'],
      ['write', 'ENOTCONN', 'its disk is not connected'],
      ['read', 'ESTALE', 'its server no longer recognizes it'],
      ['read', 'ENODEV', 'its disk is not connected'],
      ['write', 'ENOMEDIUM', 'its disk is not connected'],
      ['read', 'EHOSTDOWN', 'its server does not respond'],
      ['write', 'EHOSTUNREACH', 'its server does not respond'],
      ['read', 'ETIMEDOUT', 'its server does not respond'],
      ['write', 'ECONNABORTED', 'its server does not respond'],
      ['read', 'ECONNRESET', 'its server does not respond'],
      ['write', 'ESHUTDOWN', 'its server does not respond'],
    ];
    for (const [operation, code, reason] of returned) {
      it(`cause four suspensions, then a failure, on ${code} during ${operation}`, async () => {
        for (const path of ['a.csv', 'b.csv']) await fs.writeFile(nodePath.join(root, path), path);
        const attempts = new FileAttempts();
        const convertAgain = async (path: string): Promise<unknown> =>
          await convert(code, { operation, path, root, bytes: 5 }, attempts);
        const text = `could not ${operation} a.csv: ${reason}`;
        for (let attempt = 1; attempt < 5; attempt++)
          assert.deepEqual(await convertAgain('a.csv'), new TransferSuspension(`waiting to try again: ${text}`));
        const failure = await convertAgain('a.csv');
        assert.ok(failure instanceof TransferFailure);
        assert.equal(failure.message, text);
        assert.ok((await convertAgain('b.csv')) instanceof TransferSuspension);
      });
    }

    it('cause a suspension if a disk below the folder is disconnected, so that a file is missing', async () => {
      const file = { operation: 'read', path: 'a.csv', root, bytes: 5 } as const;
      const result = await convert('ENOTCONN', file);
      const text = 'waiting to try again: could not read a.csv: its disk is not connected';
      assert.deepEqual(result, new TransferSuspension(text));
    });
  });

  for (const code of ['EMFILE', 'ENFILE']) {
    it(`cause a suspension on ${code}, which is unrelated to the file`, async () => {
      const operation = { operation: 'read', path: 'a.csv', root: existing, bytes: 5 } as const;
      const result = await convert(code, operation);
      assert.ok(result instanceof TransferSuspension);
      const text = 'waiting to try again: could not read a.csv: too many files are open';
      assert.deepEqual([result.message, result.neededBytes], [text, 0]);
    });
  }

  it('cause a suspension when the folder itself is unavailable', async () => {
    const file = { operation: 'read', path: 'a.csv', root: missing, bytes: 5 } as const;
    const result = await convert('ENOENT', file);
    assert.ok(result instanceof TransferSuspension);
    assert.equal(result.message, 'waiting: the source folder is unavailable');
  });

  it('allow a retry when both folders exist and the destination has space for the file', async () => {
    assert.equal(await hasRoom(existing, existing, 1), true);
    assert.equal(await hasRoom(existing, existing, Number.MAX_SAFE_INTEGER), false);
    assert.equal(await hasRoom(missing, existing, 1), false);
    assert.equal(await hasRoom(existing, missing, 1), false);
  });

  it('are no outcome of the transfer if only a bug causes them', async () => {
    const operation = { operation: 'read', path: 'a.csv', root: existing, bytes: 5 } as const;
    for (const code of ['ABORT_ERR', 'ERR_INVALID_ARG_VALUE']) {
      const error = await convert(code, operation);
      assert.ok(!(error instanceof TransferFailure || error instanceof TransferSuspension), error.name);
    }
  });
});
