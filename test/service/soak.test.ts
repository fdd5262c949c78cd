import assert from 'node:assert/strict';
import { soak } from '../support/soak/soak.ts';

/** `SOAK_SEED=<seed>` does the same again; `npm run soak` goes on for ten minutes. */
const given = process.env['SOAK_SEED'];
const seed = given === undefined ? Date.now() % 1_000_000 : Number(given);

describe('A minute of transfers, while service and windows are killed (D12, D25)', function () {
  this.timeout(270_000);

  it('ends with every transfer in the ledger as it is in truth, and none submitted twice', async () => {
    const { faults, inTheEnd, serviceKills, windowKills } = await soak({
      seed,
      minutes: 1,
      transfers: 20,
      say: () => undefined,
    });
    assert.deepEqual(faults, [], `SOAK_SEED=${String(seed)} does the same again`);
    assert.ok(serviceKills > 0 && windowKills > 0);
    assert.ok((inTheEnd['succeeded'] ?? 0) > 0);
  });
});
