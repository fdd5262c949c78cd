/**
 * What the rings count apart from tests: rows of the contract (§4), faults that the client meets, properties, and pages
 * that were checked for accessibility, with how many rules hold there.
 */
type TallyKind = 'contract row' | 'fault' | 'property' | 'accessible page' | 'command';

/** One thing of a kind, and how often it was tried; a property that fails half-way has fewer runs. */
export interface Tally {
  readonly kind: TallyKind;
  runs: number;
  /** Of a page: what axe leaves to a person's judgement. */
  incomplete?: number;
}

type Counted = Mocha.Test & { tally?: Tally };

/** Makes a test stand for `tally`; the reporter counts it when it passes. */
export function counted(test: Mocha.Test, tally: Tally): Mocha.Test {
  return Object.assign(test, { tally });
}

/** A test of one row of the contract: a field's rule, or a condition of §4.8. */
export function contractRow(title: string, body: Mocha.AsyncFunc | Mocha.Func): Mocha.Test {
  return counted(it(title, body), { kind: 'contract row', runs: 1 });
}

/** A test of one thing that a server or a network does wrong. */
export function fault(title: string, body: Mocha.AsyncFunc | Mocha.Func): Mocha.Test {
  return counted(it(title, body), { kind: 'fault', runs: 1 });
}

/** What a test stands for, where it stands for something. */
export function tallyOf(test: Mocha.Test): Tally | undefined {
  return (test as Counted).tally;
}
