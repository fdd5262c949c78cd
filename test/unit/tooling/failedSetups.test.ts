import assert from 'node:assert/strict';
import Mocha, { Suite, Test } from 'mocha';
import { takeFailedSetup } from '../../support/failedSetups.ts';
import { runInOrder } from '../../support/testOrder.ts';

type Hook = 'beforeAll' | 'beforeEach';

/**
 * Runs a suite in which a hook fails, and then another suite. Resolves to the failed setups that `takeFailedSetup`
 * returns in their teardowns.
 */
async function runWithFailedHook(hook: Hook, teardown: 'afterAll' | 'afterEach'): Promise<readonly unknown[]> {
  const mocha = new Mocha({ reporter: Mocha.reporters.Base });
  const titles: unknown[] = [];
  for (const name of ['Broken', 'Sound']) {
    const suite = Suite.create(mocha.suite, name);
    suite[hook](() => assert.notEqual(name, 'Broken'));
    suite[teardown](() => void titles.push(takeFailedSetup()));
    suite.addTest(new Test('passes', () => undefined));
  }
  await runInOrder(mocha, 'written');
  mocha.dispose();
  return titles;
}

describe('The setup that failed', () => {
  it('is known to the teardown of its suite only, if it ran once for the suite', async () => {
    const titles = await runWithFailedHook('beforeAll', 'afterAll');
    assert.deepEqual(titles, ['Broken "before all" hook for "passes"', undefined]);
  });

  it('is known to the teardown of its test only, if it ran before each test', async () => {
    const titles = await runWithFailedHook('beforeEach', 'afterEach');
    assert.deepEqual(titles, ['Broken "before each" hook for "passes"', undefined]);
  });

  it('is known to the teardown of the suite around its own', async () => {
    const mocha = new Mocha({ reporter: Mocha.reporters.Base });
    const outer = Suite.create(mocha.suite, 'Outer');
    const titles: unknown[] = [];
    outer.afterAll(() => void titles.push(takeFailedSetup()));
    const inner = Suite.create(outer, 'inner');
    inner.beforeAll(() => assert.fail());
    inner.addTest(new Test('passes', () => undefined));
    await runInOrder(mocha, 'written');
    mocha.dispose();
    assert.deepEqual(titles, ['Outer inner "before all" hook for "passes"']);
  });

  it('is forgotten at the end of a suite whose teardown ignored it', async () => {
    await runWithFailedHook('beforeAll', 'afterEach');
    assert.equal(takeFailedSetup(), undefined);
  });
});
