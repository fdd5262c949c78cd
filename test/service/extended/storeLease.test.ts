import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { ServiceRig } from '../../support/serviceRig.ts';

interface Listing {
  readonly state: string;
  readonly asOf?: string;
  readonly freeBytes?: number;
}

describe('A lease of a store (D29, D62)', () => {
  let rig: ServiceRig;
  let root: string;
  const config = process.env['RCLONE_CONFIG'];

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-store-lease-'));
    process.env['RCLONE_CONFIG'] = nodePath.join(root, 'rclone.conf');
    await fs.mkdir(nodePath.join(root, 'store'));
    const remote = ['[lab]', 'type = alias', `remote = ${nodePath.join(root, 'store')}`, ''];
    await fs.writeFile(nodePath.join(root, 'rclone.conf'), remote.join('\n'));
    rig = await ServiceRig.start({}, { shared: true });
  });
  afterEach(async () => {
    await rig.stop();
    if (config === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = config;
    await fs.rm(root, { recursive: true });
  });

  async function readListing(): Promise<Listing> {
    return ((await rig.call('GET', '/api/v1/databases/Lab')).body as { listing: Listing }).listing;
  }

  async function waitForListing(isExpected: (listing: Listing) => boolean): Promise<Listing> {
    return await eventually(async () => {
      const listing = await readListing();
      return isExpected(listing) ? listing : undefined;
    });
  }

  it('sets the age at which a search renews the listing', async () => {
    const first = await rig.lease([{ name: 'Lab', remote: 'lab:' }]);
    const { asOf } = await waitForListing(({ state }) => state === 'listed');
    const second = await rig.lease([{ name: 'Lab', remote: 'lab:', rescanMinutes: 0.0001 }]);
    await eventually(async () => {
      await rig.search('Lab');
      const listing = await readListing();
      return listing.asOf === asOf ? undefined : listing;
    });
    first.disconnect();
    second.disconnect();
  });

  it('reports the free space of the store', async () => {
    const lease = await rig.lease([{ name: 'Lab', remote: 'lab:' }]);
    const { freeBytes = 0 } = await waitForListing(({ state }) => state === 'listed');
    assert.ok(freeBytes > 0);
    lease.disconnect();
  });

  it('serves a requested store, and reports the state of its listing (D62)', async () => {
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
    lease.disconnect();
  });
});
