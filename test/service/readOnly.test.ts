import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import type { ProblemDocument } from '../../src/contract/contract.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const sentence = 'The database "Target" is read-only. Select another destination.';

describe('A read-only database (D43)', () => {
  let rig: ServiceRig;

  afterEach(async () => await rig.stop());

  async function assertRefused(): Promise<void> {
    const response = await rig.submit(['a.txt']);
    assert.equal(response.status, 403);
    const { detail, errors } = response.body as ProblemDocument;
    assert.deepEqual([detail, errors], [sentence, [{ message: sentence, location: 'body.destination' }]]);
    assert.deepEqual(await fs.readdir(rig.target), []);
  }

  async function readOnlyNames(): Promise<string[]> {
    const { body } = await rig.call('GET', '/api/v1/databases');
    return (body as { name: string; readOnly?: true }[]).flatMap(({ name, readOnly }) => (readOnly ? [name] : []));
  }

  it('can be a source, but not a destination, by configuration', async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a' }, { readOnly: 'Target' });
    assert.deepEqual(await readOnlyNames(), ['Target']);
    await assertRefused();
    await rig.restart({ readOnly: 'Source Data' });
    const id = await rig.mustSubmit(['a.txt']);
    assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
  });

  it('fails transfers that were accepted before it became read-only, and receives no files', async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a'.repeat(1_000_000) }, { throttleBytesPerSecond: 100_000 });
    const id = await rig.mustSubmit(['a.txt']);
    await rig.waitForStatus(id, 'active');
    await rig.restart({ readOnly: 'Target' });
    const { message } = await rig.waitForStatus(id, 'succeeded', 'failed');
    assert.equal(message, `Transfer ${id}: failed (the database "Target" is read-only)`);
    assert.deepEqual(await fs.readdir(rig.target), []);
  });

  it('cannot be a destination while one of several leases makes it read-only', async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a' }, { shared: true });
    const lease = await rig.lease(rig.folders.map((folder) => ({ ...folder, readOnly: folder.name === 'Target' })));
    await rig.lease();
    assert.deepEqual(await readOnlyNames(), ['Target']);
    await assertRefused();
    lease.disconnect();
    await eventually(async () => ((await readOnlyNames()).length === 0 ? true : undefined));
    const id = await rig.mustSubmit(['a.txt']);
    assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
  });
});
