import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { FoundFile } from './contractRig.ts';
import { eventually } from './eventually.ts';
import { getName, getSmallName, isFolder, type KindRig } from './kindRig.ts';
import { placeKinds, type PlaceKind } from './placeKinds.ts';
import { canMountDisks } from './smallDisk.ts';

/** A case that holds for every kind of place, or the reason why it can't be asked of one. */
export interface KindCase {
  readonly title: string;
  readonly cannot?: (kind: PlaceKind) => string | false | undefined;
  readonly check: (rig: KindRig, kind: PlaceKind) => Promise<void>;
}

const large = randomBytes(4_000_000);
const isRoot = process.getuid?.() === 0;
const canMount = canMountDisks();
const hasDisk = (kind: PlaceKind): boolean => kind !== 's3';
const needsDisk = (kind: PlaceKind): string | false => !hasDisk(kind) && 'its files have other names on the disk';
/** The servers that run as another user than root, who could read everything. */
const lowServers: readonly PlaceKind[] = ['apache'];

const odd = {
  'ç d.txt': 'one',
  'a,b 100%.txt': 'two',
  "it's & <b>.txt": 'three',
  '#?;+=@.txt': 'four',
  ' spaces .txt': 'five',
  'a..b': 'six',
  'deep/er/%20.txt': 'seven',
  empty: '',
};

function toPaths(files: readonly { readonly path: string }[]): readonly string[] {
  return files.map(({ path }) => path).toSorted();
}

export const kindCases: readonly KindCase[] = [
  {
    title: 'finds every file with its size, also empty ones and those with odd names',
    check: async (rig: KindRig, kind: PlaceKind): Promise<void> => {
      await rig.getPlace(getName(kind)).write(prefix('odd', odd));
      const found = await rig.find(getName(kind), 'odd', Object.keys(odd).length);
      const sizes = found.map(({ path, bytes }) => [path, bytes] as const).toSorted();
      const expected = Object.entries(prefix('odd', odd)).map(([path, text]) => [path, text.length] as const);
      assert.deepEqual(sizes, expected.toSorted());
    },
  },
  {
    title: 'transfers files with odd names in both directions',
    check: async (rig: KindRig, kind: PlaceKind): Promise<void> => {
      await rig.getPlace(getName(kind)).write(prefix('both', odd));
      const found = await rig.find(getName(kind), 'both', Object.keys(odd).length);
      const { id } = await rig.waitForSuccess(
        await rig.stores.submit(
          getName(kind),
          'folder',
          found.map((file) => file.id),
        ),
      );
      for (const [path, text] of Object.entries(odd))
        assert.equal(await fs.readFile(nodePath.join(rig.stores.folder, `dts-${id}/both`, path), 'utf8'), text, path);
    },
  },
  {
    title: 'has exactly the capabilities that it declares',
    check: async (rig: KindRig, kind: PlaceKind): Promise<void> =>
      assert.deepEqual(await observe(rig, kind), placeKinds[kind].holds),
  },
  {
    title: 'waits while its disk is full, and continues when there is space',
    cannot: (kind) => needsDisk(kind) || (!canMount && 'mounting a file system needs root on Linux'),
    check: async (rig: KindRig, kind: PlaceKind): Promise<void> => {
      const name = getSmallName(kind);
      const id = await rig.send(name, `${kind}/full.bin`, large);
      const { message } = await rig.stores.waitForStatus(id, 'inactive', 'failed', 'succeeded');
      assert.equal(message, `Transfer ${id}: waiting: the destination is full`);
      rig.enlarge(kind);
      await rig.waitForSuccess(id);
      assert.deepEqual(await fs.readFile(rig.getPlace(name).getFile(`dts-${id}/${kind}/full.bin`)), large);
    },
  },
  {
    title: 'keeps the files that it found while access is denied, and says so',
    cannot: (kind) =>
      (!isRoot && 'the test needs root') ||
      (!lowServers.includes(kind) && 'it has no permissions, or its server is root'),
    check: async (rig: KindRig, kind: PlaceKind): Promise<void> => {
      const place = rig.getPlace(getName(kind));
      await place.write({ 'denied/a.txt': 'a' });
      await rig.find(getName(kind), 'denied', 1);
      await fs.chmod(place.getFile(''), 0);
      const { listing } = await rig.stores.rescan(getName(kind)).finally(async () => {
        await fs.chmod(place.getFile(''), 0o777);
      });
      assert.deepEqual([listing?.state, listing?.problem], ['failed', 'its server denies access']);
      assert.deepEqual(toPaths(await rig.stores.search(getName(kind), 'path:denied/')), ['denied/a.txt']);
    },
  },
  {
    title: 'keeps the files that it found while its folder is missing, and says so',
    cannot: (kind) => (isFolder(kind) ? 'its folder is another test (missingFolder)' : needsDisk(kind)),
    check: async (rig: KindRig, kind: PlaceKind): Promise<void> => {
      const place = rig.getPlace(getName(kind));
      await place.write({ 'missing/a.txt': 'a' });
      await rig.find(getName(kind), 'missing', 1);
      await fs.rename(place.getFile(''), `${place.getFile('')}.away`);
      const { listing } = await rig.stores.rescan(getName(kind)).finally(async () => {
        await fs.rename(`${place.getFile('')}.away`, place.getFile(''));
      });
      assert.deepEqual([listing?.state, listing?.problem], ['failed', "its folder or bucket doesn't exist"]);
      assert.deepEqual(toPaths(await rig.stores.search(getName(kind), 'path:missing/')), ['missing/a.txt']);
    },
  },
];

