import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import type { Worker } from 'node:worker_threads';
import { Catalog, CatalogThread } from '../../src/service/catalog/catalog.ts';
import { parseSearch, parseSpecific } from '../../src/service/catalog/searchLanguage.ts';
import { ManualClock } from '../support/manualClock.ts';
import { MemoryLog } from '../support/memoryLog.ts';

const fileCount = 600;
const idleMs = 60_000;
const closing = { status: 503, message: 'The database Soil is closing. Try again later.' };

describe('The catalog thread (D20)', () => {
  let root: string;
  let log: MemoryLog;
  let clock: ManualClock;
  let thread: CatalogThread;
  let catalog: Catalog;
  let endOfTest: AbortController;

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-thread-'));
    await fs.mkdir(nodePath.join(root, 'served'));
    const names = Array.from({ length: fileCount }, (_, number) => `file ${number}.txt`);
    await Promise.all(names.map(async (name) => await fs.writeFile(nodePath.join(root, 'served', name), 'x')));
    endOfTest = new AbortController();
    log = new MemoryLog();
    clock = new ManualClock();
    thread = new CatalogThread(log, clock);
    const file = nodePath.join(root, 'data', 'soil.db');
    catalog = new Catalog({ name: 'Soil', folder: nodePath.join(root, 'served'), file, thread, logger: log });
  });

  afterEach(async () => {
    endOfTest.abort();
    await catalog.close();
    await thread.end();
    await fs.rm(root, { recursive: true });
  });

  async function count(query = ''): Promise<number> {
    const search = { search: parseSearch(query), filter: parseSpecific({}), offset: 0, limit: 10_000 };
    return (await catalog.search(search)).files.length;
  }

  async function getWorker(): Promise<Worker> {
    return (await thread.ensureRunning()).worker;
  }

  /** Terminates the running thread, as if it had run out of memory. */
  async function kill(): Promise<void> {
    await (await getWorker()).terminate();
  }

  /** Makes the running thread end only after the test, as if a request to a disk that hangs was pending in it. */
  async function delayEnd(): Promise<Worker> {
    const worker = await getWorker();
    const terminate = worker.terminate.bind(worker);
    worker.terminate = async () => {
      await once(endOfTest.signal, 'abort');
      return await terminate();
    };
    return worker;
  }

  it('rejects pending calls when it ends, and serves the next search', async () => {
    await catalog.start();
    assert.equal(await count(), fileCount);
    const requests = [count(), count('file'), catalog.filesByIds(['file 1.txt'])];
    const killed = kill();
    for (const response of await Promise.allSettled(requests)) assert.equal(response.status, 'rejected');
    await killed;
    assert.deepEqual([await count(), await count('599')], [fileCount, 1]);
  });

  it('can end during the first scan of a folder, and says so', async () => {
    await catalog.start();
    const message = 'The thread that searches has ended. Try again; if it ends again, restart the service.';
    const requests = assert.rejects(count(), { status: 500, message });
    await kill();
    await requests;
    assert.equal(await count(), fileCount);
  });

  it('serves concurrent requests after ending repeatedly', async () => {
    for (let time = 0; time < 3; time += 1) {
      const responses = await Promise.all(Array.from({ length: 5 }, async () => await count('file')));
      assert.deepEqual(new Set(responses), new Set([fileCount]));
      await kill();
    }
  });

  it('ends after an idle minute without open catalogs, and serves the next search', async () => {
    const worker = await getWorker();
    const ended = once(worker, 'exit');
    await clock.pass(idleMs - 1);
    assert.equal(await getWorker(), worker);
    await clock.pass(idleMs);
    await ended;
    assert.equal(await count(), fileCount);
    assert.notEqual(await getWorker(), worker);
    assert.deepEqual(log.lines, []);
  });

  it('serves a search that arrives while it ends', async () => {
    const ended = once(await getWorker(), 'exit');
    await clock.pass(idleMs);
    assert.equal(await count(), fileCount);
    await ended;
  });

  it('serves searches while a disk that hangs delays its end (D42: hanging disks)', async () => {
    const worker = await delayEnd();
    await clock.pass(idleMs);
    assert.equal(await count(), fileCount);
    assert.ok((await getWorker()) !== worker);
  });

  it('does not end while a catalog is needed: changes in a folder are ignored, or a folder is missing', async () => {
    assert.equal(await count(), fileCount);
    const worker = await getWorker();
    await catalog.pauseTracking('dts-1');
    await clock.pass(idleMs);
    assert.equal(await getWorker(), worker);
    await catalog.resumeTracking('dts-1');
    await fs.rename(nodePath.join(root, 'served'), nodePath.join(root, 'away'));
    await assert.rejects(count(), { status: 500 });
    await clock.pass(idleMs);
    assert.equal(await getWorker(), worker);
  });

  it('retains the hashes that were stored before it ended (D22)', async () => {
    const file = (await catalog.filesByIds(['file 1.txt'])).get('file 1.txt');
    assert.ok(file);
    await catalog.cacheHashes([{ ...file, sha256: 'abc' }]);
    await kill();
    assert.equal((await catalog.getCachedHashes([file.path]))[0]?.sha256, 'abc');
  });

  it('never rejects a request to cache a hash or to track changes again', async () => {
    await catalog.start();
    const file = { path: 'file 1.txt', bytes: 1, modifiedMs: 1 };
    const requests = [catalog.cacheHashes([{ ...file, sha256: 'abc' }]), catalog.resumeTracking('')];
    await kill();
    await Promise.all(requests);
    assert.ok(log.lines.some((line) => line.startsWith('warn An operation on the catalog of Soil failed: ')));
    assert.equal(await count(), fileCount);
  });

  it('forwards log messages and errors of its catalogs', async () => {
    await fs.rename(nodePath.join(root, 'served'), nodePath.join(root, 'away'));
    await assert.rejects(count(), { status: 500, message: "The folder of the database Soil doesn't exist." });
    assert.ok(log.lines.some((line) => line.startsWith('warn The folder ')));
  });

  it('rejects calls after its end, and restarts for new ones', async () => {
    await catalog.start();
    const requests = assert.rejects(count(), closing);
    await thread.end();
    await requests;
    assert.equal(await count(), fileCount);
  });

  it('does not restart for a search in a closed catalog', async () => {
    await catalog.start();
    await catalog.close();
    await thread.end();
    await assert.rejects(count(), closing);
  });

  it('closes a catalog before the searches that wait, which reject with 503', async () => {
    await catalog.start();
    assert.equal(await count(), fileCount);
    const requests = Array.from({ length: 20 }, async () => await count('file'));
    const [responses] = await Promise.all([Promise.allSettled(requests), catalog.close()]);
    const rejected = responses.filter((response) => response.status === 'rejected');
    // One search may have started before the request to close arrived.
    assert.ok(rejected.length >= 19, `${rejected.length} of 20 were rejected`);
    for (const { reason } of rejected) await assert.rejects(Promise.reject(reason as Error), closing);
  });
});
