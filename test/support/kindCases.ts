import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { FoundFile } from './contractRig.ts';
import { eventually } from './eventually.ts';
import { findDiskObstacle, findSmallDiskObstacle, isFolder, small, usual, type KindRig } from './kindRig.ts';
import { placeKinds, type PlaceKind } from './placeKinds.ts';
import { killIfRunning, listRclones } from './processTree.ts';

/** A case that holds for every kind of place, or the reason why it can't be asked of one. */
export interface KindCase {
  readonly title: string;
  /** True if only the deep run asks. */
  readonly isRare?: boolean;
  readonly cannot?: (kind: PlaceKind) => string | undefined;
  readonly check: (rig: KindRig) => Promise<void>;
}

const large = randomBytes(3_000_000).toString('base64');
/** More than rclone and the system may have read before a server ends. */
const larger = large.repeat(6);
/** Makes a transfer of the larger file take three seconds, so that its middle can be seen. */
const slow = 8_000_000;
/** Makes the transfer of the large file take twenty seconds. */
const steady = 200_000;
const isRoot = process.getuid?.() === 0;
/** The servers that run as another user than root, who could read everything. */
const lowServers: readonly PlaceKind[] = ['proftpd', 'apache', 'nginx'];

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

function findDeniedObstacle(kind: PlaceKind): string | undefined {
  if (kind === 'lighttpd') return 'its server lists such a folder as empty';
  if (!lowServers.includes(kind)) return 'it has no permissions, or its server is root';
  return isRoot ? undefined : 'the test needs root';
}

function toPaths(files: readonly { readonly path: string }[]): readonly string[] {
  return files.map(({ path }) => path).toSorted();
}