async function observe(rig: KindRig, kind: PlaceKind): Promise<object> {
  const place = rig.getPlace(getName(kind));
  const time = '2015-12-31T23:59:58.000Z';
  await place.write({ 'seen/a.txt': 'alpha', 'seen/original.txt': 'original' });
  await place.setModified({ 'seen/a.txt': time });
  const hasLinks = hasDisk(kind);
  if (hasLinks) await fs.symlink('original.txt', place.getFile('seen/link.txt'));
  const found = await rig.find(getName(kind), 'seen', hasLinks ? 3 : 2);
  const [file] = found;
  assert.ok(file);
  const id = await rig.send(getName(kind), `${kind}/kept.txt`, 'kept', time);
  await rig.waitForSuccess(id);
  return {
    findsNewFiles: await findsNewFiles(rig, kind),
    hasHashes: file.hash !== undefined,
    listsTimes: file.modified !== undefined && Math.abs(Date.parse(file.modified) - Date.parse(time)) < 1_000,
    keepsTimes: Date.parse(await place.getModified(`dts-${id}/${kind}/kept.txt`)) === Date.parse(time),
    followsLinks: hasLinks ? await followsLink(rig, kind, found) : undefined,
    copiesWithin: await rig.copiesWithin(kind),
    restores: await rig.restores(kind, 'seen/a.txt'),
  };
}

async function findsNewFiles(rig: KindRig, kind: PlaceKind): Promise<boolean> {
  await rig.getPlace(getName(kind)).write({ 'seen/new.txt': 'new' });
  const find = async (): Promise<boolean> => (await rig.stores.search(getName(kind), 'path:seen/new.txt')).length > 0;
  return isFolder(kind) ? await eventually(async () => (await find()) || undefined) : await find();
}

async function followsLink(rig: KindRig, kind: PlaceKind, found: readonly FoundFile[]): Promise<boolean> {
  const link = found.find(({ path }) => path === 'seen/link.txt');
  if (link === undefined) return false;
  const { id } = await rig.waitForSuccess(await rig.stores.submit(getName(kind), 'folder', [link.id]));
  return (await fs.readFile(nodePath.join(rig.stores.folder, `dts-${id}/seen/link.txt`), 'utf8')) === 'original';
}

function prefix(folder: string, contents: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(contents).map(([path, text]) => [`${folder}/${path}`, text]));
}
