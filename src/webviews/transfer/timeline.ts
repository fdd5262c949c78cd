import type { TransferState } from '../../core/model/transfer.ts';
import type { PageTransfer } from '../../messages/transferMessages.ts';

/** One stretch of a transfer's life. */
export interface Stretch {
  readonly key: string;
  /** A state, or the moment at which a cancel was accepted. */
  readonly what: TransferState | 'cancelAccepted';
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Duration so far; absent for a moment, for an end, and where it is not known. */
  readonly durationMs?: number;
  readonly isCurrent: boolean;
}

/** The states that a transfer went through with how long each took, as far as this machine saw it. */
export function timelineOf(transfer: PageTransfer, now: number): readonly Stretch[] {
  const { changes, cancelAcceptedAt, ended } = transfer;
  const states = changes.map(({ state, at }, index): Stretch => {
    const isLast = index === changes.length - 1;
    const next = changes[index + 1];
    const until = next?.at ?? now;
    const stretch = { key: `${index}`, what: state, at, isCurrent: isLast };
    // Only when the server was found to have forgotten it is known, not when the state before ended.
    const isOpen = next?.state === 'expired';
    return (isLast && ended) || isOpen ? stretch : { ...stretch, durationMs: Math.max(0, until - at) };
  });
  if (cancelAcceptedAt === undefined) return states;
  const moment: Stretch = { key: 'cancel', what: 'cancelAccepted', at: cancelAcceptedAt, isCurrent: false };
  const before = states.filter(({ at }) => at <= cancelAcceptedAt);
  return [...before, moment, ...states.slice(before.length)];
}

/** How long a transfer has taken until now, or took until it ended, in milliseconds. */
export function elapsedMs({ createdAt, changes, ended }: PageTransfer, now: number): number {
  const end = ended ? (changes.at(-1)?.at ?? now) : now;
  return Math.max(0, end - createdAt);
}
