import type Mocha from 'mocha';
import { recordFailedSetups } from './failedSetups.ts';

/** The orders in which a ring can run its tests: as written, reversed, or each test in a separate run. */
const testOrders = ['written', 'reverse', 'alone'] as const;

export type TestOrder = (typeof testOrders)[number];

/** The environment variable that passes the test order to a ring's processes. */
const variable = 'DATA_TRANSFER_TEST_ORDER';

/** Returns the order set in the environment; `written` if no known order is set. */
export function chosenOrder(): TestOrder {
  const chosen = process.env[variable];
  return testOrders.find((order) => order === chosen) ?? 'written';
}

/** Runs the loaded tests; resolves to the number of failures. */
export async function runInOrder(mocha: Mocha, order: TestOrder): Promise<number> {
  if (order === 'reverse') reverse(mocha.suite);
  return order === 'alone' ? await runEachAlone(mocha) : await run(mocha);
}

/** Returns the number of tests that did not run because of a pattern or a failed hook. */
export function testsNotRun({ tests, suites }: Mocha.Suite): number {
  const own = tests.filter(({ state }) => state === undefined).length;
  return suites.reduce((sum, suite) => sum + testsNotRun(suite), own);
}

/** Runs each test with only its own hooks, as `--grep` does with the test's full title. */
async function runEachAlone(mocha: Mocha): Promise<number> {
  mocha.cleanReferencesAfterRun(false);
  const pattern = mocha.options.grep instanceof RegExp ? mocha.options.grep : /(?:)/;
  let failures = 0;
  for (const title of listTitles(mocha.suite).filter((one) => pattern.test(one))) {
    mocha.grep(new RegExp(`^${title.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}$`));
    failures += await run(mocha);
  }
  return failures;
}

function run(mocha: Mocha): Promise<number> {
  return new Promise((resolve) => {
    recordFailedSetups(mocha.run(resolve));
  });
}

function listTitles(suite: Mocha.Suite): string[] {
  return [...suite.tests.map((test) => test.fullTitle()), ...suite.suites.flatMap(listTitles)];
}

function reverse(suite: Mocha.Suite): void {
  suite.tests.reverse();
  suite.suites.reverse();
  suite.suites.forEach(reverse);
}
