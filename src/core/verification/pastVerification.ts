import { isJsonObject } from '../util/json.ts';
import type { VerificationReport } from './verification.ts';

/** The stored result of the last verification of a transfer. */
export interface PastVerification {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Number of files in the manifest plus the number of requested files that it doesn't list. */
  readonly fileCount: number;
  readonly intactCount: number;
  /** Paths of the files that were not intact; absent if there are too many. */
  readonly damaged?: readonly string[];
}

const maxDamaged = 100;

/**
 * Converts a verification report to its stored form. `unlistedCount` is the number of requested files that the manifest
 * doesn't list.
 */
export function toPastVerification(report: VerificationReport, unlistedCount: number, at: number): PastVerification {
  const { manifest, intactCount, findings } = report;
  const damaged = findings.map(({ file }) => file.path);
  const fileCount = manifest.files.length + unlistedCount;
  return { at, fileCount, intactCount, ...(damaged.length <= maxDamaged && { damaged }) };
}

/**
 * Returns the result for a file; `unknown` if some files were intact, but too many were damaged to store their paths.
 */
export function getPastResult(
  { damaged, intactCount }: PastVerification,
  path: string,
): 'intact' | 'damaged' | 'unknown' {
  if (damaged) return damaged.includes(path) ? 'damaged' : 'intact';
  return intactCount === 0 ? 'damaged' : 'unknown';
}

/** Returns true if a stored value is a valid {@link PastVerification}. */
export function isPastVerification(value: unknown): value is PastVerification {
  if (!isJsonObject(value)) return false;
  const { at, fileCount, intactCount, damaged = [] } = value;
  const areNumbers = [at, fileCount, intactCount].every((one) => Number.isSafeInteger(one) && Number(one) >= 0);
  return areNumbers && Array.isArray(damaged) && damaged.every((path) => typeof path === 'string');
}
