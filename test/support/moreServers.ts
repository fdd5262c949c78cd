import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';

/** A configured server that isn't running yet. */
export interface DebianServer {
  readonly command: readonly [string, ...string[]];
  /** The lines of rclone's configuration for the server's remote, without the name of the section. */
  readonly section: readonly string[];
}

/** The place of a server's configuration, and the folder that it serves. */
export interface ServerPlace {
  /** A folder for the server's configuration only. */
  readonly root: string;
  /** The folder to serve. */
  readonly folder: string;
  readonly port: number;
  readonly password: string;
  /** Returns a password in the obscured form that rclone's configuration requires. */
  readonly obscure: (text: string) => string;
}

const isRoot = process.getuid?.() === 0;
/** Identifies Debian's user `nobody`, and its group. */
const nobody = 65_534;

/** Returns a password's hash: Apache's own form by default, `1` for the one that the system's libraries read. */
export function hashPassword(password: string, form: 'apr1' | '1' = 'apr1'): string {
  return execFileSync('openssl', ['passwd', `-${form}`, '-stdin'], { input: password })
    .toString()
    .trim();
}

/** Gives access to the other user to whom a server switches if root starts it. */
export async function openFolders(folders: readonly string[], parent: string): Promise<void> {
  if (!isRoot) return;
  await fs.chmod(parent, 0o711);
  for (const folder of folders) await fs.chmod(folder, 0o777);
}

/** Configures proftpd's SFTP server. */
export async function prepareProftpd({ root, folder, port, password, obscure }: ServerPlace): Promise<DebianServer> {
  const file = (name: string): string => nodePath.join(root, name);
  execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-m', 'PEM', '-N', '', '-f', file('host')]);
  const [user, group] = isRoot ? [nobody, nobody] : [process.getuid?.(), process.getgid?.()];
  const account = ['lab', hashPassword(password, '1'), user, group, '', folder, '/bin/false'];
  await fs.writeFile(file('users'), `${account.join(':')}\n`, { mode: 0o600 });
  const lines = [
    ...['ModulePath /usr/lib/proftpd', 'LoadModule mod_sftp.c', 'ServerType standalone', 'DefaultAddress 127.0.0.1'],
    ...[`Port ${port}`, 'UseIPv6 off', `PidFile ${file('pid')}`, `ScoreboardFile ${file('scoreboard')}`],
    ...['DelayEngine off', 'WtmpLog off', 'SFTPEngine on', `SFTPHostKey ${file('host')}`, `SFTPLog ${file('log')}`],
    ...['SFTPAuthMethods password', 'MaxLoginAttempts 100', `AuthUserFile ${file('users')}`],
    ...['AuthOrder mod_auth_file.c', 'RequireValidShell off', 'DefaultRoot ~', 'AllowOverwrite on', 'Umask 022', ''],
    ...(isRoot ? ['User nobody', 'Group nogroup', ''] : []),
  ];
  await fs.writeFile(file('proftpd.conf'), lines.join('\n'));
  await openFolders([folder], nodePath.dirname(root));
  const section = ['type = sftp', 'host = 127.0.0.1', `port = ${port}`, 'user = lab', `pass = ${obscure(password)}`];
  return { command: ['/usr/sbin/proftpd', '--nodaemon', '--config', file('proftpd.conf')], section };
}

function describeDav({ port, password, obscure }: ServerPlace): readonly string[] {
  const login = ['user = lab', `pass = ${obscure(password)}`];
  return ['type = webdav', `url = http://127.0.0.1:${port}`, 'vendor = other', ...login];
}

/** Configures lighttpd's WebDAV server. */
export async function prepareLighttpd(place: ServerPlace): Promise<DebianServer> {
  const { root, folder, port, password } = place;
  const file = (name: string): string => nodePath.join(root, name);
  await fs.writeFile(file('users'), `lab:${password}\n`);
  const lines = [
    ...['server.modules = ("mod_auth", "mod_authn_file", "mod_webdav")', 'server.bind = "127.0.0.1"'],
    ...[`server.port = ${port}`, `server.document-root = "${folder}"`, `server.upload-dirs = ("${root}")`],
    ...(isRoot ? ['server.username = "nobody"', 'server.groupname = "nogroup"'] : []),
    ...['webdav.activate = "enable"', `webdav.sqlite-db-name = "${file('properties.db')}"`],
    ...['auth.backend = "plain"', `auth.backend.plain.userfile = "${file('users')}"`],
    'auth.require = ("" => ("method" => "basic", "realm" => "stores", "require" => "valid-user"))',
    '',
  ];
  await fs.writeFile(file('lighttpd.conf'), lines.join('\n'));
  await openFolders([root, folder], nodePath.dirname(root));
  const section = [...describeDav(place), 'headers = Content-Type,application/xml'];
  return { command: ['/usr/sbin/lighttpd', '-D', '-f', file('lighttpd.conf')], section };
}

/** Configures nginx with the WebDAV methods of its module dav-ext. */
export async function prepareNginx(place: ServerPlace): Promise<DebianServer> {
  const { root, folder, port, password } = place;
  const file = (name: string): string => nodePath.join(root, name);
  await fs.writeFile(file('users'), `lab:${hashPassword(password)}\n`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const lines = [
    'load_module /usr/lib/nginx/modules/ngx_http_dav_ext_module.so;',
    ...(isRoot ? ['user nobody nogroup;'] : []),
    ...['daemon off;', `pid ${file('pid')};`, `error_log ${file('log')};`, 'events {}', 'http {', 'access_log off;'],
    ...temporary.map((name) => `${name}_temp_path ${file(name)};`),
    ...['client_max_body_size 0;', 'server {', `listen 127.0.0.1:${port};`, `root ${folder};`, 'location / {'],
    ...['dav_methods PUT DELETE MKCOL COPY MOVE;', 'dav_ext_methods PROPFIND OPTIONS;', 'create_full_put_path on;'],
    ...['auth_basic stores;', `auth_basic_user_file ${file('users')};`, '}', '}', '}', ''],
  ];
  await fs.writeFile(file('nginx.conf'), lines.join('\n'));
  await openFolders([root, folder], nodePath.dirname(root));
  const command = ['/usr/sbin/nginx', '-e', file('log'), '-c', file('nginx.conf')] as const;
  return { command, section: describeDav(place) };
}
