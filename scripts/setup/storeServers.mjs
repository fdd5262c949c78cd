/** Provides SFTP and WebDAV servers from Debian packages for the tests of stores. They run on loopback only. */
import { existsSync } from 'node:fs';
import { installFromDebian, isDebianRoot } from './debian.mjs';
import { say, step } from './steps.mjs';

const programs = { 'openssh-server': '/usr/sbin/sshd', 'apache2-bin': '/usr/sbin/apache2' };

function findMissing() {
  return Object.keys(programs).filter((name) => !existsSync(programs[name]));
}

/** Installs missing servers if no password is needed; otherwise prints the command. For Linux only. */
export async function ensureStoreServers() {
  const names = findMissing();
  if (process.platform !== 'linux' || names.length === 0) return;
  const install = () => installFromDebian(...names).catch(() => undefined);
  if (isDebianRoot()) await step(`Servers for the tests of stores (apt-get install ${names.join(' ')})`, install);
  const missing = findMissing().join(' ');
  if (missing === '') return;
  say(`Missing: ${missing}. Tests of stores fail without them. To install them: sudo apt-get install ${missing}`);
}
