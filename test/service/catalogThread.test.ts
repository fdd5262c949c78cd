import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { Worker } from 'node:worker_threads';
import { Catalog } from '../../src/service/catalog/catalog.ts';
import { CatalogThread } from '../../src/service/catalog/catalogThread.ts';
import { parseSearch } from '../../src/service/catalog/searchLanguage.ts';
import { parseSpecific } from '../../src/service/catalog/specificParameters.ts';
import { MemoryLog } from '../support/memoryLog.ts';

const fileCount = 600;

describe('The thread of the catalogues (D20)', () => {
  let root: string;
  let log: MemoryLog;
  let thread: CatalogThread;
  let catalog: Catalog;

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-thread-'));
    await fs.mkdir(nodePath.join(root, 'served'));
    const names = Array.from({ length: fileCount }, (_, number) => `file ${number}.txt`);
    await Promise.all(names.map(async (name) => await fs.writeFile(nodePath.join(root, 'served', name), 'x')));
    log = new MemoryLog();
    thread = new CatalogThread(log);
    const file = nodePath.join(root, 'data', 'soil.db');
    catalog = new Catalog({ name: 'Soil', folder: nodePath.join(root, 'served'), file, thread, logger: log });
  });

  afterEach(async () => {
    await catalog.close();
    await thread.end();
    await fs.rm(root, { recursive: true });
  });

  async function count(query = ''): Promise<number> {
    const wanted = { search: parseSearch(query), filter: parseSpecific({}), offset: 0, limit: 10_000 };
    return (await catalog.search(wanted)).files.length;
  }

  /** Ends the thread as it runs now, as running out of memory does. */
  async function kill(): Promise<void> {
    const run: object = thread.run();
    assert.ok('worker' in run && run.worker instanceof Worker);
    await run.worker.terminate();
  }

  it('rejects what was asked when it ends, and answers the next search', async () => {
    await catalog.start();
    assert.equal(await count(), fileCount);
    const asked = [count(), count('file'), catalog.filesByIds(['file 1.txt'])];
    const killed = kill();
    for (const answer of await Promise.allSettled(asked)) assert.equal(answer.status, 'rejected');
    await killed;
    assert.deepEqual([await count(), await count('599')], [fileCount, 1]);
  });

  it('can end while it reads a folder for the first time', async () => {
    await catalog.start();
    const asked = assert.rejects(count(), /The thread of the catalogues ended/);
    await kill();
    await asked;
    assert.equal(await count(), fileCount);
  });

  it('can end again and again, and many ask at once afterwards', async () => {
    for (let time = 0; time < 3; time += 1) {
      const answers = await Promise.all(Array.from({ length: 5 }, async () => await count('file')));
      assert.deepEqual(new Set(answers), new Set([fileCount]));
      await kill();
    }
  });

  it('keeps the hashes that were held before it ended (D22)', async () => {
    const file = (await catalog.filesByIds(['file 1.txt'])).get('file 1.txt');
    assert.ok(file);
    await catalog.holdHashes([{ ...file, sha256: 'abc' }]);
    await kill();
    assert.equal((await catalog.heldHashes([file.path]))[0]?.sha256, 'abc');
  });

  it('never makes keeping a hash or looking again fail', async () => {
    await catalog.start();
    const file = { path: 'file 1.txt', bytes: 1, modifiedMs: 1 };
    const asked = [catalog.holdHashes([{ ...file, sha256: 'abc' }]), catalog.rescan()];
    await kill();
    await Promise.all(asked);
    assert.ok(log.lines.some((line) => line.startsWith('warn The catalogue of Soil: ')));
    assert.equal(await count(), fileCount);
  });

  it('tells the service what its catalogues have to say', async () => {
    await fs.rename(nodePath.join(root, 'served'), nodePath.join(root, 'away'));
    await assert.rejects(count(), { status: 500, message: 'The folder of the database Soil is not there.' });
    assert.ok(log.lines.some((line) => line.startsWith('warn The folder ')));
  });

  it('answers nothing more once it was ended, and begins anew for who asks', async () => {
    await catalog.start();
    const asked = assert.rejects(count(), /The catalogues are closed/);
    await thread.end();
    await asked;
    assert.equal(await count(), fileCount);
  });

  it('does not start again for a search in a catalogue that is closed', async () => {
    await catalog.start();
    await catalog.close();
    await thread.end();
    await assert.rejects(count(), /The catalogue of Soil is closed/);
  });
});
