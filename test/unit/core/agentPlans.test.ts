import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs, { mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentPolicy } from '../../../src/core/agents/agentPolicy.ts';
import { planLifetimeMs } from '../../../src/core/transfers/planFiles.ts';
import { PlanStore } from '../../../src/core/agents/planStore.ts';
import type { TransferPlan } from '../../../src/core/agents/transferPlan.ts';
import { fillDisk } from '../../support/fullDisk.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { localServiceName } from '../../../src/contract/contract.ts';
import { findPlannedOmission } from '../../../src/core/agents/transferPlan.ts';
import { json } from '../../support/faultBehaviors.ts';
import { AgentStage } from './agentStage.ts';

function replaceLink(replacement: unknown): void {
  Object.assign(fs, { link: replacement });
  syncBuiltinESMExports();
}

describe('The plans of agents', () => {
  let folder: string;
  let clock: ManualClock;
  let store: PlanStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agents-plans-'));
    clock = new ManualClock();
    store = new PlanStore(folder, clock, new MemoryLog());
  });
  afterEach(async () => {
    store.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  function createDraft(): Omit<TransferPlan, 'id'> {
    const createdAt = clock.now();
    return {
      createdAt,
      expiresAt: createdAt + planLifetimeMs,
      requestedBy: 'test-agent',
      service: { connectionId: 'c', name: 'Test', address: 'http://localhost:1', orcid: 'me' },
      source: 'Alpha',
      destination: 'Beta',
      files: [{ id: 'f1', path: 'f1.csv', bytes: 5 }],
      textOrigin: 'agent',
      licenses: [{ fileCount: 1, forbidsSharing: false }],
      copies: { atDestination: 0, isComplete: true, received: 0, underWay: 0 },
    };
  }

  it('are visible to every other program with the same records', async () => {
    const plan = await store.create(createDraft());
    const other = new PlanStore(folder, clock, new MemoryLog());
    assert.deepEqual(await other.list(), [{ plan, state: { kind: 'proposed' } }]);
  });

  it('state the folder that an agent chose, and what its listing leaves out', async () => {
    const stage = await AgentStage.start({ 'exp/a.csv': {} });
    try {
      const resources = [{ id: 'exp/a.csv', path: 'exp/a.csv', bytes: 5 }];
      stage.rig.server
        .on('GET /', json({ name: localServiceName, version: '1.2.3' }))
        .on('POST /api/v1/files', json({ resources, leftOut: { hidden: 2 } }));
      await stage.rig.connect();
      const request = { source: 'Alpha', destination: 'Beta', folder: 'exp' };
      const { content } = await stage.call('plan_transfer', request);
      assert.deepEqual(content['leftOut'], { hidden: 2 });
      const { plan } = await stage.createContext().plans.require(String(content['planId']));
      assert.deepEqual(findPlannedOmission(plan), { place: 'exp', leftOut: { hidden: 2 } });
    } finally {
      await stage.end();
    }
  });

  it('are decided once, even if several programs try at the same time (D64)', async () => {
    const { id } = await store.create(createDraft());
    const stores = Array.from({ length: 20 }, () => new PlanStore(folder, clock, new MemoryLog()));
    const results = await Promise.allSettled(
      stores.map((one, index) => one.decide(id, index % 2 === 0 ? 'confirmed' : 'declined', `window ${index}`)),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.deepEqual((await readdir(join(folder, 'plans'))).toSorted(), [`${id}.decision.json`, `${id}.json`]);
  });

  it('expire after 15 minutes, and can no longer be decided', async () => {
    const { id } = await store.create(createDraft());
    await clock.pass(planLifetimeMs);
    assert.equal((await store.get(id))?.state.kind, 'expired');
    const message = `Plan ${id} has expired. Plan the transfer again.`;
    await assert.rejects(store.decide(id, 'confirmed', 'test'), { code: 'planExpired', message });
  });

  it('count as confirmed if their decision is damaged, so that nothing is sent twice', async () => {
    const { id } = await store.create(createDraft());
    await writeFile(join(folder, 'plans', `${id}.decision.json`), '{"kin');
    assert.equal((await store.get(id))?.state.kind, 'confirmed');
    await assert.rejects(store.decide(id, 'confirmed', 'test'), { code: 'planDecided' });
  });

  it("count as confirmed if their decision can't be read, so that nothing is sent twice", async () => {
    const { id } = await store.create(createDraft());
    await mkdir(join(folder, 'plans', `${id}.decision.json`));
    assert.equal((await store.get(id))?.state.kind, 'confirmed');
    await assert.rejects(store.decide(id, 'confirmed', 'test'), { code: 'planDecided' });
  });

  it('record the ID of the transfer that they became', async () => {
    const { id } = await store.create(createDraft());
    await store.decide(id, 'confirmed', 'test');
    await store.recordTransfer(id, 'key');
    const state = (await store.get(id))?.state;
    assert.deepEqual(state, { kind: 'submitted', by: 'test', at: clock.now(), transferKey: 'key' });
  });

  it('are limited to 20 pending ones, and old ones are deleted with their decisions', async () => {
    for (let count = 0; count < 20; count += 1) await store.create(createDraft());
    await assert.rejects(store.create(createDraft()), { code: 'tooManyPlans' });
    const [first] = await store.list();
    await store.decide(first?.plan.id ?? '', 'declined', 'test');
    await clock.pass(2 * 86_400_000);
    const { id } = await store.create(createDraft());
    assert.deepEqual(await readdir(join(folder, 'plans')), [`${id}.json`]);
  });

  it('are limited to 20 pending ones even if many are created at the same time', async () => {
    const results = await Promise.allSettled(Array.from({ length: 60 }, () => store.create(createDraft())));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 20);
    assert.equal((await store.list()).length, 20);
  });

  it("are limited to 200 expired ones, so that an agent can't fill the disk", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 11; count += 1) {
      for (let added = 0; added < 20; added += 1) ids.push((await store.create(createDraft())).id);
      await clock.pass(planLifetimeMs);
    }
    const saved = await store.list();
    assert.ok(saved.length <= 200, String(saved.length));
    const left = new Set(saved.map(({ plan }) => plan.id));
    assert.deepEqual(
      ids.filter((id) => !left.has(id)),
      ids.slice(0, 20),
    );
  });

  it('are refused with a message if an old one cannot be deleted', async () => {
    const { id } = await store.create(createDraft());
    await mkdir(join(folder, 'plans', `${id}.decision.json`));
    await clock.pass(2 * 86_400_000);
    await assert.rejects(store.create(createDraft()), {
      code: 'notSaved',
      message: 'The plan or its decision could not be saved (ERR_FS_EISDIR).',
    });
  });

  it('leave no partial file on a full disk, even on a file system without links', async () => {
    const { link } = fs;
    const { id } = await store.create(createDraft());
    let emptyDisk = (): void => undefined;
    replaceLink(() => {
      emptyDisk = fillDisk(folder);
      return Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
    });
    try {
      await assert.rejects(store.decide(id, 'declined', 'test'), {
        code: 'notSaved',
        message: 'The plan or its decision could not be saved (ENOSPC).',
      });
    } finally {
      emptyDisk();
      replaceLink(link);
    }
    assert.deepEqual(await readdir(join(folder, 'plans')), [`${id}.json`]);
    assert.equal((await store.get(id))?.state.kind, 'proposed');
  });

  it('are found by exact IDs only, never by paths', async () => {
    await writeFile(join(folder, 'secret.json'), '{}');
    for (const id of ['', '../secret', '..\\secret', 'a'.repeat(1_000_000), 'x/../../secret'])
      assert.equal(await store.get(id), undefined);
  });

  it('are ignored if they are damaged or of a later version', async () => {
    const plan = await store.create(createDraft());
    await writeFile(join(folder, 'plans', 'aaaaaaaaaaaa.json'), 'x');
    await writeFile(join(folder, 'plans', `${plan.id}.json`), JSON.stringify({ version: 2, plan }));
    assert.deepEqual(await store.list(), []);
  });

  it('are not read from pipes or oversized files, and neither is the rule, which is then "never"', async () => {
    const { id } = await store.create(createDraft());
    execFileSync('mkfifo', [join(folder, 'plans', 'aaaaaaaaaaaa.json'), join(folder, 'agents.json')]);
    await writeFile(join(folder, 'plans', 'bbbbbbbbbbbb.json'), '');
    await truncate(join(folder, 'plans', 'bbbbbbbbbbbb.json'), 2 ** 40);
    assert.deepEqual(
      (await store.list()).map(({ plan }) => plan.id),
      [id],
    );
    assert.equal(await new AgentPolicy(folder).read(), 'never');
  });

  it('notify other windows of a change', async () => {
    const changed = new Promise<void>((resolve) => store.onDidChange(resolve));
    await store.start();
    await new PlanStore(folder, clock, new MemoryLog()).create(createDraft());
    await changed;
    assert.equal((await store.list()).length, 1);
  });

  it('notify no window that has closed', async () => {
    const [closed, open] = [store, new PlanStore(folder, clock, new MemoryLog())];
    let calls = 0;
    closed.onDidChange(() => (calls += 1));
    const changed = new Promise<void>((resolve) => open.onDidChange(resolve));
    for (const one of [closed, open]) await one.start();
    closed.dispose();
    await new PlanStore(folder, clock, new MemoryLog()).create(createDraft());
    await changed;
    open.dispose();
    assert.equal(calls, 0);
  });

  it('follow the rule stored with the records: "ask" if there is none, "never" if it is damaged', async () => {
    const policy = new AgentPolicy(folder);
    assert.equal(await policy.read(), 'ask');
    await policy.write('never');
    assert.equal(await policy.read(), 'never');
    await policy.write('ask');
    assert.equal(await policy.read(), 'ask');
    await writeFile(join(folder, 'agents.json'), '{"submit": "as');
    assert.equal(await policy.read(), 'never');
    await rm(join(folder, 'agents.json'));
    await symlink(join(folder, 'gone'), join(folder, 'agents.json'));
    assert.equal(await policy.read(), 'never', 'a link to a missing file');
  });
});