export const kindCases: readonly KindCase[] = [
  {
    title: 'finds every file with its size, also empty ones and those with odd names',
    check: async (rig: KindRig): Promise<void> => {
      await rig.place.write(prefix('odd', odd));
      const found = await rig.find('odd', Object.keys(odd).length);
      const sizes = found.map(({ path, bytes }) => [path, bytes] as const).toSorted();
      const expected = Object.entries(prefix('odd', odd)).map(([path, text]) => [path, text.length] as const);
      assert.deepEqual(sizes, expected.toSorted());
    },
  },
  {
    title: 'transfers files with odd names in both directions',
    check: async (rig: KindRig): Promise<void> => {
      const contents = prefix('both', odd);
      await rig.place.write(contents);
      const found = await rig.find('both', Object.keys(odd).length);
      const ids = found.map((file) => file.id);
      const { id } = await rig.waitForSuccess(await rig.stores.submit(usual, 'folder', ids));
      for (const [path, text] of Object.entries(odd))
        assert.equal(await fs.readFile(nodePath.join(rig.stores.folder, `dts-${id}/both`, path), 'utf8'), text, path);
    },
  },
  {
    title: 'has exactly the capabilities that it declares',
    check: async (rig: KindRig): Promise<void> => assert.deepEqual(await observe(rig), placeKinds[rig.kind].holds),
  },
  {
    title: 'completes its scans while subfolders come and go',
    isRare: true,
    cannot: (kind) => (isFolder(kind) ? 'it is watched' : findDiskObstacle(kind)),
    check: async (rig: KindRig): Promise<void> => {
      await rig.place.write({ 'busy/stays.txt': 'x' });
      let isBusy = true;
      const change = async (): Promise<void> => {
        for (let count = 0; isBusy; count += 1) {
          await fs.mkdir(rig.place.getFile(`busy/run-${count}/tmp`), { recursive: true });
          await fs.rm(rig.place.getFile(`busy/run-${count - 40}`), { recursive: true, force: true });
        }
      };
      const changing = change();
      try {
        for (let scan = 0; scan < 2; scan += 1)
          assert.deepEqual(toPaths(await rig.find('busy', 1)), ['busy/stays.txt']);
      } finally {
        isBusy = false;
        await changing;
        await fs.rm(rig.place.getFile('busy'), { recursive: true });
      }
    },
  },
  {
    title: 'waits while its disk is full, and continues when there is space',
    cannot: findSmallDiskObstacle,
    check: async (rig: KindRig): Promise<void> => {
      const id = await rig.send(small, 'full.bin', large);
      const { message } = await rig.stores.waitForStatus(id, 'inactive', 'failed', 'succeeded');
      const { full = 'waiting: the destination is full' } = placeKinds[rig.kind].says ?? {};
      assert.equal(message, `Transfer ${id}: ${full}`);
      rig.enlarge();
      await rig.waitForSuccess(id);
      assert.equal(await fs.readFile(rig.smallPlace.getFile(`dts-${id}/full.bin`), 'utf8'), large);
    },
  },
  {
    title: 'continues after its server ended in the middle of a transfer',
    isRare: true,
    cannot: (kind) => (isFolder(kind) ? 'it has no server' : undefined),
    check: async (rig: KindRig): Promise<void> => {
      const { server } = placeKinds[rig.kind];
      assert.ok(server);
      await rig.place.write({ 'cut/large.bin': larger });
      const [file] = await rig.find('cut', 1);
      assert.ok(file);
      await rig.startService(slow);
      const id = await rig.stores.submit(usual, 'folder', [file.id]);
      const folder = nodePath.join(rig.stores.folder, `dts-${id}`);
      await waitForPart(async () => await fs.readdir(folder, { recursive: true }));
      await rig.stores.servers.kill(server);
      const { status, message } = await rig.stores.waitForStatus(id, 'inactive', 'failed', 'succeeded');
      await rig.stores.servers.startServer(server);
      assert.equal(status, 'inactive', message);
      await rig.waitForSuccess(id);
      assert.deepEqual((await fs.readdir(folder)).toSorted(), ['cut', 'manifest.json']);
      assert.deepEqual(await fs.readdir(nodePath.join(folder, 'cut')), ['large.bin']);
      assert.ok((await fs.readFile(nodePath.join(folder, 'cut/large.bin'), 'utf8')) === larger);
    },
  },
  {
    title: 'continues after the service was killed in the middle of a transfer',
    isRare: true,
    check: async (rig: KindRig): Promise<void> => {
      await rig.startService(slow);
      const id = await rig.send(usual, 'killed.bin', larger);
      await waitForBytes(rig, id);
      // An rclone that outlives the service for a moment removes its unfinished object.
      for (const { pid } of listRclones(rig.stores.service.pid)) killIfRunning(pid);
      await rig.stores.killService();
      await rig.startService();
      await rig.waitForSuccess(id);
      const { 'killed.bin': copy } = await rig.place.read(`dts-${id}`);
      assert.ok(copy === larger);
      assert.deepEqual(await listOf(rig, id), [`dts-${id}/killed.bin`, `dts-${id}/manifest.json`]);
    },
  },
  {
    title: 'continues after the service was killed, and removes what it left unfinished',
    check: async (rig: KindRig): Promise<void> => {
      await rig.startService(steady);
      const id = await rig.send(usual, 'left.bin', large);
      await waitForBytes(rig, id);
      await rig.stores.killService();
      await rig.place.write(listUnfinished(rig.kind, id));
      await rig.startService();
      await rig.waitForSuccess(id);
      assert.deepEqual(await listOf(rig, id), [`dts-${id}/left.bin`, `dts-${id}/manifest.json`]);
    },
  },
  {
    title: 'leaves nothing of a canceled transfer but the files that it moved completely',
    check: async (rig: KindRig): Promise<void> => {
      await rig.startService(steady);
      const id = await rig.send(usual, 'canceled.bin', large);
      await waitForBytes(rig, id);
      const complete = `dts-${id}/complete.txt`;
      await rig.place.write({ ...listUnfinished(rig.kind, id), [complete]: 'moved' });
      assert.equal((await rig.stores.cancel(id)).status, 202);
      await rig.stores.waitForStatus(id, 'failed');
      // A listing fails if a folder is removed meanwhile.
      await eventually(async () => (await listOf(rig, id).catch(() => [])).length === 1 || undefined);
      await rig.startService();
      assert.deepEqual(await listOf(rig, id), [complete]);
    },
  },
  {
    title: 'transfers no file whose content differs from the listed one',
    cannot: (kind) => (isFolder(kind) ? 'it is watched' : undefined),
    check: async (rig: KindRig): Promise<void> => {
      await rig.place.write({ 'changed/a.txt': 'alpha' });
      const [file] = await rig.find('changed', 1);
      assert.ok(file);
      const [content, problem] =
        file.hash === undefined
          ? ['alpha and more', 'read changed/a.txt: it changed since it was listed']
          : ['gamma', 'copy changed/a.txt: it does not have the md5 hash that the store listed for it'];
      await rig.place.write({ 'changed/a.txt': content });
      const id = await rig.stores.submit(usual, 'folder', [file.id]);
      const { status, message } = await rig.stores.waitForStatus(id, 'failed', 'succeeded');
      assert.equal(status, 'failed', message);
      assert.ok(message.startsWith(`Transfer ${id}: failed (could not ${problem}`), message);
      await assert.rejects(fs.access(nodePath.join(rig.stores.folder, `dts-${id}/changed/a.txt`)), { code: 'ENOENT' });
    },
  },
  {
    title: 'keeps a file that another program gave the name of a transferred one',
    cannot: (kind) => (isFolder(kind) ? undefined : 'an object with the name is replaced (D24)'),
    check: async (rig: KindRig): Promise<void> => {
      await rig.startService(slow);
      const id = await rig.send(usual, 'taken.bin', larger);
      const folder = rig.place.getFile(`dts-${id}`);
      await waitForPart(async () => await fs.readdir(folder));
      await rig.place.write({ [`dts-${id}/taken.bin`]: 'of another program' });
      const { message } = await rig.stores.waitForStatus(id, 'failed', 'succeeded');
      await rig.startService();
      assert.equal(message, `Transfer ${id}: failed (could not write taken.bin: a different file already exists)`);
      assert.deepEqual(await rig.place.read(`dts-${id}`), { 'taken.bin': 'of another program' });
    },
  },
  {
    title: 'keeps the files that it found while its server is down, and says so',
    cannot: (kind) => (isFolder(kind) ? 'it has no server' : undefined),
    check: async (rig: KindRig): Promise<void> => {
      const { server } = placeKinds[rig.kind];
      assert.ok(server);
      await rig.place.write({ 'down/a.txt': 'a' });
      await rig.find('down', 1);
      await rig.stores.servers.kill(server);
      const { listing } = await rig.stores.rescan(usual).finally(async () => {
        await rig.stores.servers.startServer(server);
      });
      assert.deepEqual([listing?.state, listing?.problem], ['failed', 'its server refuses connections']);
      assert.deepEqual(toPaths(await rig.stores.search(usual, 'path:down/')), ['down/a.txt']);
    },
  },
  {
    title: 'leaves out a subfolder that it cannot read, and counts it',
    cannot: (kind) =>
      placeKinds[kind].says?.denied === undefined ? findDeniedObstacle(kind) : 'its server answers with another error',
    check: async (rig: KindRig): Promise<void> => {
      await rig.place.write({ 'some/a.txt': 'a', 'some/private/b.txt': 'b' });
      await rig.find('some', 2);
      await fs.chmod(rig.place.getFile('some/private'), 0);
      const { listing } = await rig.stores.rescan(usual).finally(async () => {
        await fs.chmod(rig.place.getFile('some/private'), 0o777);
      });
      assert.deepEqual([listing?.problem, listing?.leftOut], [undefined, { unreadable: 1 }]);
      assert.deepEqual(toPaths(await rig.stores.search(usual, 'path:some/')), ['some/a.txt']);
    },
  },
  {
    title: 'keeps the files that it found while access is denied, and says so',
    cannot: findDeniedObstacle,
    check: async (rig: KindRig): Promise<void> => {
      await rig.place.write({ 'denied/a.txt': 'a' });
      await rig.find('denied', 1);
      await fs.chmod(rig.place.getFile(''), 0);
      const { listing } = await rig.stores.rescan(usual).finally(async () => {
        await fs.chmod(rig.place.getFile(''), 0o777);
      });
      const { denied = 'its server denies access' } = placeKinds[rig.kind].says ?? {};
      assert.deepEqual([listing?.state, listing?.problem], ['failed', denied]);
      assert.deepEqual(toPaths(await rig.stores.search(usual, 'path:denied/')), ['denied/a.txt']);
    },
  },
  {
    title: 'keeps the files that it found while its folder is missing, and says so',
    cannot: (kind) => (isFolder(kind) ? 'its folder is another test (missingFolder)' : findDiskObstacle(kind)),
    check: async (rig: KindRig): Promise<void> => {
      await rig.place.write({ 'missing/a.txt': 'a' });
      await rig.find('missing', 1);
      await fs.rename(rig.place.getFile(''), `${rig.place.disk}.away`);
      const { listing } = await rig.stores.rescan(usual).finally(async () => {
        await fs.rename(`${rig.place.disk}.away`, rig.place.getFile(''));
      });
      assert.deepEqual([listing?.state, listing?.problem], ['failed', "its folder or bucket doesn't exist"]);
      assert.deepEqual(toPaths(await rig.stores.search(usual, 'path:missing/')), ['missing/a.txt']);
    },
  },
];

