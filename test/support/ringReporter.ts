import Mocha, { type Runner, type Test } from 'mocha';
import { getTally } from './tally.ts';
import type { Tally } from './tally.ts';

/** The prefix of each line in which a ring reports an event to the test runner. The rest of the line is JSON. */
export const ringMark = '@ring ';

/** An event of a ring's process. The last one is `end`; a process that exits without it has crashed. */
type RingEvent =
  | { readonly event: 'pass'; readonly title: string; readonly durationMs: number; readonly tally?: Tally }
  | { readonly event: 'fail'; readonly title: string; readonly reason: string }
  | { readonly event: 'pending'; readonly title: string }
  | { readonly event: 'end' };

/** The mocha reporter of all rings. Prints only {@link RingEvent}s, except `end`. */
export class RingReporter extends Mocha.reporters.Base {
  constructor(runner: Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('pass', (test: Test) => {
      const tally = getTally(test);
      print({ event: 'pass', title: test.fullTitle(), durationMs: test.duration ?? 0, ...(tally && { tally }) });
    });
    runner.on('fail', (test: Test, error: unknown) => {
      print({ event: 'fail', title: test.fullTitle(), reason: describe(error) });
    });
    runner.on('pending', (test: Test) => print({ event: 'pending', title: test.fullTitle() }));
  }
}

/** Reports that this process has run all of its tests. */
export function printEnd(): void {
  print({ event: 'end' });
}

/**
 * Returns an event as one line of output. Escapes U+2028 and U+2029, which newer versions of Node.js treat as line
 * ends.
 */
export function formatEvent(event: RingEvent): string {
  const json = JSON.stringify(event)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);
  return `${ringMark}${json}`;
}

function print(event: RingEvent): void {
  console.log(formatEvent(event));
}

/**
 * Returns the message of an error with Node.js's diff, the stack without frames of mocha and Node.js, and the causes.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = (error.stack ?? error.message)
    .split('\n')
    .filter((line) => !/node_modules\/mocha\/|node:internal/.test(line));
  const text = stack.join('\n').includes(error.message) ? stack.join('\n') : `${error.message}\n${stack.join('\n')}`;
  return error.cause === undefined ? text : `${text}\ncaused by ${describe(error.cause)}`;
}
