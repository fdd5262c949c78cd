/** Installs Debian packages if the process runs as root, so that no password is needed. */
import { existsSync, readFileSync } from 'node:fs';
import { run } from './steps.mjs';

/** Returns true if this process may install Debian packages, that is, if it runs as root on Debian. */
export function isDebianRoot() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/etc/os-release')) return false;
  return /^ID="?debian"?$/m.test(readFileSync('/etc/os-release', 'utf8')) && existsSync('/usr/bin/apt-get');
}

/**
 * Installs packages without starting the services that belong to them. Rejects with a StepError if the installation
 * fails.
 */
export async function installFromDebian(...names) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  await run('apt-get', ['update'], { env });
  await run('apt-get', ['install', '-y', ...names], { env });
}