async function observe(rig: KindRig): Promise<object> {
  const { place } = rig;
  const time = '2015-12-31T23:59:58.000Z';
  await place.write({ 'seen/a.txt': 'alpha', 'seen/original.txt': 'original' });
  await place.setModified({ 'seen/a.txt': time });
  const hasLinks = await link(rig);
  const found = await rig.find('seen', hasLinks ? 3 : 2);
  const [file] = found;
  assert.ok(file);
  if (file.hash !== undefined) assert.equal(file.hash, `md5:${createHash('md5').update('alpha').digest('hex')}`);
  const id = await rig.send(usual, 'kept.txt', 'kept', time);
  await rig.waitForSuccess(id);
  return {
    findsNewFiles: await findsNewFiles(rig),
    hasHashes: file.hash !== undefined,
    listsTimes: file.modified !== undefined && Math.abs(Date.parse(file.modified) - Date.parse(time)) < 1_000,
    keepsTimes: Date.parse(await place.getModified(`dts-${id}/kept.txt`)) === Date.parse(time),
    followsLinks: hasLinks ? await followsLink(rig, found) : undefined,
    copiesWithin: await rig.copiesWithin(),
    restores: await rig.restores('seen/a.txt'),
  };
}

/** Creates a link; resolves to false if the place can't have any. */
async function link({ kind, place }: KindRig): Promise<boolean> {
  if (findDiskObstacle(kind) !== undefined) return false;
  return await fs.symlink('original.txt', place.getFile('seen/link.txt')).then(
    () => true,
    () => false,
  );
}

