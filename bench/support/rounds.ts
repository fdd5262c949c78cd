/** One measure: how many times the reference's cost it was, and how many times it may be. */
export interface Measure {
  readonly name: string;
  readonly ratio: number;
  readonly limit: number;
}

/** Two ways of doing the same; each resolves to its cost, in any unit. */
export interface Contest {
  readonly ours: () => Promise<number>;
  readonly reference: () => Promise<number>;
  /** Turns of each in one round. */
  readonly turns: number;
}

const rounds = 5;

/**
 * Resolves to the median of five rounds. In every round the two take turns, and who begins changes with every turn, so
 * that a slow moment of the machine meets both; what all turns of each cost is compared. One round before that is not
 * counted.
 */
export async function ratioOf(contest: Contest): Promise<number> {
  await ratioOfRound(contest);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) ratios.push(await ratioOfRound(contest));
  return medianOf(ratios);
}

async function ratioOfRound({ ours, reference, turns }: Contest): Promise<number> {
  globalThis.gc?.();
  let oursCost = 0;
  let referenceCost = 0;
  for (let turn = 0; turn < turns; turn++) {
    if (turn % 2 === 0) oursCost += await ours();
    referenceCost += await reference();
    if (turn % 2 === 1) oursCost += await ours();
  }
  return oursCost / referenceCost;
}

/** The middle one of an odd number of values. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Milliseconds that `work` takes. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** The same for work that leaves much garbage: what was left before is taken away first, uncounted. */
export async function cleanTimeOf(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  return await timeOf(work);
}

/** Prints a measure: a line of JSON, or a row for people. Returns whether it is within its limit. */
export function report({ name, ratio, limit }: Measure, isJson: boolean): boolean {
  const rounded = Math.round(ratio * 1000) / 1000;
  const ok = rounded <= limit;
  const row = `${ok ? '✔' : '✘'} ${name.padEnd(44)} ${rounded.toFixed(3).padStart(7)}   at most ${limit.toFixed(2)}`;
  console.log(isJson ? JSON.stringify({ name, ratio: rounded, limit, ok }) : row);
  return ok;
}
