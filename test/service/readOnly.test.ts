import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import type { ProblemDocument } from '../../src/contract/problem.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const sentence = 'The database "Target" is read-only. Choose another destination.';

describe('A read-only database (D43)', () => {
  let rig: ServiceRig;

  afterEach(async () => await rig.stop());

  async function assertRefused(): Promise<void> {
    const answer = await rig.submit(['a.txt']);
    assert.equal(answer.status, 403);
    const { detail, errors } = answer.body as ProblemDocument;
    assert.deepEqual([detail, errors], [sentence, [{ message: sentence, location: 'body.destination' }]]);
    assert.deepEqual(await fs.readdir(rig.target), []);
  }

  async function readOnlyNames(): Promise<string[]> {
    const { body } = await rig.call('GET', '/api/v1/databases');
    return (body as { name: string; readOnly?: true }[]).flatMap(({ name, readOnly }) => (readOnly ? [name] : []));
  }

  it('is no destination, but a source, where the configuration says so', async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a' }, { readOnly: 'Target' });
    assert.deepEqual(await readOnlyNames(), ['Target']);
    await assertRefused();
    await rig.restart({ readOnly: 'Source Data' });
    const id = await rig.mustSubmit(['a.txt']);
    assert.equal((await rig.reaches(id, 'succeeded', 'failed')).status, 'succeeded');
  });

  it('is no destination where a lease says so, whatever another lease says', async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a' }, { shared: true });
    const lease = await rig.lease(rig.folders.map((folder) => ({ ...folder, readOnly: folder.name === 'Target' })));
    await rig.lease();
    assert.deepEqual(await readOnlyNames(), ['Target']);
    await assertRefused();
    lease.die();
    await assertRefused();
  });
});
