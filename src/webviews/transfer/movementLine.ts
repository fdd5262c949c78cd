import type { MovementPoint } from '../../core/model/movement.ts';

/** Where the line of files over time is drawn: times in milliseconds since 1970, files from 0 up. */
export interface Frame {
  readonly from: number;
  readonly to: number;
  /** Never 0. */
  readonly most: number;
}

/** The frame that holds a whole series, from the submission until `end`. */
export function frameOf(series: readonly MovementPoint[], total: number, startedAt: number, end: number): Frame {
  const from = Math.min(startedAt, series[0]?.at ?? startedAt);
  const most = Math.max(1, total, ...series.map(({ moved }) => moved));
  return { from, to: Math.max(end, series.at(-1)?.at ?? end, from + 1), most };
}

/**
 * The line as an SVG path, in a box of `width` by `height`. It goes in steps: between two answers nobody knows more
 * than that the count was still the old one.
 */
export function linePath(series: readonly MovementPoint[], frame: Frame, width: number, height: number): string {
  const [first, ...others] = series;
  if (!first) return '';
  const x = (at: number): string => rounded(((at - frame.from) / (frame.to - frame.from)) * width);
  const y = (moved: number): string => rounded(height - (Math.max(0, moved) / frame.most) * height);
  const steps = others.map(({ at, moved }) => `H${x(at)}V${y(moved)}`);
  return `M${x(first.at)} ${y(first.moved)}${steps.join('')}H${x(frame.to)}`;
}

function rounded(value: number): string {
  return String(Math.round(value * 100) / 100);
}
