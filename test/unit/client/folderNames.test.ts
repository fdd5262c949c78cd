import assert from 'node:assert/strict';
import { localServiceName } from '../../../src/contract/contract.ts';
import { json } from '../../support/faultBehaviors.ts';
import { startBench, type Bench } from './clientBench.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const status = { id, status: 'active' };

describe('The chosen name of the folder at the destination (D24)', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await startBench();
  });
  afterEach(() => bench.end());

  async function readFolder(name: string, folder: unknown): Promise<string | undefined> {
    bench.server.on('GET /', json({ name, version: '1.2' }));
    bench.server.on(`GET /api/v1/transfers/${id}`, json({ ...status, folder }));
    await bench.connect();
    const { value } = await bench.client.transferStatus(id);
    const { folder: read, ...rest } = value ?? {};
    assert.deepEqual(rest, status);
    return read;
  }

  it('is what the local service reports, if it is a plain name', async () => {
    assert.equal(await readFolder(localServiceName, 'run-42'), 'run-42');
    for (const folder of ['../run', '/etc', '', 7, null, { name: 'run' }])
      assert.equal(await readFolder(localServiceName, folder), undefined);
  });

  it('is not what another service reports, which may mean anything by it', async () => {
    assert.equal(await readFolder('Another service', 'run-42'), undefined);
  });

  it('can be chosen if the root document says so', async () => {
    for (const features of [undefined, null, 'instructions.folder', ['other'], ['other', 'instructions.folder']]) {
      bench.server.on('GET /', json({ name: 'A service', version: '1.2', features }));
      await bench.connect();
      const canChoose = Array.isArray(features) && features.includes('instructions.folder');
      assert.equal(bench.client.service?.canChooseFolder ?? false, canChoose);
    }
  });
});
