import assert from 'node:assert/strict';
import * as os from 'node:os';
import { readFreeBytes } from '../../../src/core/util/fileSystem.ts';
import { inspectFolder } from '../../../src/service/folderCalls.ts';

describe('The free space of a folder', () => {
  it('is the number of bytes that its file system reports', async () => {
    for (const bytes of [await readFreeBytes(os.tmpdir()), (await inspectFolder(os.tmpdir())).freeBytes])
      assert.ok(bytes !== undefined && bytes > 0, String(bytes));
  });

  // Like some FUSE file systems, `/proc` reports a size of 0.
  if (process.platform === 'linux')
    it('is unknown if its file system does not report a size', async () => {
      assert.equal(await readFreeBytes('/proc'), undefined);
      const { isFolder, freeBytes } = await inspectFolder('/proc');
      assert.deepEqual([isFolder, freeBytes], [true, undefined]);
    });
});
