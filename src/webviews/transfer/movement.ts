import type { PageTransfer } from '../../messages/transferMessages.ts';

/** How many files were moved, as far as the server told. */
interface Movement {
  /** Absent when it has not told yet. */
  readonly moved?: number;
  readonly total: number;
  /** 0 to 1; absent when it is not known. */
  readonly share?: number;
  /** How many files the server counts, where that is another number than was asked for. */
  readonly countedByServer?: number;
}

/** Reads the counts of a status; nothing is invented, and a count never leaves its bounds. */
export function movementOf({ state, status, askedFileCount, startedElsewhere }: PageTransfer): Movement {
  const told = status?.fileCount;
  const total = told === undefined || told < 0 ? askedFileCount : told;
  const other = told === undefined || told === askedFileCount || startedElsewhere ? {} : { countedByServer: total };
  const moved = status?.movedFileCount;
  if (moved === undefined) return state === 'succeeded' ? { total, share: 1, ...other } : { total, ...other };
  const bounded = Math.min(Math.max(0, moved), total);
  return { moved: bounded, total, share: total === 0 ? Number(state === 'succeeded') : bounded / total, ...other };
}
