import Mocha, { type Runner, type Test } from 'mocha';
import { tallyOf } from './tally.ts';
import type { Tally } from './tally.ts';

/** What a ring tells the program that started it: one line of JSON for each event, behind this mark. */
export const ringMark = '@ring ';

/** One event of a ring. The last one is `end`; a ring that ends without it has crashed. */
type RingEvent =
  | { readonly event: 'pass'; readonly title: string; readonly durationMs: number; readonly tally?: Tally }
  | { readonly event: 'fail'; readonly title: string; readonly reason: string }
  | { readonly event: 'pending'; readonly title: string }
  | { readonly event: 'end' };

/** A mocha reporter that prints {@link RingEvent}s but the last, and nothing else, for files, the editor's host and the desktop. */
export class RingReporter extends Mocha.reporters.Base {
  constructor(runner: Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('pass', (test: Test) => {
      const tally = tallyOf(test);
      print({ event: 'pass', title: test.fullTitle(), durationMs: test.duration ?? 0, ...(tally && { tally }) });
    });
    runner.on('fail', (test: Test, error: unknown) => {
      print({ event: 'fail', title: test.fullTitle(), reason: describe(error) });
    });
    runner.on('pending', (test: Test) => print({ event: 'pending', title: test.fullTitle() }));
  }
}

/** Reports that all tests of the ring are through. */
export function printEnd(): void {
  print({ event: 'end' });
}

function print(event: RingEvent): void {
  console.log(`${ringMark}${JSON.stringify(event)}`);
}

/** The message with Node's own comparison in it, the stack without mocha's part, and what caused it. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = (error.stack ?? error.message)
    .split('\n')
    .filter((line) => !/node_modules\/mocha\/|node:internal/.test(line));
  const text = stack.join('\n').includes(error.message) ? stack.join('\n') : `${error.message}\n${stack.join('\n')}`;
  return error.cause === undefined ? text : `${text}\ncaused by ${describe(error.cause)}`;
}
