import type { Transfer } from './transfer.ts';

/** How many files had been moved when that was told; `at` in milliseconds since 1970. */
export interface MovementPoint {
  readonly at: number;
  readonly moved: number;
}

const mostPoints = 120;

/**
 * The series with what was told now; the same series when the count is as before. It is kept bounded: the point that
 * lies closest between its neighbours in time gives way, never the first or the last one. Times never run backwards.
 */
export function withPoint(series: readonly MovementPoint[], point: MovementPoint): readonly MovementPoint[] {
  const last = series.at(-1);
  if (last?.moved === point.moved) return series;
  const longer = [...series, { ...point, at: Math.max(point.at, last?.at ?? point.at) }];
  return longer.length <= mostPoints ? longer : longer.toSpliced(leastTelling(longer), 1);
}

function leastTelling(series: readonly MovementPoint[]): number {
  let [least, smallest] = [1, Infinity];
  for (let index = 1; index < series.length - 1; index++) {
    const gap = (series[index + 1]?.at ?? 0) - (series[index - 1]?.at ?? 0);
    if (gap < smallest) [least, smallest] = [index, gap];
  }
  return least;
}

/** When files were last seen to move, or the state to change; milliseconds since 1970. */
export function movedAt({ createdAt, changes, movement }: Transfer): number {
  return Math.max(changes.at(-1)?.at ?? createdAt, movement?.at(-1)?.at ?? createdAt);
}
