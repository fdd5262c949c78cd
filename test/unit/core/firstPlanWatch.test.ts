import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FirstPlanWatch } from '../../../src/core/transfers/planFiles.ts';
import { planLifetimeMs } from '../../../src/core/transfers/planFiles.ts';
import { PlanStore } from '../../../src/core/agents/planStore.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

describe('Watching for the first plan of an agent', () => {
  let ledger: string;
  let plans: PlanStore;
  let first: FirstPlanWatch;
  let calls: number;

  beforeEach(async () => {
    ledger = await mkdtemp(join(tmpdir(), 'agents-first-'));
    plans = new PlanStore(ledger, systemClock, new MemoryLog());
    calls = 0;
    first = new FirstPlanWatch(ledger, systemClock, () => calls++);
  });
  afterEach(async () => {
    first.dispose();
    await rm(ledger, { recursive: true });
  });

  /** Saves a plan, as another program would. Resolves to the plan's ID. */
  async function propose(): Promise<string> {
    const createdAt = Date.now();
    const { id } = await plans.create({
      createdAt,
      expiresAt: createdAt + planLifetimeMs,
      requestedBy: 'test-agent',
      service: { connectionId: 'c', name: 'Test', address: 'http://localhost:1', orcid: 'me' },
      source: 'Alpha',
      destination: 'Beta',
      files: [],
      textOrigin: 'agent',
      licenses: [],
      copies: { atDestination: 0, isComplete: true, received: 0, underWay: 0 },
    });
    return id;
  }

  it('calls back once if a plan waits for a decision', async () => {
    await propose();
    await first.start();
    await first.start();
    assert.equal(calls, 1);
  });

  it('calls back when another program plans a transfer', async () => {
    await first.start();
    assert.equal(calls, 0);
    await propose();
    await eventually(() => Promise.resolve(calls > 0 || undefined));
  });

  it('ignores plans that are decided or have expired, and other files', async () => {
    await plans.decide(await propose(), 'declined', 'test');
    const expired = join(ledger, 'plans', `${await propose()}.json`);
    const before = new Date(Date.now() - planLifetimeMs);
    await utimes(expired, before, before);
    await writeFile(join(ledger, 'plans', 'notes.json'), '{}');
    await mkdir(join(ledger, 'plans', 'aaaaaaaaaaaa.json.x.part'));
    await first.start();
    assert.equal(calls, 0);
  });
});
