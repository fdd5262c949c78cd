/**
 * Provides SFTP and WebDAV servers, mounts of rclone and a cluster from Debian packages for the tests. Servers listen
 * only on loopback.
 */
import { existsSync } from 'node:fs';
import { installFromDebian, isDebianRoot } from './debian.mjs';
import { say, step } from './steps.mjs';

/** A file of each package. */
const programs = {
  'openssh-server': '/usr/sbin/sshd',
  'apache2-bin': '/usr/sbin/apache2',
  nginx: '/usr/sbin/nginx',
  'libnginx-mod-http-dav-ext': '/usr/lib/nginx/modules/ngx_http_dav_ext_module.so',
  fuse3: '/usr/bin/fusermount3',
  slurmctld: '/usr/sbin/slurmctld',
  slurmd: '/usr/sbin/slurmd',
  'slurm-client': '/usr/bin/sbatch',
};

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
  const install = () => installFromDebian(...names).catch(() => undefined);
  if (isDebianRoot()) await step(`Servers for the tests (apt-get install ${names.join(' ')})`, install);
  const missing = findMissing().join(' ');
  if (missing === '') return;
  say(
    `Missing: ${missing}. Tests of stores and clusters fail without them, or leave out kinds. To install them: sudo apt-get install ${missing}`,
  );
}
