import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderWatch } from '../../../src/core/transfers/recordFolders.ts';

describe('Watching a folder', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'folder-watch-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('can be started twice, but not after it was disposed of', () => {
    const watch = new FolderWatch(folder, () => undefined);
    assert.deepEqual([watch.start(), watch.start()], [true, true]);
    watch.dispose();
    assert.equal(watch.start(), false);
  });
});
