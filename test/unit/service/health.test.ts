import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { Catalog, type CatalogThread } from '../../../src/service/catalog/catalog.ts';
import { Health } from '../../../src/service/health.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

type Check = () => Promise<unknown>;

const readable: Check = () => Promise.resolve([]);
const unreadable: Check = () => Promise.reject(new Error('The folder is not there.'));

describe('The health check of the local service (D40)', () => {
  let dataFolder: string;
  let clock: ManualClock;
  let log: MemoryLog;
  let isStopping: boolean;

  beforeEach(async () => {
    dataFolder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-health-'));
    clock = new ManualClock();
    log = new MemoryLog();
    isStopping = false;
  });
  afterEach(() => fs.rm(dataFolder, { recursive: true, force: true }));

  function newHealth(checks: Readonly<Record<string, Check>>): Health {
    const list = () =>
      Object.entries(checks).map(([name, filesByIds]) => ({ document: { id: name, name }, catalog: { filesByIds } }));
    return new Health({ databases: { list }, dataFolder, clock, logger: log, isStopping: () => isStopping });
  }

  it('succeeds when every database is readable, and without databases', async () => {
    assert.deepEqual(await newHealth({ A: readable, B: readable }).findProblems(), []);
    assert.deepEqual(await newHealth({}).findProblems(), []);
    assert.deepEqual(log.lines, []);
  });

  it('counts unreadable databases, and logs their names once per change', async () => {
    const checks = { Archive: unreadable, Lab: readable };
    const health = newHealth(checks);
    const problems = ["1 of 2 databases can't be read."];
    assert.deepEqual([await health.findProblems(), await health.findProblems()], [problems, problems]);
    checks.Archive = readable;
    assert.deepEqual(await health.findProblems(), []);
    assert.equal(log.lines.length, 2);
    assert.match(log.lines[0] ?? '', /database Archive can't be read/);
    assert.match(log.lines[1] ?? '', /is ready/);
  });

  it('reports a database that is still being read, and queries it only once meanwhile', async () => {
    let checkCount = 0;
    let answer = (): void => undefined;
    const hang: Check = () => {
      checkCount += 1;
      return new Promise<void>((resolve) => (answer = resolve));
    };
    const health = newHealth({ Large: hang, Small: readable });
    for (let round = 1; round <= 3; round += 1) {
      const problems = Promise.all([health.findProblems(), health.findProblems()]);
      while (clock.waitingCount !== 1) await new Promise(setImmediate);
      await clock.pass(2_000);
      const expected = ["1 of 2 databases can't be searched yet: still being scanned, or not responding."];
      assert.deepEqual(await problems, [expected, expected]);
    }
    assert.equal(checkCount, 1);
    answer();
    await new Promise(setImmediate);
    const last = health.findProblems();
    answer();
    assert.equal(checkCount, 2);
    assert.deepEqual(await last, []);
  });

  it('does not count a store as unreadable when a query gives up waiting for its first scan', async () => {
    const call = (method: string): Promise<unknown> =>
      method === 'open'
        ? Promise.resolve()
        : Promise.reject(Object.assign(new Error('It is being scanned.'), { code: 'DATABASE_SCANNING' }));
    const thread = { ensureRunning: () => ({ calls: { call } }) } as unknown as CatalogThread;
    const settings = { rescanMs: 1, hasRestore: false, rclone: undefined };
    const store = new Catalog({ name: 'Store', remote: 'lab:', file: 'lab.db', ...settings, thread, logger: log });
    const health = newHealth({ Store: async () => await store.filesByIds([]), Small: readable });
    const expected = ["1 of 2 databases can't be searched yet: still being scanned, or not responding."];
    assert.deepEqual(await health.findProblems(), expected);
  });

  it('reports a data folder that is not writable', async () => {
    await fs.rm(dataFolder, { recursive: true });
    assert.deepEqual(await newHealth({ A: readable }).findProblems(), ["The data folder can't be written to."]);
  });

  it('reports that the service is stopping, without further checks', async () => {
    isStopping = true;
    const health = newHealth({ A: () => assert.fail('nothing is asked') });
    assert.deepEqual(await health.findProblems(), ['The service is stopping.']);
  });
});
