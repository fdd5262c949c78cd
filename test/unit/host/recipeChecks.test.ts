import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getLockPath, readLock, writeLock, type RecipeLock } from '../../../src/core/recipes/recipeLock.ts';
import { getLockToCheck, RecipeChecks, unknownStatus } from '../../../src/extension/features/recipes/recipeChecks.ts';
import type { RecipeStatus } from '../../../src/extension/features/recipes/recipeTree.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { emptyLock } from '../core/specimens.ts';

const hourMs = 60 * 60_000;

/** A check that is running or waiting for its turn. */
interface PendingCheck {
  resolve(status: RecipeStatus): void;
  reject(error: Error): void;
}

describe('The status of a recipe in its row (D61)', () => {
  let clock: ManualClock;
  let checks: RecipeChecks;
  let found: PendingCheck[];
  let changes: number;

  beforeEach(() => {
    clock = new ManualClock();
    checks = new RecipeChecks(clock);
    found = [];
    changes = 0;
    checks.onDidChange(() => (changes += 1));
  });
  afterEach(() => checks.dispose());

  /** Shows the row. Returns its description. */
  const show = (): string =>
    checks.get('r', () => new Promise((resolve, reject) => void found.push({ resolve, reject }))).description;
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  /** Shows the row and ends its check with the given result. */
  const check = async (status: RecipeStatus | Error): Promise<void> => {
    show();
    await settle();
    const running = found.at(-1);
    if (status instanceof Error) running?.reject(status);
    else running?.resolve(status);
    await settle();
  };
  const toStatus = (description: string): RecipeStatus => ({ description, icon: 'beaker' });

  it('is determined once an hour, and again after a change of its files', async () => {
    await check(toStatus('not run yet'));
    await clock.pass(hourMs - 1);
    assert.equal(show(), 'not run yet');
    assert.equal(found.length, 1);
    checks.forget('r');
    assert.equal(checks.getCurrent('r'), undefined);
    await check(toStatus('1 new'));
    assert.equal(show(), '1 new');
    await clock.pass(hourMs);
    await check(toStatus('2 new'));
    assert.deepEqual([show(), found.length], ['2 new', 3]);
  });

  it('is determined again if the connections change while it is compared', async () => {
    await check(toStatus('not run yet'));
    checks.forget('r');
    show();
    await settle();
    changes = 0;
    // The connection was replaced during the comparison, which therefore fails.
    checks.forgetUnknown();
    found.at(-1)?.reject(new Error('closed'));
    await settle();
    assert.ok(changes > 0, 'the row is shown again');
    assert.equal(checks.getCurrent('r'), undefined);
    await check(toStatus('1 new'));
    assert.equal(show(), '1 new');
  });

  it('is determined again after a minute if the service has failed', async () => {
    await check(new Error('busy'));
    assert.equal(checks.getCurrent('r'), unknownStatus);
    await clock.pass(60_000);
    await check(toStatus('1 new'));
    assert.equal(show(), '1 new');
  });
});

describe('An automatic check of a recipe (D61)', () => {
  const lock: RecipeLock = {
    ...emptyLock,
    files: [{ id: 'a', path: 'reads/a.fq' }],
  };
  let folder: string;
  let recipe: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recipe-checks-'));
    recipe = join(folder, lock.recipe);
    await writeLock(recipe, lock);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('compares with the lock of a run in a trusted workspace', async () => {
    assert.deepEqual(getLockToCheck(await readLock(recipe), true), lock);
  });

  it('compares nothing in an untrusted workspace', async () => {
    assert.equal(getLockToCheck(await readLock(recipe), false), undefined);
  });

  it('compares nothing with a lock that is edited, of another recipe, or invalid', async () => {
    const path = getLockPath(recipe);
    const text = await readFile(path, 'utf8');
    for (const [kind, content] of [
      ['edited', text.replace('reads/a.fq', 'reads/b.fq')],
      ['foreign', text.replace(lock.recipe, 'other.transfer.json')],
      ['broken', '{}'],
    ] as const) {
      await writeFile(path, content);
      const read = await readLock(recipe);
      assert.equal(read.kind, kind);
      assert.equal(getLockToCheck(read, true), undefined);
    }
  });
});
