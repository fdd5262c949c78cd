import assert from 'node:assert/strict';
import { soak } from '../../support/soak/soak.ts';
import { createSoakPlan } from '../../support/soak/soakPlan.ts';
import { bySize } from '../../support/testSize.ts';

const size = bySize({ minutes: 0.25, transfers: 8 }, { minutes: 1, transfers: 20 });

/** `SOAK_SEED=<seed>` repeats an earlier run. `npm run soak` runs for ten minutes. */
const given = process.env['SOAK_SEED'];
const seed = given === undefined ? findSeedWithAllKinds(Date.now() % 1_000_000) : Number(given);

/** Returns the first seed, starting with `from`, whose plan contains all four kinds of actions. */
function findSeedWithAllKinds(from: number): number {
  const kinds = new Set(createSoakPlan(from, size.minutes * 60_000, size.transfers).map(({ kind }) => kind));
  return kinds.size === 4 ? from : findSeedWithAllKinds(from + 1);
}

describe('Transfers while the service and windows are killed (D12, D25)', () => {
  it('are all correct in the ledger at the end, and none is submitted twice', async () => {
    const { faults, final, serviceKills, windowKills } = await soak({ seed, ...size, log: () => undefined });
    assert.deepEqual(faults, [], `Repeat with SOAK_SEED=${String(seed)}`);
    assert.ok(serviceKills > 0 && windowKills > 0);
    assert.ok((final['succeeded'] ?? 0) > 0);
  });
});
