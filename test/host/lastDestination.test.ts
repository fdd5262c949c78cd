import assert from 'node:assert/strict';
import { fileEntry } from './specimens.ts';
import { Stage } from './stage.ts';

const jgi = 'JGI Data Portal';
const kss = 'KBase Workspace Service (KSS)';
const nmdc = 'National Microbiome Data Collaborative';

describe('Transfers', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    // With this search, the client learns how the service identifies its databases (D7: database name or id).
    await stage.search(jgi, 'JDP:00000');
  });
  afterEach(() => stage.close());

  /** Adds a search with `count` files, all of them checked. */
  const check = (database: string, count: number): void => {
    const { searchStore, sessions } = stage.parts;
    const files = Array.from({ length: count }, (_, index) =>
      fileEntry(`${database} ${index}`, { database, sizeBytes: 1 }),
    );
    searchStore.open(database, sessions.active?.connection.id ?? '', { database, query: '', pageSize: 10 });
    searchStore.update(database, { files, isLoading: false });
    searchStore.checkAll(database);
  };

  const start = async (): Promise<{ readonly done: Promise<void> }> => {
    const done = stage.run('dataTransfer.transferCheckedFiles');
    (await stage.person.pick()).choose(nmdc);
    return { done };
  };

  const bodies = (): readonly Record<string, unknown>[] =>
    stage.server.requestsTo('POST /api/v1/transfers').map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  it('suggest the last destination first', async () => {
    check(kss, 1);
    const first = await start();
    (await stage.person.pick()).choose('Continue');
    (await stage.person.notice()).press('Transfer');
    await first.done;
    check(kss, 1);
    const done = stage.run('dataTransfer.transferCheckedFiles');
    const destinations = await stage.person.pick();
    assert.deepEqual(destinations.labels, [nmdc, jgi]);
    assert.equal(destinations.activeItems[0]?.label, nmdc);
    destinations.escape();
    await done;
  });

  describe('to the last destination', () => {
    const transferOnce = async (): Promise<void> => {
      check(jgi, 1);
      const { done } = await start();
      (await stage.person.pick()).choose('Continue');
      (await stage.person.notice()).press('Transfer');
      await done;
      check(jgi, 2);
    };

    it('show only the summary, with a button for the other steps', async () => {
      await transferOnce();
      const done = stage.run('dataTransfer.transferToLastDestination');
      const summary = await stage.person.notice();
      assert.equal(summary.message, `Transfer 2 files to ${nmdc}?`);
      assert.deepEqual(summary.buttons, ['Transfer', 'Show Transfer', 'Edit…']);
      summary.press('Edit…');
      const destinations = await stage.person.pick();
      assert.equal(destinations.activeItems[0]?.label, nmdc);
      destinations.escape();
      await done;
      assert.equal(bodies().length, 1);
      const again = stage.run('dataTransfer.transferToLastDestination');
      (await stage.person.notice()).press('Transfer');
      await again;
      assert.equal(bodies()[1]?.['destination'], bodies()[0]?.['destination']);
      assert.equal(stage.parts.searchStore.checked.count, 0);
    });

    it('ask for another destination if it is gone or read-only', async () => {
      await transferOnce();
      const { connectionStore } = stage.parts;
      const { databases } = connectionStore.listing;
      connectionStore.setListing({
        databases: databases.map((database) => (database.name === nmdc ? { ...database, readOnly: true } : database)),
        isLoading: false,
      });
      const done = stage.run('dataTransfer.transferToLastDestination');
      const destinations = await stage.person.pick();
      assert.deepEqual(destinations.labels, [kss]);
      destinations.escape();
      await done;
    });
  });
});