async function findsNewFiles(rig: KindRig): Promise<boolean> {
  await rig.place.write({ 'seen/new.txt': 'new' });
  const find = async (): Promise<boolean> => (await rig.stores.search(usual, 'path:seen/new.txt')).length > 0;
  const isExpected = placeKinds[rig.kind].holds.findsNewFiles;
  return isExpected ? await eventually(async () => (await find()) || undefined) : await find();
}

async function followsLink(rig: KindRig, found: readonly FoundFile[]): Promise<boolean> {
  const file = found.find(({ path }) => path === 'seen/link.txt');
  if (file === undefined) return false;
  const id = await rig.stores.submit(usual, 'folder', [file.id]);
  const { status } = await rig.stores.waitForStatus(id, 'succeeded', 'failed', 'inactive');
  if (status !== 'succeeded') return false;
  return (await fs.readFile(nodePath.join(rig.stores.folder, `dts-${id}/seen/link.txt`), 'utf8')) === 'original';
}

/** Returns what a killed run can leave. rclone itself removes its failed uploads, unless it was killed as well. */
function listUnfinished(kind: PlaceKind, id: string): Readonly<Record<string, string>> {
  const part = { [`dts-${id}/0-0123abcd.part-${id}`]: 'half' };
  return isFolder(kind) ? part : { ...part, [`dts-${id}.part-${id}/0123abcd/small.txt`]: 'not renamed' };
}

async function waitForBytes(rig: KindRig, id: string): Promise<void> {
  // The transfer has then removed what an earlier run left.
  await eventually(async () => ((await rig.stores.status(id)).num_bytes_transferred ?? 0) > 0 || undefined);
}

async function listOf(rig: KindRig, id: string): Promise<readonly string[]> {
  return (await rig.place.list()).filter((path) => path.includes(id));
}

async function waitForPart(list: () => Promise<readonly string[]>): Promise<void> {
  await eventually(async () => (await list().catch(() => [])).some((name) => name.includes('.part-')) || undefined);
}

function prefix(folder: string, contents: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(contents).map(([path, text]) => [`${folder}/${path}`, text]));
}
