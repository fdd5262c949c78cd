import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { DatabaseUnavailableError } from '../catalog/databaseUnavailableError.ts';
import { createRcloneEnvironment } from './rcloneEnvironment.ts';
import { findRclonePath } from './rclonePath.ts';

/** The first version that has every function that the service uses. */
const oldestVersion = [1, 60, 1] as const;
/** The first version with the fixes of CVE-2026-49980 and CVE-2026-71313. */
const safeVersion = [1, 75, 0] as const;
const versionLimitMs = 20_000;

/** An rclone that the service can use. */
interface RcloneProgram {
  readonly path: string;
  /** For example `1.60.1`. */
  readonly version: string;
  /** Why a newer version is recommended, in one sentence; absent if the version is recent. */
  readonly note?: string;
}

/** Finds rclone and reads its version. Throws {@link DatabaseUnavailableError} if it is missing or too old. */
export async function openRclone(configured: string | undefined): Promise<RcloneProgram> {
  const path = findRclonePath(configured);
  if (path === undefined) {
    const place = configured === undefined ? '' : ` at ${configured}`;
    throw new DatabaseUnavailableError(
      `there is no rclone${place}: install it (https://rclone.org/install), or set its path`,
    );
  }
  const version = await readVersion(path);
  if (isBelow(version, oldestVersion)) {
    throw new DatabaseUnavailableError(
      `rclone ${version} (${path}) is too old: version ${oldestVersion.join('.')} or later is needed`,
    );
  }
  const note = `rclone ${version} is used. Version ${safeVersion.join('.')} or later is recommended: it fixes CVE-2026-49980 and CVE-2026-71313.`;
  return { path, version, ...(isBelow(version, safeVersion) && { note }) };
}

async function readVersion(path: string): Promise<string> {
  const options = { env: createRcloneEnvironment(), timeout: versionLimitMs, windowsHide: true };
  const { stdout } = await promisify(execFile)(path, ['version'], options).catch(() => ({ stdout: '' }));
  const version = parseRcloneVersion(stdout);
  if (version === undefined) throw new DatabaseUnavailableError(`${path} isn't rclone, or can't be run`);
  return version;
}

/** Returns the version from the output of `rclone version`, without suffixes such as `-DEV`. */
function parseRcloneVersion(text: string): string | undefined {
  return /^rclone v(\d+\.\d+(?:\.\d+)?)/m.exec(text)?.[1];
}

function isBelow(version: string, limit: readonly number[]): boolean {
  const numbers = version.split('.').map(Number);
  for (const [index, minimum] of limit.entries()) {
    const difference = (numbers[index] ?? 0) - minimum;
    if (difference !== 0) return difference < 0;
  }
  return false;
}
