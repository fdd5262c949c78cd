import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../../src/core/util/clock.ts';
import { StoreCatalog } from '../../../src/service/stores/storeCatalog.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

/** The rclone of a store with these objects, which never reports its free space. */
const createProgram = (...objects: readonly string[]): string => `#!/bin/sh
case "$1" in
  version) echo 'rclone v1.75.0' ;;
  backend) echo '{"Features": {}}' ;;
  lsjson) printf '[\\n${objects.join(',\\n')}\\n]\\n' ;;
  about) exec sleep 60 ;;
esac
`;

const plainObject = '{"Path":"a.txt","Size":1,"ModTime":"2026-01-02T03:04:05Z"}';

describe('The catalog of a store', () => {
  let folder: string;
  let catalog: StoreCatalog;
  const logger = new MemoryLog();

  async function scan(...objects: readonly string[]): Promise<void> {
    const rclone = nodePath.join(folder, 'rclone');
    await fs.writeFile(rclone, createProgram(...objects), { mode: 0o755 });
    const config = { name: 'store', remote: 'lab:', rclone, file: nodePath.join(folder, 'a.db'), rescanMs: 60_000 };
    catalog = new StoreCatalog(config, { clock: systemClock, logger });
    await catalog.rescan();
  }

  beforeEach(async () => (folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-about-'))));
  afterEach(async () => {
    await catalog.close();
    await fs.rm(folder, { recursive: true });
  });

  it('can be searched as soon as the listing is complete if the store does not report its free space (D62)', async () => {
    await scan(plainObject);
    assert.deepEqual(
      (await catalog.filesByIds(['a.txt'])).map((file) => file?.path),
      ['a.txt'],
    );
    const { state, files, freeBytes } = catalog.getListing();
    assert.deepEqual([state, files, freeBytes], ['listed', 1, undefined]);
  });

  it('leaves out objects of unknown size and with invalid names, and logs how many for each reason', async () => {
    const unsized = ['b.docx', 'c.docx'].map((name) => `{"Path":"${name}","Size":-1}`);
    await scan(plainObject, ...unsized, '{"Path":"d/../e","Size":1}');
    assert.equal(catalog.getListing().files, 1);
    assert.deepEqual(
      logger.lines.filter((line) => line.includes('skipped')),
      [
        "warn store: 1 objects are skipped: their names aren't valid for files",
        'warn store: 2 objects are skipped: their size is unknown',
      ],
    );
  });
});
