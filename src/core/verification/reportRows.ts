import { isJsonObject } from '../util/json.ts';

/**
 * All findings of a verification, in the order of a report. Up to `notCompared`: files of the manifest. `unlisted`: a
 * requested file that the manifest doesn't list. `extra`: a file that only the folder has. `unreadableFolder`: a folder
 * whose files are unknown. `invalidEntry`: an entry of the manifest.
 */
const rowStates = [
  ...(['missing', 'changed', 'changing', 'unreadable', 'outsideFolder', 'notCompared'] as const),
  ...(['unlisted', 'extra', 'unreadableFolder', 'invalidEntry', 'intact'] as const),
] as const;

/** A finding of a verification. */
export type RowState = (typeof rowStates)[number];

/** A row of a verification report. */
export interface ReportRow {
  readonly state: RowState;
  /** The path of a file or folder, or the name of an entry, as a line of plain text. */
  readonly subject: string;
  /** The size that the manifest states. */
  readonly sizeBytes?: number;
  readonly detail?: string;
}

/** The table of a verification report. */
export interface ReportTable {
  readonly title: string;
  /** The result in a few sentences. */
  readonly summary: string;
  readonly isVerified: boolean;
  /** The verified transfer or folder, and the time. */
  readonly subject: string;
  /** The manifest's path. */
  readonly manifest: string;
  readonly rows: readonly ReportRow[];
  /** The number of intact files without a row. */
  readonly omittedCount: number;
}

/** Maximum number of characters in the rows of intact files: thousands of files. */
const maxIntactLength = 300_000;

/** The number of characters that a stored row has besides its texts. */
const rowOverhead = 60;

/** Returns the rows of intact files that a report has, which are the first ones. */
export function limitIntactRows(rows: readonly ReportRow[]): readonly ReportRow[] {
  let length = 0;
  const end = rows.findIndex(({ subject }) => (length += subject.length + rowOverhead) > maxIntactLength);
  return end === -1 ? rows : rows.slice(0, end);
}

/** Returns true if a stored value is a valid {@link ReportTable}. */
export function isReportTable(value: unknown): value is ReportTable {
  if (!isJsonObject(value)) return false;
  const { title, summary, isVerified, subject, manifest, rows, omittedCount } = value;
  const areTexts = [title, summary, subject, manifest].every((text) => typeof text === 'string');
  const isCounted = Number.isSafeInteger(omittedCount) && typeof isVerified === 'boolean';
  return areTexts && isCounted && Array.isArray(rows) && rows.every(isReportRow);
}

function isReportRow(value: unknown): value is ReportRow {
  if (!isJsonObject(value)) return false;
  const { state, subject, sizeBytes = 0, detail = '' } = value;
  const areTexts = typeof subject === 'string' && typeof detail === 'string';
  return areTexts && Number.isFinite(sizeBytes) && rowStates.some((one) => one === state);
}
