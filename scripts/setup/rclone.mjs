/**
 * Provides rclone for the store tests: an existing installation, or the Debian package; and beside it the newest one of
 * Debian, which some tests also use.
 */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { installFromDebian, isDebian, isDebianRoot, unpackFromSuite } from './debian.mjs';
import { cacheFolder, run, say, step } from './steps.mjs';

const usualFolders = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/homebrew/bin'];

const commands = { darwin: 'brew install rclone', win32: 'winget install Rclone.Rclone' };

function isInstalled() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...usualFolders].filter(Boolean);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, process.platform === 'win32' ? 'rclone.exe' : 'rclone'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Installs rclone if it is missing and this process runs as root on Debian. If rclone is still missing, prints the
 * command that installs it. Never rejects, because only some tests need rclone.
 */
export async function ensureRclone() {
  if (isInstalled()) return;
  const install = () => installFromDebian('rclone').catch(() => undefined);
  if (isDebianRoot()) await step('rclone (apt-get install rclone)', install);
  if (isInstalled()) return;
  const command = commands[process.platform] ?? 'sudo apt-get install rclone';
  say(`rclone is missing. The store tests fail without it. To install it: ${command}`);
}

/** Unpacks the newest rclone of Debian and renames its folder, so that the tests never see a part of it. */
async function fetchNewest(folder) {
  mkdirSync(cacheFolder(), { recursive: true });
  const own = await mkdtemp(`${folder}.`);
  try {
    await unpackFromSuite(['rclone'], 'sid', own);
    const programs = join(own, 'root', 'usr', 'bin');
    await run(join(programs, 'rclone'), ['version']);
    await rename(programs, folder);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/**
 * Unpacks the newest rclone of Debian in the cache, unless it is there, and resolves to its folder; undefined if it
 * can't be fetched. Never rejects, because the tests with it are then left out.
 */
export async function ensureNewestRclone() {
  const folder = join(cacheFolder(), 'rclone-sid');
  const fetch = () => fetchNewest(folder).catch(() => undefined);
  if (!existsSync(folder) && isDebian()) await step('The newest rclone of Debian', fetch);
  if (existsSync(folder)) return folder;
  say('The store tests run with one rclone only: the newest one of Debian could not be fetched.');
  return undefined;
}
