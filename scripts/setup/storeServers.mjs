/** Provides SFTP and WebDAV servers from Debian packages for the store tests. They listen only on loopback. */
import { existsSync } from 'node:fs';
import { installFromDebian, isDebianRoot } from './debian.mjs';
import { run, say, step } from './steps.mjs';

const programs = {
  'openssh-server': '/usr/sbin/sshd',
  'apache2-bin': '/usr/sbin/apache2',
  'proftpd-mod-crypto': '/usr/sbin/proftpd',
  'lighttpd-mod-webdav': '/usr/sbin/lighttpd',
  'libnginx-mod-http-dav-ext': '/usr/sbin/nginx',
};

/** The services that these packages would start with the system. */
const services = {
  'proftpd-mod-crypto': 'proftpd',
  'lighttpd-mod-webdav': 'lighttpd',
  'libnginx-mod-http-dav-ext': 'nginx',
};

async function install(names) {
  await installFromDebian(...names);
  const started = names.flatMap((name) => services[name] ?? []);
  if (started.length > 0) await run('systemctl', ['disable', ...started]);
}

function findMissing() {
  return Object.keys(programs).filter((name) => !existsSync(programs[name]));
}

/**
 * Installs missing servers if this process runs as root on Debian. Prints the command that installs any servers that
 * are still missing. Does nothing on systems other than Linux.
 */
export async function ensureStoreServers() {
  const names = findMissing();
  if (process.platform !== 'linux' || names.length === 0) return;
  const work = () => install(names).catch(() => undefined);
  if (isDebianRoot()) await step(`Servers for the store tests (apt-get install ${names.join(' ')})`, work);
  const missing = findMissing().join(' ');
  if (missing === '') return;
  say(
    `Missing: ${missing}. Store tests fail without them, or leave kinds out. To install them: sudo apt-get install ${missing}`,
  );
}
