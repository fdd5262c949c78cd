import assert from 'node:assert/strict';
import childProcess, { type SpawnOptions } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { countStoreFiles } from '../../../src/extension/localService/rclone.ts';

describe('rclone that a window runs', () => {
  it('opens no console window on Windows when it counts the files of a store', async () => {
    const spawned = mock.method(childProcess, 'spawn');
    syncBuiltinESMExports();
    try {
      assert.equal(await countStoreFiles('no-such-rclone', 'lab:', 1, new AbortController().signal), 0);
      const options = spawned.mock.calls[0]?.arguments.at(-1) as SpawnOptions | undefined;
      assert.equal(options?.windowsHide, true);
    } finally {
      mock.restoreAll();
      syncBuiltinESMExports();
    }
  });
});
