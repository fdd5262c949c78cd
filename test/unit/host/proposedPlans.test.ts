import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planLifetimeMs } from '../../../src/core/transfers/planFiles.ts';
import { ProposedPlans } from '../../../src/extension/features/agents/proposedPlans.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { planDraft } from '../core/planSpecimens.ts';

describe('The proposed plans of agents', () => {
  it('are reported as closed when they expire, even if their folder can no longer be read (D64)', async () => {
    const ledgerFolder = await mkdtemp(join(tmpdir(), 'proposed-'));
    const clock = new ManualClock();
    const plans = new ProposedPlans({ ledgerFolder, clock, log: new MemoryLog() });
    const store = await plans.openStore();
    const createdAt = clock.now();
    const { id } = await store.create({ ...planDraft, createdAt, expiresAt: createdAt + planLifetimeMs });
    await plans.refresh();
    assert.deepEqual(
      plans.getAll().map((plan) => plan.id),
      [id],
    );
    const closed: (string | undefined)[] = [];
    plans.onDidClose(({ plan, state }) => closed.push(plan.id, state?.kind));
    await rm(join(ledgerFolder, 'plans'), { recursive: true });
    await writeFile(join(ledgerFolder, 'plans'), 'a file where the folder should be');
    await clock.pass(planLifetimeMs);
    await plans.refresh();
    assert.deepEqual([plans.getAll(), closed], [[], [id, undefined]]);
    plans.dispose();
    await rm(ledgerFolder, { recursive: true });
  });
});
