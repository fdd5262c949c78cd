import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDecision, parseOutcome, parsePlan, PlanStore } from '../../../src/core/agents/planStore.ts';
import { planLifetimeMs } from '../../../src/core/transfers/planFiles.ts';
import { findPlanConnection, toPlannedOrder, type TransferPlan } from '../../../src/core/agents/transferPlan.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { planDraft } from './planSpecimens.ts';

const plan: TransferPlan = { ...planDraft, id: 'aaaaaaaaaaaa' };

describe('The file of a plan', () => {
  const write = (change: object): string => JSON.stringify({ version: 1, plan: { ...plan, ...change } });

  it('is read back as it was written', () => {
    assert.deepEqual(parsePlan(write({})), plan);
    const { description, instructions, freeBytes, ...least } = {
      ...plan,
      files: [{ id: 'f', path: 'f' }],
      licenses: [],
    };
    assert.deepEqual([description, instructions, freeBytes], ['For May', { a: 1 }, 1.5]);
    assert.deepEqual(parsePlan(JSON.stringify({ version: 1, plan: least })), least);
  });

  for (const change of [
    ...[{ id: 5 }, { createdAt: '0' }, { expiresAt: null }, { requestedBy: {} }, { source: 1 }, { destination: 1 }],
    ...[
      { service: { ...plan.service, address: undefined } },
      { service: { ...plan.service, orcid: 5 } },
      { files: {} },
    ],
    ...[
      { files: [{ id: 'f' }] },
      { files: [{ id: 'f', path: 'f', bytes: -1 }] },
      { files: [{ id: 'f', path: 'f', hash: 5 }] },
    ],
    ...[
      { files: [{ id: 'f', path: 'f', licenses: [{}] }] },
      { description: 5 },
      { instructions: 'x' },
      { textOrigin: 'me' },
    ],
    ...[{ licenses: [{ fileCount: 1 }] }, { copies: { ...plan.copies, underWay: 0.5 } }, { freeBytes: '5' }],
  ]) {
    it(`is ignored with ${JSON.stringify(change)}`, () => {
      assert.equal(parsePlan(write(change)), undefined);
    });
  }

  it('is ignored if there is none, or if it is of a later version', () => {
    assert.equal(parsePlan(undefined), undefined);
    assert.equal(parsePlan(JSON.stringify({ version: 2, plan })), undefined);
  });

  it('has a decision that counts as confirmed if it is unreadable', () => {
    const confirmed = { kind: 'confirmed', by: '', at: 0 };
    assert.equal(parseDecision(undefined), undefined);
    assert.deepEqual(parseDecision('{"kind":"declined","by":"w","at":5}'), { kind: 'declined', by: 'w', at: 5 });
    for (const text of ['', '{}', '{"kind":"maybe","by":"w","at":5}', '{"kind":"declined","by":5,"at":5}'])
      assert.deepEqual(parseDecision(text), confirmed, text);
  });

  it('has an outcome only if it can be read', () => {
    assert.deepEqual(parseOutcome('{"transferKey":"k","at":5,"more":1}'), { transferKey: 'k', at: 5 });
    for (const text of [undefined, '', '{"transferKey":5,"at":5}', '{"transferKey":"k"}'])
      assert.equal(parseOutcome(text), undefined, text);
  });
});

describe('The transfer order of a plan', () => {
  it('has the files with their licenses, and the ORCID iD of the plan', () => {
    assert.deepEqual(toPlannedOrder(plan, 'other'), {
      connectionId: 'other',
      orcid: 'me',
      source: 'Alpha',
      destination: 'Beta',
      files: [
        {
          id: 'f1',
          name: 'f1.csv',
          path: 'a/f1.csv',
          sizeBytes: 5,
          hash: 'a'.repeat(32),
          licenses: [{ name: 'X', url: 'https://x.org' }],
        },
      ],
      description: 'For May',
      instructions: { a: 1 },
    });
    const { description, instructions, ...least } = { ...plan, files: [{ id: 'f', path: 'f' }] };
    assert.ok(description && instructions);
    assert.deepEqual(toPlannedOrder(least, 'c'), {
      connectionId: 'c',
      orcid: 'me',
      source: 'Alpha',
      destination: 'Beta',
      files: [{ id: 'f', name: 'f' }],
    });
  });

  it('is sent over the connection with the same ID, or otherwise over one to the same address', () => {
    const [own, same, other] = ['http://localhost:1', 'http://localhost:1', 'http://localhost:2'].map((address) => ({
      service: { address },
    }));
    const find = (open: unknown, all: readonly unknown[]): unknown =>
      findPlanConnection({ get: () => open, getAll: () => all } as never, plan);
    assert.equal(find(own, [other, same, own]), own);
    assert.equal(find(other, [other, same]), same);
    assert.equal(find(undefined, [other, same]), same);
    assert.equal(find(undefined, [other]), undefined);
  });
});

