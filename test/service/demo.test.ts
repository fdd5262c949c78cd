import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listDemoDatabases } from '../../scripts/demo/demoData.ts';
import { startLocalService } from '../support/localService.ts';

describe('The databases of the demo', () => {
  let root: string;

  before(async () => (root = await mkdtemp(join(tmpdir(), 'dts-demo-'))));
  after(async () => await rm(root, { recursive: true, force: true }));

  it('are read-only except for My Data, so that nothing is left for the next demo (D43)', async () => {
    const [vega, atlas, destination] = ['vega', 'atlas', 'destination'].map((name) => join(root, name));
    assert.ok(vega && atlas && destination);
    for (const folder of [vega, atlas, destination]) await mkdir(folder);
    await writeFile(join(vega, 'cars.json'), '[]');
    const service = await startLocalService({ databases: listDemoDatabases({ vega, atlas }, destination) });
    try {
      const submit = async (to: string): Promise<number> => {
        const order = {
          source: 'Vega Datasets',
          destination: to,
          file_ids: ['cars.json'],
          orcid: '0000-0002-1825-0097',
        };
        const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
        const request = { method: 'POST', headers, body: JSON.stringify(order) };
        return (await fetch(`${service.address}/api/v1/transfers`, request)).status;
      };
      assert.deepEqual([await submit('Vega Datasets'), await submit('World and US Atlas')], [403, 403]);
      assert.equal(await submit('My Data'), 201);
      assert.deepEqual([await readdir(vega), await readdir(atlas)], [['cars.json'], []]);
    } finally {
      await service.stop();
    }
  });
});
