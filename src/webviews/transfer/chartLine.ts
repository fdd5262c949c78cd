import type { ProgressSample } from '../../core/model/transferModel.ts';

/** The ranges of the chart's axes: times in milliseconds since 1970, and file counts starting at 0. */
export interface ChartRange {
  readonly from: number;
  readonly to: number;
  /** The largest file count on the axis; at least 1. */
  readonly most: number;
}

/** Returns the range that contains an entire series, from the submission to `end`. */
export function getChartRange(
  series: readonly ProgressSample[],
  total: number,
  startedAt: number,
  end: number,
): ChartRange {
  const from = Math.min(startedAt, series[0]?.at ?? startedAt);
  const most = Math.max(1, total, ...series.map(({ moved }) => moved));
  return { from, to: Math.max(end, series.at(-1)?.at ?? end, from + 1), most };
}

/** Returns the line as a stepped SVG path, because each count applies until the next one. */
export function toLinePath(
  series: readonly ProgressSample[],
  range: ChartRange,
  width: number,
  height: number,
): string {
  const [first, ...others] = series;
  if (!first) return '';
  const x = (at: number): string => round(((at - range.from) / (range.to - range.from)) * width);
  const y = (moved: number): string => round(height - (Math.max(0, moved) / range.most) * height);
  const steps = others.map(({ at, moved }) => `H${x(at)}V${y(moved)}`);
  return `M${x(first.at)} ${y(first.moved)}${steps.join('')}H${x(range.to)}`;
}

function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}
