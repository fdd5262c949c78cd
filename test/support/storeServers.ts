import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { connect } from 'node:net';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { createRcloneEnvironment, findRclonePath } from '../../src/core/util/remote.ts';
import { debianServerKinds, isDebianServer, prepareDebianServer, type DebianServerKind } from './debianServers.ts';
import { eventually } from './eventually.ts';
import type { DebianServer } from './moreServers.ts';
import { killIfRunning, listDescendants } from './processTree.ts';
import { ReservedPort } from './reservedPort.ts';

const s3Program = nodePath.join(import.meta.dirname, '../../node_modules/s3rver/bin/s3rver.js');
const s3Writes = nodePath.join(import.meta.dirname, 's3rverWrites.cjs');

/** Secrets in the configuration of the remotes. They must not appear anywhere else. */
export const plantedSecrets = [
  'planted-sftp-password',
  'planted-dav-password',
  'planted-apache-password',
  'S3RVER-planted-never-used',
] as const;

/** A kind of server, which is also the name of its remote. */
export type StoreKind = 'sftp' | 'dav' | 's3' | DebianServerKind;

/** The kinds of servers that most tests of stores use. */
export const storeKinds: readonly StoreKind[] = ['sftp', 'dav', 's3', ...debianServerKinds];

/** Options for {@link StoreServers.start}: additional configuration in `remotes`, and the folders to serve. */
export interface StoreOptions {
  readonly remotes?: string;
  /** The folder in which the temporary folders are created. */
  readonly parent?: string;
  readonly folders?: Partial<Record<StoreKind, string>>;
}

/** Returns the path of rclone. Throws an error with installation advice if rclone isn't found. */
export function mustFindRclone(): string {
  const path = findRclonePath(undefined);
  if (path !== undefined) return path;
  throw new Error('These tests need rclone: run `npm run setup`, or install it (https://rclone.org/install).');
}

/**
 * Real servers on loopback, each of which serves a folder, and an rclone configuration with their remotes: `sftp:` and
 * `dav:` are rclone's own servers, `s3:lab` is s3rver, `openssh:` and `apache:` come from Debian packages.
 */
export class StoreServers {
  readonly root: string;
  private readonly folders: StoreOptions['folders'];
  private readonly ports: ReadonlyMap<StoreKind, ReservedPort>;
  private readonly servers = new Map<StoreKind, ChildProcess>();
  private readonly debian = new Map<StoreKind, DebianServer>();
  private readonly rclone = mustFindRclone();

  private constructor(root: string, ports: ReadonlyMap<StoreKind, ReservedPort>, folders: StoreOptions['folders']) {
    this.root = root;
    this.folders = folders;
    this.ports = ports;
  }

  /**
   * Starts servers of the given kinds. `remotes` is appended to the configuration; `folders` replaces the default
   * folders that the servers serve.
   */
  static async start(
    kinds: readonly StoreKind[],
    { remotes = '', folders = {}, parent = os.tmpdir() }: StoreOptions = {},
  ): Promise<StoreServers> {
    const root = await fs.mkdtemp(nodePath.join(parent, 'dts-stores-'));
    const ports = new Map<StoreKind, ReservedPort>();
    for (const kind of kinds) ports.set(kind, await ReservedPort.reserve());
    const servers = new StoreServers(root, ports, folders);
    for (const kind of kinds) await fs.mkdir(servers.folder(kind), { recursive: true });
    for (const kind of kinds.filter(isDebianServer)) await servers.prepareDebian(kind);
    await fs.writeFile(servers.configFile, servers.describeRemotes() + remotes, { mode: 0o600 });
    try {
      await Promise.all(kinds.map(async (kind) => await servers.startServer(kind)));
    } catch (error) {
      await servers.stop();
      throw error;
    }
    return servers;
  }

  get configFile(): string {
    return nodePath.join(this.root, 'rclone.conf');
  }

  /** Environment variables that make a service use the configuration. */
  get environment(): Readonly<Record<string, string>> {
    return { RCLONE_CONFIG: this.configFile };
  }

  /** Returns the port of a server, or 0 for a kind that was not requested. */
  getPort(kind: StoreKind): number {
    return this.ports.get(kind)?.number ?? 0;
  }

  /** Returns the folder that a server serves. */
  folder(kind: StoreKind): string {
    return this.folders?.[kind] ?? nodePath.join(this.root, kind === 's3' ? 's3-data' : kind);
  }

  remote(kind: StoreKind): string {
    if (kind === 'openssh') return `openssh:${this.folder(kind)}`;
    return kind === 's3' ? 's3:lab' : `${kind}:`;
  }

