import assert from 'node:assert/strict';
import { localServiceName } from '../../../src/contract/contract.ts';
import { json, problem } from '../../support/faultBehaviors.ts';
import { startBench, type Bench } from './clientBench.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';
const orcid = '0000-0002-1825-0097';
const paused = { id, status: 'inactive', message: `Transfer ${id}: paused by you`, paused: true };
const status = { id, status: 'inactive', message: paused.message };

describe('A request to pause or resume a transfer (D70)', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await startBench();
  });
  afterEach(() => bench.end());

  it('is sent outside of the API with the ORCID iD, and returns the new status', async () => {
    bench.server.on('GET /lab/', json({ name: localServiceName, version: '1.2' }));
    bench.server.on('GET /lab', json({ name: localServiceName, version: '1.2' }));
    bench.server.on(`POST /lab/transfers/${id}/pause`, json(paused));
    bench.server.on(`POST /lab/transfers/${id}/resume`, json({ id, status: 'staging', paused: false }));
    await bench.connect({ server: `${bench.server.address}/lab` });
    const given = { id: id.toUpperCase(), orcid };
    assert.deepEqual(await bench.client.pauseTransfer(given), { value: { ...status, isPaused: true } });
    assert.deepEqual(await bench.client.resumeTransfer(given), { value: { id, status: 'staging', isPaused: false } });
    assert.deepEqual(
      bench.server.requests.map(({ method, url }) => `${method} ${url}`),
      ['pause', 'resume'].map((change) => `POST /lab/transfers/${id}/${change}?orcid=${orcid}`),
    );
  });

  it('is sent once, and has the reason of the service if it fails', async () => {
    bench.server.on(`POST /transfers/${id}/pause`, problem(409, 'It is already paused.'));
    await bench.connect();
    const { value, reason } = await bench.client.pauseTransfer({ id, orcid });
    assert.deepEqual([value, reason?.kind, reason?.detail], [undefined, 'refused', 'It is already paused.']);
    assert.equal(bench.server.requests.length, 1);
  });

  it('is possible only where the local service says so in the status', async () => {
    for (const name of [localServiceName, 'Another service']) {
      bench.server.on('GET /', json({ name, version: '1.2' }));
      bench.server.on(`GET /api/v1/transfers/${id}`, json(paused));
      await bench.connect();
      const expected = name === localServiceName ? { ...status, isPaused: true } : status;
      assert.deepEqual(await bench.client.transferStatus(id), { value: expected });
    }
    bench.server.on('GET /', json({ name: localServiceName, version: '1.2' }));
    bench.server.on(`GET /api/v1/transfers/${id}`, json({ ...paused, paused: 'yes' }));
    await bench.connect();
    assert.deepEqual(await bench.client.transferStatus(id), { value: status });
  });
});
