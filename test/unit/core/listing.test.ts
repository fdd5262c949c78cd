import assert from 'node:assert/strict';
import { json, type Behavior } from '../../support/faultBehaviors.ts';
import { Rig } from './rig.ts';

describe('Listing the databases again', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
  });
  afterEach(() => rig.end());

  it('keeps the databases of the latest listing when the answer to an earlier one comes after it', async () => {
    await rig.connect();
    let release = (): void => undefined;
    const isLate = new Promise<void>((resolve) => (release = resolve));
    const late: Behavior = async (request, response) => {
      await isLate;
      await json([])(request, response);
    };
    const newest = { id: 'newest', name: 'Newest', organization: '', url: '' };
    rig.server.on('GET /api/v1/databases', late, json([newest]));
    const sent = rig.server.requests.length;
    const first = rig.explorer.connectFlow.refreshDatabases();
    await rig.server.received(sent + 1);
    await rig.explorer.connectFlow.refreshDatabases();
    release();
    await first;
    const names = rig.explorer.connectionStore.listing.databases.map(({ name }) => name);
    assert.deepEqual(names, ['Newest']);
  });
});
