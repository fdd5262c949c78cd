import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { findInstallation, isDebianServer } from './debianServers.ts';
import { mountByRclone } from './rcloneMount.ts';
import { canMountDisks, mountDiskIn, unmountDisk, type FileSystem } from './smallDisk.ts';
import type { StoreKind, StoreServers } from './storeServers.ts';
import { isDeep } from './testSize.ts';

/** The capabilities of a kind of place, as the suite of every kind proves and the table of docs/stores.md states. */
interface Holding {
  /** True if searches find a new file without another scan of the whole place. */
  readonly findsNewFiles: boolean;
  /** True if the files that a search finds have hashes. */
  readonly hasHashes: boolean;
  /** True if the files that a search finds have the times that their programs gave them. */
  readonly listsTimes: boolean;
  /** True if a transfer gives its files the times of their originals. */
  readonly keepsTimes: boolean;
  /** True if links to files are served; undefined if the place has no links. */
  readonly followsLinks: boolean | undefined;
  /** True if a transfer within one remote leaves the content in the store. */
  readonly copiesWithin: boolean;
  /** True if archived objects can be restored. */
  readonly restores: boolean;
}

/** A kind of place: how to open it, and its capabilities. */
export interface KindOfPlace {
  /** The name in the table. */
  readonly title: string;
  /** The server, also of a remote that another one wraps; absent for folders of this machine. */
  readonly server?: StoreKind;
  /** The file system of the folder; the one of temporary folders by default. */
  readonly fileSystem?: FileSystem;
  /** True for a folder that rclone mounts, with its cache of written files. */
  readonly isMounted?: boolean;
  /** Returns the configuration of a remote that wraps another one. */
  readonly wrap?: (remote: string) => readonly string[];
  /** The folders of the wrapped remote that must exist. */
  readonly folders?: readonly string[];
  /** The path in the wrapping remote that leads to the wrapped one. */
  readonly wrappedAs?: string;
  /** True if files have the same names on the disk of the server as in the place. */
  readonly hasSameNames?: boolean;
  /** The messages about a full disk and about denied access of a server that doesn't report these. */
  readonly says?: { readonly full: string; readonly denied?: string };
  /** True if the suite proves the kind only in the deep run. */
  readonly isRare?: boolean;
  readonly holds: Holding;
}

/** The password of encrypted files, in the form of rclone's configuration. */
const obscured = '58VcRNr7-L9NGHCx5D-BimrkDD3-_fsznkkLlA47RNgbwtCbYM8';

const folder: Holding = {
  findsNewFiles: true,
  hasHashes: false,
  listsTimes: true,
  keepsTimes: true,
  followsLinks: true,
  copiesWithin: false,
  restores: false,
};
const sftp: Holding = { ...folder, findsNewFiles: false };
const dav: Holding = { ...sftp, keepsTimes: false };
const s3: Holding = { ...sftp, hasHashes: true, listsTimes: false, followsLinks: undefined, copiesWithin: true };

const wrapper: Holding = { ...sftp, followsLinks: undefined };

const unknownError = 'waiting to try again: could not write full.bin: the store reported an error';

const table = {
  folder: { title: 'Folder', holds: folder },
  tmpfs: { title: 'tmpfs', fileSystem: 'tmpfs', holds: folder },
  xfs: { title: 'XFS', fileSystem: 'xfs', isRare: true, holds: folder },
  btrfs: { title: 'Btrfs', fileSystem: 'btrfs', isRare: true, holds: folder },
  mount: { title: '`rclone mount`', isMounted: true, holds: { ...folder, followsLinks: undefined } },
  openssh: { title: 'SFTP (OpenSSH)', server: 'openssh', holds: sftp },
  proftpd: { title: 'SFTP (ProFTPD)', server: 'proftpd', isRare: true, holds: sftp },
  sftp: { title: 'SFTP (rclone)', server: 'sftp', holds: sftp },
  apache: { title: 'WebDAV (Apache)', server: 'apache', holds: { ...dav, followsLinks: false } },
  nginx: {
    title: 'WebDAV (nginx)',
    server: 'nginx',
    says: {
      full: unknownError,
      denied: 'rclone failed; "rclone lsd nginx:" in a terminal, with the path after the colon, shows why',
    },
    holds: dav,
  },
  lighttpd: {
    title: 'WebDAV (lighttpd)',
    server: 'lighttpd',
    isRare: true,
    says: { full: unknownError },
    holds: { ...dav, followsLinks: false },
  },
  dav: { title: 'WebDAV (rclone)', server: 'dav', holds: dav },
  s3: { title: 'S3', server: 's3', holds: { ...s3, restores: true } },
  crypt: {
    title: '`crypt`',
    server: 'openssh',
    wrap: (remote) => ['type = crypt', `remote = ${remote}`, `password = ${obscured}`],
    holds: wrapper,
  },
  combine: {
    title: '`combine`',
    server: 'openssh',
    wrap: (remote) => ['type = combine', `upstreams = one=${remote}`],
    wrappedAs: 'one/',
    hasSameNames: true,
    // rclone asks for the free space of the whole wrapped remote.
    says: { full: unknownError },
    isRare: true,
    holds: sftp,
  },
  union: {
    title: '`union`',
    server: 'openssh',
    // Spreads the files of every folder.
    wrap: (remote) => ['type = union', `upstreams = ${remote}/one ${remote}/two`, 'create_policy = rand'],
    folders: ['one', 'two'],
    isRare: true,
    holds: wrapper,
  },
  alias: {
    title: '`alias`',
    server: 'openssh',
    wrap: (remote) => ['type = alias', `remote = ${remote}`],
    hasSameNames: true,
    isRare: true,
    holds: sftp,
  },
  chunker: {
    title: '`chunker`',
    server: 'openssh',
    wrap: (remote) => ['type = chunker', `remote = ${remote}`, 'chunk_size = 1Mi'],
    isRare: true,
    holds: wrapper,
  },
  hasher: {
    title: '`hasher`',
    server: 'openssh',
    wrap: (remote) => ['type = hasher', `remote = ${remote}`, 'hashes = md5', 'max_age = off'],
    hasSameNames: true,
    isRare: true,
    holds: sftp,
  },
} as const satisfies Readonly<Record<string, KindOfPlace>>;

