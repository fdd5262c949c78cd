import {
  isRcloneBelow,
  isRcloneTooOld,
  findRclonePath,
  oldestRclone,
  readRcloneVersion,
} from '../../core/util/rclonePath.ts';
import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';

/** The first version with the fixes for CVE-2026-49980 and CVE-2026-71313. */
const safeVersion = [1, 75, 0] as const;

/** An rclone installation that the service can use. */
interface RcloneProgram {
  readonly path: string;
  /** Version number, such as `1.60.1`. */
  readonly version: string;
  /** Text that recommends a newer version and states the reason; absent if the version is recent. */
  readonly note?: string;
}

/**
 * Finds rclone and reads its version. Throws {@link DatabaseUnavailableError} if it is missing, cannot be run or is too
 * old.
 */
export async function openRclone(configured: string | undefined): Promise<RcloneProgram> {
  const path = findRclonePath(configured);
  if (path === undefined) {
    const place = configured === undefined ? '' : ` at ${configured}`;
    throw new DatabaseUnavailableError(
      `rclone wasn't found${place}: install it (https://rclone.org/install), or set its path`,
    );
  }
  const version = await readVersion(path);
  if (isRcloneTooOld(version)) {
    throw new DatabaseUnavailableError(
      `rclone ${version} (${path}) is too old: version ${oldestRclone} or later is needed`,
    );
  }
  const note = `rclone ${version} is used. Version ${safeVersion.join('.')} or later is recommended: it fixes CVE-2026-49980 and CVE-2026-71313.`;
  return { path, version, ...(isRcloneBelow(version, safeVersion) && { note }) };
}

async function readVersion(path: string): Promise<string> {
  const version = await readRcloneVersion(path);
  if (version === undefined) throw new DatabaseUnavailableError(`${path} isn't rclone, or can't be run`);
  return version;
}
