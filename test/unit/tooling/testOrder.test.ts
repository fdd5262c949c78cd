import assert from 'node:assert/strict';
import Mocha, { Suite, Test } from 'mocha';
import { RingReporter } from '../../support/ringReporter.ts';
import { runInOrder, type TestOrder } from '../../support/testOrder.ts';

/** Runs two suites in the given order. Resolves to the hooks and tests that ran and the printed lines. */
async function runTwoSuites(order: TestOrder): Promise<{ ran: readonly string[]; printed: readonly string[] }> {
  const mocha = new Mocha({ reporter: RingReporter });
  const ran: string[] = [];
  for (const name of ['A', 'B']) {
    const suite = Suite.create(mocha.suite, name);
    suite.beforeAll(() => void ran.push(`before ${name}`));
    for (const title of ['1 (one)', '2']) suite.addTest(new Test(title, () => void ran.push(`${name} ${title}`)));
  }
  const printed: string[] = [];
  const print = console.log;
  console.log = (line: string) => printed.push(line);
  try {
    assert.equal(await runInOrder(mocha, order), 0);
  } finally {
    console.log = print;
  }
  return { ran, printed };
}

describe('The order of the tests of a ring', () => {
  it('is the written order', async () => {
    const { ran } = await runTwoSuites('written');
    assert.deepEqual(ran, ['before A', 'A 1 (one)', 'A 2', 'before B', 'B 1 (one)', 'B 2']);
  });

  it('can be reversed, for suites and their tests', async () => {
    const { ran } = await runTwoSuites('reverse');
    assert.deepEqual(ran, ['before B', 'B 2', 'B 1 (one)', 'before A', 'A 2', 'A 1 (one)']);
  });

  it('can be one run for each test, with its own hooks', async () => {
    const { ran } = await runTwoSuites('alone');
    const each = ['before A', 'A 1 (one)', 'before A', 'A 2', 'before B', 'B 1 (one)', 'before B', 'B 2'];
    assert.deepEqual(ran, each);
  });

  for (const order of ['written', 'reverse', 'alone'] as const)
    it(`reports each test once: ${order}`, async () => {
      const { printed } = await runTwoSuites(order);
      assert.equal(printed.length, 4);
      assert.equal(new Set(printed).size, 4);
    });
});
