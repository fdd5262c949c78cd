import type { ProgressSample, TransferBytes, TransferState } from '../../core/model/transferModel.ts';
import type { PageTransfer } from '../messages/transferMessages.ts';
import { toReadableText } from '../shared/text.ts';

/**
 * The counts of files and bytes of a transfer. If the server reports no total, `total` is the number of requested
 * files.
 */
interface ProgressCounts {
  /** Absent until the server reports it. */
  readonly moved?: number;
  readonly total: number;
  /**
   * The transferred fraction, from 0 to 1, of the bytes if they are known; absent if unknown. It is 1 for a complete
   * transfer without a count.
   */
  readonly share?: number;
  /** Absent if unknown, and after the end. */
  readonly bytes?: TransferBytes;
  /** The number of files that the server reports, if it differs from the number requested. */
  readonly countedByServer?: number;
}

/** Returns the counts for the progress bar. Does not estimate any of them. */
export function getProgressCounts(transfer: PageTransfer): ProgressCounts {
  const { outcome, progress, status, requestedFileCount, startedElsewhere } = transfer;
  const { moved, total = requestedFileCount, bytes } = progress;
  const counted = status?.doubtful ? undefined : status?.fileCount;
  const isDifferent = counted !== undefined && counted !== requestedFileCount && !startedElsewhere;
  const difference = isDifferent ? { countedByServer: counted } : {};
  if (moved === undefined) return { total, ...(outcome === 'complete' && total > 0 && { share: 1 }), ...difference };
  if (bytes !== undefined && bytes.total > 0) {
    // Copied files may not be verified yet.
    const share = Math.min(bytes.copied / bytes.total, moved < total ? 0.99 : 1);
    return { moved, total, share, bytes, ...difference };
  }
  return { moved, total, ...(total > 0 && { share: moved / total }), ...difference };
}

/** A state in a transfer's history, or the acceptance of a cancellation. */
export interface TimelineEntry {
  readonly key: string;
  /** A state, or the acceptance of a cancellation. */
  readonly event: TransferState | 'cancelAccepted';
  /** The server's own word for the state; absent if it is unknown or can't be read. */
  readonly word?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Absent for a cancellation, for a final state, and if the duration is unknown. */
  readonly durationMs?: number;
  readonly isCurrent: boolean;
}

/** Lists the states of a transfer and any accepted cancellation, with durations as observed from this machine. */
export function listTimeline(transfer: PageTransfer, now: number): readonly TimelineEntry[] {
  const { changes, cancelAcceptedAt, ended } = transfer;
  const states = changes.map(({ state, at, ...change }, index): TimelineEntry => {
    const isLast = index === changes.length - 1;
    const next = changes[index + 1];
    const until = next?.at ?? now;
    const word = toReadableText(change.word);
    const entry = { key: `${index}`, event: state, at, isCurrent: isLast, ...(word !== undefined && { word }) };
    // The end of the state before `expired` is unknown: only the time when the expiry was discovered is known.
    const isUnknown = next?.state === 'expired';
    return (isLast && ended) || isUnknown ? entry : { ...entry, durationMs: Math.max(0, until - at) };
  });
  if (cancelAcceptedAt === undefined) return states;
  const cancel: TimelineEntry = { key: 'cancel', event: 'cancelAccepted', at: cancelAcceptedAt, isCurrent: false };
  const before = states.filter(({ at }) => at <= cancelAcceptedAt);
  return [...before, cancel, ...states.slice(before.length)];
}

/** Minimum duration for a chart, in milliseconds. The line of a shorter transfer would have only one or two steps. */
const minChartMs = 60_000;

/** Returns true if a transfer has enough files and samples, and has run long enough, for a progress chart. */
export function hasChart(transfer: PageTransfer, now: number): boolean {
  const hasSteps = (transfer.movement ?? []).length > 1 && getProgressCounts(transfer).total !== 1;
  return hasSteps && getElapsedMs(transfer, now) >= minChartMs;
}

/** Returns the duration of a transfer, in milliseconds; for a running one, the time since its start. */
export function getElapsedMs({ createdAt, changes, ended }: PageTransfer, now: number): number {
  const end = ended ? (changes.at(-1)?.at ?? now) : now;
  return Math.max(0, end - createdAt);
}

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
