import { isJsonObject } from '../util/json.ts';
import type { VerificationReport } from './verification.ts';

/** The stored result of a transfer's last verification. */
export interface PastVerification {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Number of files in the manifest plus the number of requested files that it doesn't list. */
  readonly fileCount: number;
  readonly intactCount: number;
  /**
   * Paths of the files that were not intact, apart from those in `unverified`: damaged, missing, unreadable, changing
   * or outside the folder. Absent if too many files were not intact.
   */
  readonly damaged?: readonly string[];
  /**
   * Paths of the files that could not be verified for lack of a usable hash; absent if there are none, or if too many
   * files were not intact.
   */
  readonly unverified?: readonly string[];
  /** Number of files that could not be verified; absent if zero. Earlier versions counted them as damaged. */
  readonly unverifiedCount?: number;
}

const maxPaths = 100;

/** Converts a report to its stored form. `unlistedCount`: requested files that the manifest doesn't list. */
export function toPastVerification(report: VerificationReport, unlistedCount: number, at: number): PastVerification {
  const { manifest, intactCount, findings } = report;
  const getPaths = (areVerified: boolean): readonly string[] =>
    findings.filter(({ outcome }) => (outcome.kind !== 'notCompared') === areVerified).map(({ file }) => file.path);
  const unverified = getPaths(false);
  return {
    at,
    fileCount: manifest.files.length + unlistedCount,
    intactCount,
    ...(unverified.length > 0 && { unverifiedCount: unverified.length }),
    ...(findings.length <= maxPaths && { damaged: getPaths(true), ...(unverified.length > 0 && { unverified }) }),
  };
}

/**
 * Returns the result for a file. `unknown` means that the file could not be verified, or that individual results were
 * not stored because too many files were not intact.
 */
export function getPastResult(
  { damaged, unverified, unverifiedCount = 0, intactCount }: PastVerification,
  path: string,
): 'intact' | 'damaged' | 'unknown' {
  if (!damaged) return intactCount + unverifiedCount === 0 ? 'damaged' : 'unknown';
  if (damaged.includes(path)) return 'damaged';
  return unverified?.includes(path) ? 'unknown' : 'intact';
}

/** Returns true if a stored value is a valid {@link PastVerification}. */
export function isPastVerification(value: unknown): value is PastVerification {
  if (!isJsonObject(value)) return false;
  const { at, fileCount, intactCount, damaged = [], unverified = [], unverifiedCount = 0 } = value;
  const numbers = [at, fileCount, intactCount, unverifiedCount];
  const areNumbers = numbers.every((one) => Number.isSafeInteger(one) && Number(one) >= 0);
  const arePaths = (list: unknown): boolean => Array.isArray(list) && list.every((path) => typeof path === 'string');
  return areNumbers && arePaths(damaged) && arePaths(unverified);
}
