/**
 * Kinds of checks that the rings count in addition to tests: rows of the contract (§4), faults that the client handles,
 * properties, pages checked for accessibility (with the number of rules passed), commands run, and user actions.
 */
type TallyKind = 'contract row' | 'fault' | 'property' | 'accessible page' | 'command' | 'actions';

/** A counted check and its number of runs, which is lower for a property that fails midway. */
export interface Tally {
  readonly kind: TallyKind;
  runs: number;
  /** The number of user actions for each task. */
  readonly actions?: Readonly<Record<string, number>>;
  /** For a page: the number of inconclusive axe results, which need human review. */
  incomplete?: number;
}

type Counted = Mocha.Test & { tally?: Tally };

/** Returns a test after associating it with `tally`, which the reporter counts if the test passes. */
export function counted(test: Mocha.Test, tally: Tally): Mocha.Test {
  return Object.assign(test, { tally });
}

/** Defines a test for one row of the contract: a rule for a field, or a condition in §4.8. */
export function contractRow(title: string, body: Mocha.AsyncFunc | Mocha.Func): Mocha.Test {
  return counted(it(title, body), { kind: 'contract row', runs: 1 });
}

/** Defines a test for one fault of a server or a network. */
export function fault(title: string, body: Mocha.AsyncFunc | Mocha.Func): Mocha.Test {
  return counted(it(title, body), { kind: 'fault', runs: 1 });
}

/** Returns the tally of a test, if it has one. */
export function getTally(test: Mocha.Test): Tally | undefined {
  return (test as Counted).tally;
}
