import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { ServiceRig } from '../support/serviceRig.ts';

describe('A lease of a store (D29, D62)', () => {
  let rig: ServiceRig;

  beforeEach(async () => (rig = await ServiceRig.start({}, { shared: true })));
  afterEach(async () => await rig.stop());

  it('serves a requested store, which has the state of its listing (D62)', async () => {
    const lease = await rig.lease([{ name: 'Lab', remote: 'not-configured:bucket' }]);
    assert.deepEqual(
      lease.databases.map(({ name, url }) => [name, url]),
      [['Lab', 'rclone:not-configured:bucket']],
    );
    const body = await eventually(async () => {
      const { body: current } = await rig.call('GET', '/api/v1/databases/Lab');
      return (current as { listing: { state: string } }).listing.state === 'failed' ? current : undefined;
    });
    const { listing } = body as { listing: object };
    assert.deepEqual(listing, {
      state: 'failed',
      files: 0,
      problem: "its remote isn't in the rclone configuration",
    });
    lease.die();
  });
});