describe('The store of plans', () => {
  let folder: string;
  let clock: ManualClock;
  let log: MemoryLog;
  let store: PlanStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agents-records-'));
    [clock, log] = [new ManualClock(), new MemoryLog()];
    store = new PlanStore(folder, clock, log);
  });
  afterEach(async () => {
    store.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const create = async (): Promise<TransferPlan> => {
    const createdAt = clock.now();
    return await store.create({ ...planDraft, createdAt, expiresAt: createdAt + planLifetimeMs });
  };

  it('writes files that only their owner can read', async () => {
    const { id } = await create();
    const modes = [join(folder, 'plans'), join(folder, 'plans', `${id}.json`)].map(
      async (path) => (await stat(path)).mode & 0o777,
    );
    assert.deepEqual(await Promise.all(modes), [0o700, 0o600]);
    assert.match(id, /^[\da-f]{12}$/);
  });

  it('has no plans before its folder exists, and reports a folder that it cannot read', async () => {
    assert.deepEqual(await store.list(), []);
    await writeFile(join(folder, 'plans'), '');
    const failure = { name: 'AgentError', code: 'notRead', message: "The plans of agents can't be read (ENOTDIR)." };
    await assert.rejects(store.list(), failure);
  });

  it('lists the newest plan first', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      ids.unshift((await create()).id);
      await clock.pass(1_000);
    }
    assert.deepEqual(
      (await store.list()).map(({ plan: { id } }) => id),
      ids,
    );
  });

  it('keeps a plan for a day after its expiry', async () => {
    const { id } = await create();
    await clock.pass(planLifetimeMs + 24 * 3_600_000);
    await create();
    assert.ok(await store.get(id));
    await clock.pass(1);
    await create();
    assert.equal(await store.get(id), undefined);
  });

  it('ignores a plan in the file of another plan', async () => {
    await mkdir(join(folder, 'plans'));
    await writeFile(join(folder, 'plans', 'bbbbbbbbbbbb.json'), JSON.stringify({ version: 1, plan }));
    assert.deepEqual([await store.list(), await store.get('bbbbbbbbbbbb')], [[], undefined]);
  });

  it('reports that a plan does not exist, was declined or was confirmed', async () => {
    await assert.rejects(store.decide('aaaaaaaaaaaa', 'confirmed', 'w'), {
      code: 'notFound',
      message: 'There is no such plan.',
    });
    for (const [kind, words] of [
      ['declined', /was declined by the user/],
      ['confirmed', /was already confirmed/],
    ] as const) {
      const { id } = await create();
      await store.decide(id, kind, 'w');
      await assert.rejects(store.decide(id, 'confirmed', 'w'), words);
    }
  });

  it('reports why a plan cannot be saved, and leaves no file', async () => {
    await writeFile(join(folder, 'plans'), '');
    await assert.rejects(create(), {
      code: 'notSaved',
      message: 'The plan or its decision could not be saved (ENOTDIR).',
    });
    assert.deepEqual(await readdir(folder), ['plans']);
  });

  it('logs that a plan cannot be read, or that its transfer cannot be recorded', async () => {
    const { id } = await create();
    await rm(join(folder, 'plans', `${id}.json`));
    assert.equal(await store.get(id), undefined);
    assert.deepEqual(log.lines, []);
    await mkdir(join(folder, 'plans', `${id}.json`));
    assert.equal(await store.get(id), undefined);
    assert.match(log.lines.join('\n'), /A plan or its decision could not be read: E/);
    await rm(join(folder, 'plans'), { recursive: true });
    await writeFile(join(folder, 'plans'), '');
    await store.recordTransfer(id, 'k');
    assert.match(log.lines.join('\n'), /The transfer of plan [\da-f]{12} could not be recorded: EEXIST$/m);
  });
});
