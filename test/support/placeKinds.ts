import { storeKinds, type StoreKind, type StoreServers } from './storeServers.ts';

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

interface KindOfPlace {
  /** The name in the table. */
  readonly title: string;
  /** The server; absent for folders. */
  readonly server?: StoreKind;
  readonly holds: Holding;
}

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

const table = {
  folder: { title: 'Folder', holds: folder },
  openssh: { title: 'SFTP (OpenSSH)', server: 'openssh', holds: sftp },
  sftp: { title: 'SFTP (rclone)', server: 'sftp', holds: sftp },
  apache: { title: 'WebDAV (Apache)', server: 'apache', holds: { ...dav, followsLinks: false } },
  dav: { title: 'WebDAV (rclone)', server: 'dav', holds: dav },
  s3: { title: 'S3', server: 's3', holds: { ...s3, restores: true } },
} as const satisfies Readonly<Record<string, KindOfPlace>>;

/** A kind of place: a folder, or a store behind a real rclone. */
export type PlaceKind = keyof typeof table;

/** All kinds of places. A new one is a line in the table. */
export const placeKinds: Readonly<Record<PlaceKind, KindOfPlace>> = table;

/** The kinds whose capabilities the suite of every kind proves, and docs/stores.md states. */
export const comparedKinds = ['folder', 'openssh', 'apache', 's3'] as const satisfies readonly PlaceKind[];

/** Returns true if the tests can start the server of a kind on this system. */
export function canOpen(kind: PlaceKind): boolean {
  const { server }: KindOfPlace = placeKinds[kind];
  return server === undefined || storeKinds.includes(server);
}

/** Returns the servers that kinds of places need. */
export function findServers(kinds: readonly PlaceKind[]): readonly StoreKind[] {
  return kinds.flatMap((kind) => placeKinds[kind].server ?? []);
}

/** A kind of place whose server runs. */
export interface OpenKind {
  /** The beginning of the location of each place; undefined for folders. */
  readonly prefix: string | undefined;
  /** The folder on this machine that has the places; undefined for objects. */
  readonly disk: string | undefined;
}

/** Returns where the places of a kind are; those of folders are in `root`. */
export function openKind(kind: PlaceKind, servers: StoreServers, root: string): OpenKind {
  const { server }: KindOfPlace = placeKinds[kind];
  if (server === undefined) return { prefix: undefined, disk: root };
  const remote = servers.remote(server);
  const disk = server === 's3' ? undefined : servers.folder(server);
  return { prefix: remote.endsWith(':') ? remote : `${remote}/`, disk };
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
