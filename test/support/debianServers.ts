import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import {
  hashPassword,
  openFolders,
  prepareLighttpd,
  prepareNginx,
  prepareProftpd,
  type DebianServer,
  type ServerPlace,
} from './moreServers.ts';

/** The servers from Debian packages that {@link prepareDebianServer} configures. */
export type DebianServerKind = 'openssh' | 'apache' | 'proftpd' | 'lighttpd' | 'nginx';

/**
 * The servers to test with: these on Linux, none on other systems. A server that is missing on Linux is an error. The
 * others take part only where all kinds of stores are compared.
 */
export const debianServerKinds: readonly DebianServerKind[] = process.platform === 'linux' ? ['openssh', 'apache'] : [];

interface DebianPackage {
  readonly packages: string;
  readonly program: string;
  /** A part of the server that is in a package of its own. */
  readonly module?: string;
  readonly prepare: (place: ServerPlace) => Promise<DebianServer>;
}

const servers: Readonly<Record<DebianServerKind, DebianPackage>> = {
  openssh: { packages: 'openssh-server', program: '/usr/sbin/sshd', prepare: prepareOpenssh },
  apache: { packages: 'apache2-bin', program: '/usr/sbin/apache2', prepare: prepareApache },
  proftpd: {
    packages: 'proftpd-core proftpd-mod-crypto',
    program: '/usr/sbin/proftpd',
    module: '/usr/lib/proftpd/mod_sftp.so',
    prepare: prepareProftpd,
  },
  lighttpd: {
    packages: 'lighttpd lighttpd-mod-webdav',
    program: '/usr/sbin/lighttpd',
    module: '/usr/lib/lighttpd/mod_webdav.so',
    prepare: prepareLighttpd,
  },
  nginx: {
    packages: 'nginx libnginx-mod-http-dav-ext',
    program: '/usr/sbin/nginx',
    module: '/usr/lib/nginx/modules/ngx_http_dav_ext_module.so',
    prepare: prepareNginx,
  },
};

/** Returns true for a kind of server that comes from a Debian package. */
export function isDebianServer(kind: string): kind is DebianServerKind {
  return kind in servers;
}

/** Returns the command that installs a server; undefined if it is installed. */
export function findInstallation(kind: DebianServerKind): string | undefined {
  const { packages, program, module = program } = servers[kind];
  return existsSync(program) && existsSync(module) ? undefined : `sudo apt-get install ${packages}`;
}

/**
 * Writes the configuration of a server. Returns the command that starts it and the rclone settings for reaching it. If
 * the server isn't installed, throws an error with the installation command.
 */
export async function prepareDebianServer(kind: DebianServerKind, place: ServerPlace): Promise<DebianServer> {
  const installation = findInstallation(kind);
  if (installation !== undefined)
    throw new Error(`These tests need ${servers[kind].program}: run \`${installation}\`.`);
  await fs.mkdir(place.root, { recursive: true });
  return await servers[kind].prepare(place);
}

async function prepareOpenssh({ root, port }: ServerPlace): Promise<DebianServer> {
  const file = (name: string): string => nodePath.join(root, name);
  for (const name of ['host', 'user']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file(name)]);
  await fs.copyFile(file('user.pub'), file('authorized'));
  const hostKey = await fs.readFile(file('host.pub'), 'utf8');
  await fs.writeFile(file('known'), `[127.0.0.1]:${port} ${hostKey}`);
  await fs.writeFile(file('sshd.conf'), describeOpenssh(root, port));
  // sshd requires this folder if it runs as root. Debian creates the folder at system startup.
  if (process.getuid?.() === 0) await fs.mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const section = ['type = sftp', 'host = 127.0.0.1', `port = ${port}`, `user = ${os.userInfo().username}`];
  const keys = [`key_file = ${file('user')}`, `known_hosts_file = ${file('known')}`];
  return { command: [servers.openssh.program, '-D', '-e', '-f', file('sshd.conf')], section: [...section, ...keys] };
}

function describeOpenssh(root: string, port: number): string {
  return [
    ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${root}/host`, `PidFile ${root}/sshd.pid`],
    ...[`AuthorizedKeysFile ${root}/authorized`, 'StrictModes no', 'UsePAM no', 'PermitRootLogin prohibit-password'],
    ...['PasswordAuthentication no', 'Subsystem sftp internal-sftp', 'MaxStartups 100', 'MaxSessions 100'],
    // Bash doesn't run the user's .bashrc in an inner shell. A program that it starts may wait for a lock for a minute
    // after a test has killed its session.
    ...['SetEnv SHLVL=1', ''],
  ].join('\n');
}

async function prepareApache({ root, folder, port, password, obscure }: ServerPlace): Promise<DebianServer> {
  const file = (name: string): string => nodePath.join(root, name);
  await fs.writeFile(file('users'), `lab:${hashPassword(password)}\n`);
  await fs.writeFile(file('apache.conf'), describeApache(root, folder, port));
  await openFolders([root, folder], nodePath.dirname(root));
  const section = ['type = webdav', `url = http://127.0.0.1:${port}`, 'vendor = other', 'user = lab'];
  return {
    command: [servers.apache.program, '-X', '-f', file('apache.conf')],
    section: [...section, `pass = ${obscure(password)}`],
  };
}

const apacheModules = [
  ...['mpm_event', 'authn_core', 'authn_file', 'authz_core', 'authz_user', 'auth_basic'],
  ...['mime', 'dav', 'dav_fs'],
];

function describeApache(root: string, folder: string, port: number): string {
  const isRoot = process.getuid?.() === 0;
  return [
    ...[`ServerRoot ${root}`, `Listen 127.0.0.1:${port}`, 'ServerName localhost', `PidFile ${root}/apache.pid`],
    ...[`ErrorLog ${root}/error.log`, `DefaultRuntimeDir ${root}`, `DavLockDB ${root}/locks`, 'AllowEncodedSlashes on'],
    ...apacheModules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
    ...(isRoot ? ['User nobody', 'Group nogroup'] : []),
    ...['TypesConfig /dev/null', `DocumentRoot ${folder}`, `<Directory ${folder}>`, 'Dav On'],
    ...['AuthType Basic', 'AuthName stores', `AuthUserFile ${root}/users`, 'Require valid-user', '</Directory>', ''],
  ].join('\n');
}
