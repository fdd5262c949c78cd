import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Catalog, type CatalogThread } from '../../../src/service/catalog/catalog.ts';
import type { StoreListingState } from '../../../src/service/wire/apiSchemas.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const listed: StoreListingState = { state: 'listed', files: 1 };
const scanning: StoreListingState = { state: 'scanning', files: 1 };

describe('The state of a listing (D62)', () => {
  let answers: ((listing: StoreListingState) => void)[];

  /** Creates a catalog on a thread that answers requests for the listing only when the test says so. */
  function createCatalog(isStore: boolean): Catalog {
    const call = async (name: string, ...args: readonly unknown[]): Promise<unknown> =>
      name === 'call' && args[1] === 'getListing'
        ? await new Promise((resolve) => answers.push(resolve))
        : await Promise.resolve(undefined);
    const thread = { ensureRunning: () => ({ calls: { call } }) } as unknown as CatalogThread;
    const place = isStore ? { remote: 'lab:', rescanMs: 1, hasRestore: false } : { folder: '/data' };
    return new Catalog({ name: 'Lab', ...place, file: 'lab.db', thread, logger: new MemoryLog() } as never);
  }

  async function takeTurns(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }

  beforeEach(() => {
    answers = [];
    mock.timers.enable({ apis: ['setTimeout'] });
  });

  afterEach(() => mock.timers.reset());

  it('is requested again after a scan was requested, although an earlier request is pending', async () => {
    const catalog = createCatalog(true);
    const before = catalog.getListing();
    await takeTurns();
    await catalog.requestRescan();
    const after = catalog.getListing();
    await takeTurns();
    answers[0]?.(listed);
    answers[1]?.(scanning);
    assert.deepEqual([await before, await after], [listed, scanning]);
  });

  it('is awaited for a store while the thread is busy, because a missing one would look like the end of a scan', async () => {
    const listing = createCatalog(true).getListing();
    await takeTurns();
    mock.timers.tick(10_000);
    await takeTurns();
    answers[0]?.(scanning);
    assert.deepEqual(await listing, scanning);
  });

  it('is omitted for a folder while the thread is busy', async () => {
    const listing = createCatalog(false).getListing();
    await takeTurns();
    mock.timers.tick(2_000);
    assert.equal(await listing, undefined);
  });
});
