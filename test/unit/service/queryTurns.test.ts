import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { FolderCatalog } from '../../../src/service/catalog/folderCatalog.ts';
import { FolderReader, type AsyncFolderReader } from '../../../src/service/catalog/folderReader.ts';
import { parseSearch, parseSpecific } from '../../../src/service/catalog/searchLanguage.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { freshFolder, writeFiles } from './folderRig.ts';

describe('A catalog with many concurrent searches (D42)', () => {
  it('can be closed after each of them, so that the others fail', async () => {
    const root = freshFolder();
    writeFiles(`${root}/served`, { 'a.txt': 'a' });
    const folderReader = new FolderReader();
    const reader: AsyncFolderReader = {
      ready: async () => await Promise.resolve(),
      walk: async (folder, under) => await Promise.resolve(folderReader.walk(folder, under)),
      next: async (walk) => await Promise.resolve(folderReader.next(walk)),
      stop: async (walk) => {
        await Promise.resolve();
        folderReader.stop(walk);
      },
      inspectPaths: async (folder, paths) => await Promise.resolve(folderReader.inspectPaths(folder, paths)),
    };
    const config = { name: 'Soil', folder: `${root}/served`, file: `${root}/data/soil.db` };
    const catalog = new FolderCatalog(config, { reader, clock: new ManualClock(), logger: new MemoryLog() });
    catalog.start();
    const request = { search: parseSearch(''), filter: parseSpecific({}), offset: 0, limit: 10 };
    assert.equal((await catalog.search(request)).files.length, 1);
    const searches = Array.from({ length: 20 }, async () => await catalog.search(request));
    const closed = Promise.race(searches).then(async () => await catalog.close());
    const results = await Promise.allSettled(searches);
    await closed;
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    rmSync(root, { recursive: true });
  });
});
