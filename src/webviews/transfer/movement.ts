import type { PageTransfer } from '../../messages/transferMessages.ts';

/** How many files were moved, as far as the server told. */
interface Movement {
  /** Absent when it has not told yet. */
  readonly moved?: number;
  readonly total: number;
  /** 0 to 1; absent when it is not known, and where there are no files at all. */
  readonly share?: number;
  /** How many files the server counts, where that is another number than was asked for. */
  readonly countedByServer?: number;
}

/** Reads the progress of a transfer for the bar; nothing is invented. */
export function movementOf({ outcome, progress, status, askedFileCount, startedElsewhere }: PageTransfer): Movement {
  const { moved, total = askedFileCount } = progress;
  const counted = status?.doubtful ? undefined : status?.fileCount;
  const isAnother = counted !== undefined && counted !== askedFileCount && !startedElsewhere;
  const other = isAnother ? { countedByServer: counted } : {};
  if (moved === undefined) return { total, ...(outcome === 'complete' && total > 0 && { share: 1 }), ...other };
  return { moved, total, ...(total > 0 && { share: moved / total }), ...other };
}
