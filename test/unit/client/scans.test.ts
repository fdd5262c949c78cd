import assert from 'node:assert/strict';
import { localServiceName } from '../../../src/contract/contract.ts';
import { empty, json, problem } from '../../support/faultBehaviors.ts';
import { startBench, type Bench } from './clientBench.ts';

describe('A request to scan a database again', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await startBench();
  });
  afterEach(() => bench.end());

  for (const base of ['', '/lab', '/lab/api/v1', '/lab/data sets']) {
    it(`is sent outside of the API, below the path of the service's address: "${base}"`, async () => {
      const path = encodeURI(base);
      bench.server.on(`GET ${path === '' ? '/' : `${path}/`}`, json({ name: localServiceName, version: '1.2' }));
      bench.server.on(`GET ${path}`, json({ name: localServiceName, version: '1.2' }));
      bench.server.on(`POST ${path}/databases/lab-bucket/scans`, empty(202));
      await bench.connect({ server: `${bench.server.address}${base}/` });
      assert.deepEqual(await bench.client.scanDatabase('lab-bucket'), { value: true });
    });
  }

  it('has the reason of the service if it fails', async () => {
    bench.server.on('POST /databases/a%2Fb/scans', problem(404, 'no such database'));
    await bench.connect();
    const { value, reason } = await bench.client.scanDatabase('a/b');
    assert.deepEqual([value, reason?.kind, reason?.detail], [undefined, 'notFound', 'no such database']);
  });
});
