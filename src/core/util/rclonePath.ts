import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import * as nodePath from 'node:path';
import { promisify } from 'node:util';

/** The oldest version of rclone with all features that the extension and the service use. */
const oldestVersion = [1, 60, 1] as const;
const versionLimitMs = 20_000;

const usualFolders: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['/opt/homebrew/bin', '/usr/local/bin'],
  linux: ['/usr/bin', '/usr/local/bin', '/snap/bin', '/home/linuxbrew/.linuxbrew/bin'],
};

/**
 * Returns the path of rclone: the configured one or, if none is configured, one on the PATH or in a common location.
 * Returns undefined if no executable is found.
 */
export function findRclonePath(configured: string | undefined, env = process.env): string | undefined {
  if (configured !== undefined) return isProgram(configured) ? configured : undefined;
  const name = process.platform === 'win32' ? 'rclone.exe' : 'rclone';
  const folders = [...(env['PATH'] ?? '').split(nodePath.delimiter), ...(usualFolders[process.platform] ?? [])];
  // Ignores relative entries of the PATH, because they depend on the current folder.
  const paths = folders.filter((folder) => nodePath.isAbsolute(folder)).map((folder) => nodePath.join(folder, name));
  return paths.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The oldest supported version of rclone, as text for messages. */
export const oldestRclone = oldestVersion.join('.');

/** Returns true if a version is older than the oldest supported version of rclone. */
export function isRcloneTooOld(version: string): boolean {
  return isRcloneBelow(version, oldestVersion);
}

/**
 * Runs `rclone version` and resolves to the version, such as `1.60.1`; undefined if the program isn't rclone or can't
 * be run.
 */
export async function readRcloneVersion(path: string): Promise<string | undefined> {
  const options = { env: createRcloneEnvironment(), timeout: versionLimitMs, windowsHide: true };
  const { stdout } = await promisify(execFile)(path, ['version'], options).catch(() => ({ stdout: '' }));
  return parseRcloneVersion(stdout);
}

/** Returns the version from the output of `rclone version`, without suffixes such as `-DEV`. */
function parseRcloneVersion(text: string): string | undefined {
  return /^rclone v(\d+\.\d+(?:\.\d+)?)/m.exec(text)?.[1];
}

/** Returns true if a version such as `1.60.1` is lower than `limit`, such as `[1, 60, 1]`. */
export function isRcloneBelow(version: string, limit: readonly number[]): boolean {
  const numbers = version.split('.').map(Number);
  for (const [index, minimum] of limit.entries()) {
    const difference = (numbers[index] ?? 0) - minimum;
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/**
 * Matches variables that limit what rclone does, change what it prints, write secrets to logs, write profiles, or open
 * a listener. Other variables, such as those that configure remotes or contain the configuration's password, are passed
 * on.
 */
const ignoredVariables =
  /^RCLONE_(?:RC(?:_.*)?|METRICS_.*|CPUPROFILE|MEMPROFILE|LOG_.*|SYSLOG.*|USE_JSON_LOG|VERBOSE|QUIET|DUMP.*|PROGRESS.*|STATS.*|DRY_RUN|INTERACTIVE|INCLUDE.*|EXCLUDE.*|FILTER.*|FILES_FROM.*|MAX_.*|MIN_.*)$/;

/**
 * Returns an environment in which rclone never asks for a password and doesn't retry. `more` overrides other variables.
 */
export function createRcloneEnvironment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !ignoredVariables.test(name));
  const { AWS_CA_BUNDLE: certificates, ...rest } = Object.fromEntries(inherited);
  return {
    ...rest,
    // With AWS_CA_BUNDLE, rclone 1.60 can't connect to S3.
    ...(certificates !== undefined && { RCLONE_CA_CERT: certificates }),
    RCLONE_ASK_PASSWORD: 'false',
    RCLONE_RETRIES: '1',
    RCLONE_LOW_LEVEL_RETRIES: '1',
    RCLONE_CONTIMEOUT: '15s',
    ...more,
  };
}
