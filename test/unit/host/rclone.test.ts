import assert from 'node:assert/strict';
import childProcess, { type SpawnOptions } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import { countStoreFiles, listStoreFolders } from '../../../src/extension/localService/rclone.ts';

describe('rclone that a window runs', () => {
  it('is ended if its server sends no end of a listing, with that as the reason (D62)', async () => {
    const folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-rclone-'));
    const list = async (content: string): Promise<unknown> => {
      const program = nodePath.join(folder, 'rclone');
      await fs.writeFile(program, `#!/bin/sh\n${content}\n`, { mode: 0o755 });
      return await listStoreFolders(program, 'lab:', new AbortController().signal, 100);
    };
    try {
      await assert.rejects(list('exec tail -f /dev/null'), { message: "its server doesn't respond" });
      await assert.rejects(list('kill $$'), { message: /^rclone failed; / });
    } finally {
      await fs.rm(folder, { recursive: true });
    }
  });

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
