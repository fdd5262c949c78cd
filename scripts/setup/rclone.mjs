/** Provides rclone for the store tests: an existing installation, or the Debian package. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installFromDebian, isDebianRoot } from './debian.mjs';
import { say, step } from './steps.mjs';

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
