import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';

/** The servers from Debian packages that {@link prepareDebianServer} configures. */
export type DebianServerKind = 'openssh' | 'apache';

/**
 * The servers to test with: all of them on Linux, none on other systems. A server that is missing on Linux is an error.
 */
export const debianServerKinds: readonly DebianServerKind[] = process.platform === 'linux' ? ['openssh', 'apache'] : [];

/** A configured server that isn't running yet. */
export interface DebianServer {
  readonly command: readonly [string, ...string[]];
  /** The lines of rclone's configuration for the server's remote, without the name of the section. */
  readonly section: readonly string[];
}

/** The place of a server's configuration, and the folder that it serves. */
interface ServerPlace {
  /** A folder for the server's configuration only. */
  readonly root: string;
  /** The folder to serve. */
  readonly folder: string;
  readonly port: number;
  readonly password: string;
  /** Returns a password in the obscured form that rclone's configuration requires. */
  readonly obscure: (text: string) => string;
}

const servers: Readonly<
  Record<DebianServerKind, readonly [name: string, program: string, prepare: typeof prepareOpenssh]>
> = {
  openssh: ['openssh-server', '/usr/sbin/sshd', prepareOpenssh],
  apache: ['apache2-bin', '/usr/sbin/apache2', prepareApache],
};

/** Returns true for a kind of server that comes from a Debian package. */
export function isDebianServer(kind: string): kind is DebianServerKind {
  return kind in servers;
}

/**
 * Writes the configuration of a server. Returns the command that starts it and the rclone settings for reaching it. If
 * the server isn't installed, throws an error with the installation command.
 */
export async function prepareDebianServer(kind: DebianServerKind, place: ServerPlace): Promise<DebianServer> {
  const [name, program, prepare] = servers[kind];
  await fs.access(program).catch(() => {
    throw new Error(`These tests need ${program}: run \`sudo apt-get install ${name}\`.`);
  });
  await fs.mkdir(place.root, { recursive: true });
  return await prepare(place);
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
  return { command: [servers.openssh[1], '-D', '-e', '-f', file('sshd.conf')], section: [...section, ...keys] };
}

function describeOpenssh(root: string, port: number): string {
  return [
    ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${root}/host`, `PidFile ${root}/sshd.pid`],
    ...[`AuthorizedKeysFile ${root}/authorized`, 'StrictModes no', 'UsePAM no', 'PermitRootLogin prohibit-password'],
    ...['PasswordAuthentication no', 'Subsystem sftp internal-sftp', 'MaxStartups 100', 'MaxSessions 100', ''],
  ].join('\n');
}

async function prepareApache({ root, folder, port, password, obscure }: ServerPlace): Promise<DebianServer> {
  const file = (name: string): string => nodePath.join(root, name);
  const hash = execFileSync('openssl', ['passwd', '-apr1', '-stdin'], { input: password }).toString().trim();
  await fs.writeFile(file('users'), `lab:${hash}\n`);
  await fs.writeFile(file('apache.conf'), describeApache(root, folder, port));
  // If root starts Apache, it switches to another user, who needs access to both folders.
  if (process.getuid?.() === 0) await openFolders([root, folder], nodePath.dirname(root));
  const section = ['type = webdav', `url = http://127.0.0.1:${port}`, 'vendor = other', 'user = lab'];
  return {
    command: [servers.apache[1], '-X', '-f', file('apache.conf')],
    section: [...section, `pass = ${obscure(password)}`],
  };
}

async function openFolders(folders: readonly string[], parent: string): Promise<void> {
  await fs.chmod(parent, 0o711);
  for (const folder of folders) await fs.chmod(folder, 0o777);
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
