/**
 * The states of a file of a transfer, those that need attention first. `unfinished`: the transfer ended before the file
 * was transferred (D71: file states).
 */
export const fileStates = ['failed', 'transferring', 'staged', 'waiting', 'unfinished', 'transferred'] as const;

/** Maximum number of files in one response about the states of a transfer's files (D71: file states). */
export const maxFilePage = 10_000;

/** The state of a file of a transfer (D71: file states). */
export type FileState = (typeof fileStates)[number];
