import type Mocha from 'mocha';
import { printEnd } from './ringReporter.ts';

/** The orders of the tests of a ring: as written, backwards, or each in a run of its own. */
const testOrders = ['written', 'reverse', 'alone'] as const;

export type TestOrder = (typeof testOrders)[number];

/** The variable that names the order for the program of a ring. */
const variable = 'DATA_TRANSFER_TEST_ORDER';

/** Returns the order that the environment names. */
export function chosenOrder(): TestOrder {
  const chosen = process.env[variable];
  return testOrders.find((order) => order === chosen) ?? 'written';
}

/** Runs what is loaded and reports the end of the ring; resolves to the number of failures. */
export async function runInOrder(mocha: Mocha, order: TestOrder): Promise<number> {
  if (order === 'reverse') reverse(mocha.suite);
  const failures = order === 'alone' ? await runEachAlone(mocha) : await run(mocha);
  printEnd();
  return failures;
}

/** Runs each test with only its own hooks, as `--grep` with its whole title does. */
async function runEachAlone(mocha: Mocha): Promise<number> {
  mocha.cleanReferencesAfterRun(false);
  const pattern = mocha.options.grep instanceof RegExp ? mocha.options.grep : /(?:)/;
  let failures = 0;
  for (const title of titlesOf(mocha.suite).filter((one) => pattern.test(one))) {
    mocha.grep(new RegExp(`^${title.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')}$`));
    failures += await run(mocha);
  }
  return failures;
}

function run(mocha: Mocha): Promise<number> {
  return new Promise((resolve) => {
    mocha.run(resolve);
  });
}

function titlesOf(suite: Mocha.Suite): string[] {
  return [...suite.tests.map((test) => test.fullTitle()), ...suite.suites.flatMap(titlesOf)];
}

function reverse(suite: Mocha.Suite): void {
  suite.tests.reverse();
  suite.suites.reverse();
  suite.suites.forEach(reverse);
}