  /** Writes objects: through rclone for S3, as files for the other kinds. */
  async write(kind: StoreKind, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      if (kind === 's3') this.run(['rcat', `s3:lab/${path}`], content);
      else {
        const file = nodePath.join(this.folder(kind), path);
        await fs.mkdir(nodePath.dirname(file), { recursive: true });
        await fs.writeFile(file, content);
      }
    }
  }

  /** Returns the content of an object, read through rclone. */
  read(remotePath: string): Buffer {
    return this.run(['cat', remotePath]);
  }

  /** Returns the paths of all objects in a remote, sorted. */
  list(remotePath: string): string[] {
    const lines = this.run(['lsf', '-R', '--files-only', remotePath]).toString().split('\n');
    return lines.filter((line) => line !== '').sort();
  }

  /** Runs rclone and returns its output. Throws an error with rclone's messages if rclone fails. */
  run(args: readonly string[], input: string | Buffer = ''): Buffer {
    const env = createRcloneEnvironment(this.environment);
    const options = { input, env, maxBuffer: 256 * 1024 * 1024 };
    return execFileSync(this.rclone, [...args], { ...options, stdio: 'pipe' });
  }

  /** Starts a server and waits until it is listening. After {@link kill}, the server has the same address as before. */
  async startServer(kind: StoreKind): Promise<void> {
    const port = this.getPort(kind);
    const [program, ...args] = this.getCommand(kind, port);
    const child = spawn(program, args, { stdio: 'ignore' });
    child.unref();
    this.servers.set(kind, child);
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`The server ${kind} ended with ${child.exitCode}.`);
      return (await isListening(port)) ? true : undefined;
    });
  }

  async kill(kind: StoreKind): Promise<void> {
    const server = this.servers.get(kind);
    this.servers.delete(kind);
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    // The processes that some servers start for connections would go on answering.
    const others = isDebianServer(kind) && server.pid !== undefined ? listDescendants(server.pid) : [];
    server.ref();
    server.kill('SIGKILL');
    for (const { pid } of others) killIfRunning(pid);
    await ended;
  }

  async stop(): Promise<void> {
    for (const kind of [...this.servers.keys()]) await this.kill(kind);
    for (const port of this.ports.values()) await port.release();
    await fs.rm(this.root, { recursive: true, force: true });
  }

  private async prepareDebian(kind: DebianServerKind): Promise<void> {
    const place = { root: nodePath.join(this.root, `${kind}-server`), folder: this.folder(kind) };
    const port = this.getPort(kind);
    const password = `planted-${kind}-password`;
    const obscure = (text: string): string => this.obscure(text);
    this.debian.set(kind, await prepareDebianServer(kind, { ...place, port, password, obscure }));
  }

  private obscure(text: string): string {
    return execFileSync(this.rclone, ['obscure', text]).toString().trim();
  }

  private getCommand(kind: StoreKind, port: number): readonly [string, ...string[]] {
    const debian = this.debian.get(kind);
    if (debian !== undefined) return debian.command;
    const address = `127.0.0.1:${port}`;
    const folder = this.folder(kind);
    if (kind === 's3') {
      const options = ['-d', folder, '-a', '127.0.0.1', '-p', String(port), '--configure-bucket', 'lab', '-s'];
      return [process.execPath, '--require', s3Writes, s3Program, ...options];
    }
    const credentials = ['--user', 'lab', '--pass', `planted-${kind}-password`];
    if (kind === 'sftp') return [this.rclone, 'serve', 'sftp', '--addr', address, ...credentials, folder];
    return [this.rclone, 'serve', 'webdav', '--addr', address, ...credentials, folder];
  }

  private describeRemotes(): string {
    const port = (kind: StoreKind): string => String(this.ports.get(kind)?.number ?? 1);
    const obscure = (text: string): string => this.obscure(text);
    return [
      ...['[sftp]', 'type = sftp', 'host = 127.0.0.1', `port = ${port('sftp')}`, 'user = lab'],
      `pass = ${obscure('planted-sftp-password')}`,
      ...['[dav]', 'type = webdav', `url = http://127.0.0.1:${port('dav')}`, 'vendor = other', 'user = lab'],
      `pass = ${obscure('planted-dav-password')}`,
      ...['[s3]', 'type = s3', 'provider = Other', 'access_key_id = S3RVER', 'secret_access_key = S3RVER'],
      ...[`endpoint = http://127.0.0.1:${port('s3')}`, 'force_path_style = true', 'region = us-east-1'],
      ...['[gone]', 'type = sftp', 'host = 127.0.0.1', 'port = 1', 'user = lab'],
      `pass = ${obscure('planted-sftp-password')}`,
      ...['[unused]', 'type = s3', 'provider = Other', 'secret_access_key = S3RVER-planted-never-used'],
      ...[...this.debian].flatMap(([kind, { section }]) => [`[${kind}]`, ...section]),
      '',
    ].join('\n');
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
