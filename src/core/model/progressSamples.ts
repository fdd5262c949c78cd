import type { Transfer } from './transferModel.ts';

/** The number of files transferred up to a point in time; `at` is in milliseconds since 1970. */
export interface ProgressSample {
  readonly at: number;
  readonly moved: number;
  /** Number of bytes copied; absent if unknown. */
  readonly copiedBytes?: number;
  /** Number of bytes staged and verified; absent if unknown. */
  readonly checkedBytes?: number;
}

const maxSamples = 120;

/**
 * Returns a series with a sample added, or the same series if no count has changed. If the series is full, drops the
 * sample closest in time to its neighbors, but never the first or last one. Times never decrease, even if the clock is
 * set back.
 */
export function addSample(series: readonly ProgressSample[], sample: ProgressSample): readonly ProgressSample[] {
  const last = series.at(-1);
  if (last && !hasMoved(last, sample)) return series;
  const longer = [...series, { ...sample, at: Math.max(sample.at, last?.at ?? sample.at) }];
  return longer.length <= maxSamples ? longer : longer.toSpliced(findLeastInformative(longer), 1);
}

function hasMoved(last: ProgressSample, next: ProgressSample): boolean {
  const { moved, copiedBytes, checkedBytes } = next;
  return last.moved !== moved || last.copiedBytes !== copiedBytes || last.checkedBytes !== checkedBytes;
}

/** Returns the samples at which the number of files changed, including the first one. */
export function listFileSamples(series: readonly ProgressSample[]): readonly ProgressSample[] {
  return series.filter(({ moved }, index) => moved !== series[index - 1]?.moved);
}

function findLeastInformative(series: readonly ProgressSample[]): number {
  let [least, smallest] = [1, Infinity];
  for (let index = 1; index < series.length - 1; index++) {
    const gap = (series[index + 1]?.at ?? 0) - (series[index - 1]?.at ?? 0);
    if (gap < smallest) [least, smallest] = [index, gap];
  }
  return least;
}

/** Returns the time at which files or bytes last moved or the state last changed, in milliseconds since 1970. */
export function getLastProgressAt({ createdAt, changes, movement }: Transfer): number {
  return Math.max(changes.at(-1)?.at ?? createdAt, movement?.at(-1)?.at ?? createdAt);
}
