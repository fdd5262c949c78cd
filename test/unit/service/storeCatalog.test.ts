import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../../src/core/util/clock.ts';
import { StoreCatalog } from '../../../src/service/stores/storeCatalog.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

/** A store with one object, which never reports its free space. */
const program = `#!/bin/sh
case "$1" in
  version) echo 'rclone v1.75.0' ;;
  backend) echo '{"Features": {}}' ;;
  lsjson) printf '[\\n{"Path":"a.txt","Size":1,"ModTime":"2026-01-02T03:04:05Z"}\\n]\\n' ;;
  about) exec sleep 60 ;;
esac
`;

describe('The catalog of a store that does not report its free space (D62)', () => {
  it('can be searched as soon as the listing is complete', async () => {
    const folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-about-'));
    const rclone = nodePath.join(folder, 'rclone');
    await fs.writeFile(rclone, program, { mode: 0o755 });
    const config = { name: 'store', remote: 'lab:', rclone, file: nodePath.join(folder, 'a.db'), rescanMs: 60_000 };
    const catalog = new StoreCatalog(config, { clock: systemClock, logger: new MemoryLog() });
    try {
      await catalog.rescan();
      assert.deepEqual(
        (await catalog.filesByIds(['a.txt'])).map((file) => file?.path),
        ['a.txt'],
      );
      const { state, files, freeBytes } = catalog.getListing();
      assert.deepEqual([state, files, freeBytes], ['listed', 1, undefined]);
    } finally {
      await catalog.close();
      await fs.rm(folder, { recursive: true });
    }
  });
});