/** A kind of place: a folder, or a store behind a real rclone. */
export type PlaceKind = keyof typeof table;

/** All kinds of places. A new one is a line in the table. */
export const placeKinds: Readonly<Record<PlaceKind, KindOfPlace>> = table;

/** The kinds whose capabilities the suite of every kind proves, and docs/stores.md states. */
export const comparedKinds = (Object.keys(table) as PlaceKind[]).filter((kind) => !['sftp', 'dav'].includes(kind));

/** Returns why the tests can't open a kind on this machine, or don't in this run. */
export function findObstacle(kind: PlaceKind): string | undefined {
  const { server, fileSystem, isMounted, isRare }: KindOfPlace = placeKinds[kind];
  if (isMounted === true && process.platform !== 'linux') return 'the tests mount it only on Linux';
  if (isRare === true && !isDeep) return 'the deep run proves it';
  if (server !== undefined && isDebianServer(server) && process.platform !== 'linux')
    return 'the tests open it only on Linux';
  if (fileSystem !== undefined && !canMountDisks(fileSystem)) return 'this machine or user cannot mount it';
  if (server === undefined || !isDebianServer(server)) return undefined;
  const installation = findInstallation(server);
  return installation === undefined ? undefined : `its server is missing: ${installation}`;
}

/** Returns the servers that kinds of places need. */
export function findServers(kinds: readonly PlaceKind[]): readonly StoreKind[] {
  return kinds.flatMap((kind) => placeKinds[kind].server ?? []);
}

/** A kind of place whose server runs, or whose file system is mounted. */
export interface OpenKind {
  /** The beginning of the location of each place; undefined for folders. */
  readonly prefix: string | undefined;
  /** The folder on this machine that has the places; undefined if their files have other names there. */
  readonly disk: string | undefined;
  readonly close?: () => Promise<void>;
}

/** Opens a kind of place; the places of folders are in `root`. */
export async function openKind(kind: PlaceKind, servers: StoreServers, root: string): Promise<OpenKind> {
  const { server, wrap, folders = [], wrappedAs = '', hasSameNames }: KindOfPlace = placeKinds[kind];
  if (server === undefined) return await openFolder(nodePath.join(root, kind), placeKinds[kind]);
  const remote = servers.remote(server);
  const disk = server === 's3' ? undefined : servers.folder(server);
  if (wrap === undefined) return { prefix: remote.endsWith(':') ? remote : `${remote}/`, disk };
  for (const name of folders) servers.run(['mkdir', `${remote}/${kind}/${name}`]);
  await fs.appendFile(servers.configFile, [`[${kind}]`, ...wrap(`${remote}/${kind}`), ''].join('\n'));
  servers.run(['mkdir', `${kind}:${wrappedAs}`]);
  return { prefix: `${kind}:${wrappedAs}`, disk: hasSameNames === true ? `${disk}/${kind}` : undefined };
}

async function openFolder(folder: string, { fileSystem, isMounted }: KindOfPlace): Promise<OpenKind> {
  await fs.mkdir(folder);
  if (isMounted === true) return await openMount(folder);
  if (fileSystem === undefined) return { prefix: undefined, disk: folder };
  if (!mountDiskIn(folder, 400, fileSystem)) throw new Error(`No ${fileSystem} can be mounted.`);
  const close = async (): Promise<void> => {
    unmountDisk(folder);
    await Promise.resolve();
  };
  return { prefix: undefined, disk: folder, close };
}

async function openMount(folder: string): Promise<OpenKind> {
  const [behind, cache] = [`${folder}-behind`, `${folder}-cache`];
  await fs.mkdir(behind);
  const { close } = await mountByRclone(behind, folder, ['--vfs-cache-mode', 'writes', '--cache-dir', cache]);
  return { prefix: undefined, disk: folder, close };
}

const columns: readonly (readonly [title: string, field: keyof Holding])[] = [
  ['Finds new files at once', 'findsNewFiles'],
  ['Hashes', 'hasHashes'],
  ['Lists times', 'listsTimes'],
  ['Keeps times', 'keepsTimes'],
  ['Links', 'followsLinks'],
  ['Copies within', 'copiesWithin'],
  ['Restores', 'restores'],
];

/** Returns the rows of the table of docs/stores.md, in which kinds with the same capabilities share a row. */
export function describeKinds(): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const kind of comparedKinds) {
    const { title, holds } = placeKinds[kind];
    const cells = columns.map(([, field]) => (holds[field] === undefined ? '' : holds[field] ? '✓' : '–'));
    groups.set(cells.join('|'), [...(groups.get(cells.join('|')) ?? []), title]);
  }
  const rows = [...groups].map(([cells, titles]) => `|${titles.join(', ')}|${cells}|`);
  return [`|Place|${columns.map(([title]) => title).join('|')}|`, `|${'-|'.repeat(columns.length + 1)}`, ...rows];
}
