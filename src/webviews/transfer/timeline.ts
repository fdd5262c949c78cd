import type { TransferState } from '../../core/model/transferModel.ts';
import type { PageTransfer } from '../messages/transferMessages.ts';
import { getProgressCounts } from './progressCounts.ts';

/** A state in a transfer's history, or the acceptance of a cancellation. */
export interface TimelineEntry {
  readonly key: string;
  /** A state, or the acceptance of a cancellation. */
  readonly event: TransferState | 'cancelAccepted';
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Absent for a cancellation, for a final state, and if the duration is unknown. */
  readonly durationMs?: number;
  readonly isCurrent: boolean;
}

/** Lists the states of a transfer and any accepted cancellation, with durations as observed from this machine. */
export function listTimeline(transfer: PageTransfer, now: number): readonly TimelineEntry[] {
  const { changes, cancelAcceptedAt, ended } = transfer;
  const states = changes.map(({ state, at }, index): TimelineEntry => {
    const isLast = index === changes.length - 1;
    const next = changes[index + 1];
    const until = next?.at ?? now;
    const entry = { key: `${index}`, event: state, at, isCurrent: isLast };
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
