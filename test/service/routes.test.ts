import assert from 'node:assert/strict';
import { createJobSignal, getByteCounts, getDoneCount, requestStop } from '../../src/service/transfers/fileJobs.ts';
import { TransferFailure } from '../../src/service/transfers/transferErrors.ts';
import { RouteRig, sha256, type PlaceKind, type RoutedTransfer } from '../support/routeRig.ts';

/** More than a route moves together with other small files. */
const large = 'x'.repeat(1024 * 1024 + 1);
const contents = { 'a.txt': 'alpha', 'sub/b.txt': 'beta', 'sub/deep/ç d.txt': 'gamma', empty: '', 'large.bin': large };

/** The promises of every route, whatever it connects and however it moves the files (`TransferRoute`). */
const promises: readonly [promise: string, check: (create: () => Promise<RoutedTransfer>) => Promise<void>][] = [
  [
    'moves every file with its content, and writes a manifest with their hashes',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage(contents);
      const { done, failure } = await transfer.move(files);
      assert.deepEqual([failure, done.map(({ position }) => position).toSorted()], [undefined, [0, 1, 2, 3, 4]]);
      for (const { position, sha256: hash } of done)
        assert.equal(hash, sha256(Object.values(contents)[position] ?? ''));
      const hashed = files.map((file) => ({ ...file, sha256: sha256(contents[file.path as keyof typeof contents]) }));
      assert.equal(await transfer.finish(hashed), true);
      assert.deepEqual(await transfer.readMoved(), contents);
      const { resources } = JSON.parse((await transfer.readManifest()) ?? '') as { resources: { hash: string }[] };
      assert.deepEqual(
        resources.map(({ hash }) => hash),
        hashed.map((file) => `sha256:${file.sha256}`),
      );
    },
  ],
  [
    'counts each file once, and all of its bytes if it can count them',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage(contents);
      const signal = createJobSignal();
      await transfer.move(files, signal);
      assert.equal(getDoneCount(signal), files.length);
      const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
      if (transfer.route.capabilities.canCountBytes)
        assert.deepEqual(getByteCounts(signal), { copied: total, read: total });
    },
  ],
  [
    'moves files again that it has moved before, with the same result',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage(contents);
      await transfer.move(files);
      const { done, failure } = await transfer.move(files);
      assert.deepEqual([failure, done.length], [undefined, files.length]);
      assert.deepEqual(await transfer.readMoved(), contents);
    },
  ],
  [
    'moves nothing if it is stopped before it starts',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage(contents);
      const signal = createJobSignal();
      requestStop(signal);
      assert.deepEqual(await transfer.move(files, signal), { done: [], isStopped: true });
      assert.deepEqual(await transfer.readMoved(), {});
    },
  ],
  [
    'reports the first file that it could not read, and what was moved before it stays',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha', 'b.txt': 'beta' });
      await transfer.move(files.slice(0, 1));
      await transfer.source.remove('b.txt');
      const { done, failure } = await transfer.move(files.slice(1));
      assert.deepEqual([done, failure?.position, failure?.operation], [[], 1, 'read']);
      assert.ok(failure && files[1]);
      const error = await transfer.route.toTransferError(failure, files[1]);
      assert.ok(error instanceof TransferFailure, String(error));
      assert.equal(error.message, 'could not read b.txt: it no longer exists');
      assert.deepEqual(await transfer.readMoved(), { 'a.txt': 'alpha' });
    },
  ],
  [
    'gives no file its final name that changed after it was found',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha' });
      await transfer.source.write({ 'a.txt': 'alpha and more' });
      const { done, failure } = await transfer.move(files);
      assert.deepEqual([done, failure?.position], [[], 0]);
      assert.match(failure?.text ?? '', /^it changed /);
      await transfer.route.discard('manifest.json');
      assert.deepEqual(await transfer.readMoved(), {});
    },
  ],
  [
    'finds moved files that are missing, or have another size',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha', 'b.txt': 'beta', 'c.txt': 'gamma' });
      await transfer.move(files);
      await transfer.destination.remove(`${transfer.folderName}/a.txt`);
      await transfer.destination.write({ [`${transfer.folderName}/b.txt`]: 'longer than before' });
      await transfer.route.prepare();
      assert.deepEqual(await transfer.findLost(files), [0, 1]);
    },
  ],
  [
    'writes no manifest while a file is missing',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha', 'b.txt': 'beta' });
      await transfer.move(files);
      await transfer.destination.remove(`${transfer.folderName}/a.txt`);
      await transfer.route.prepare();
      await assert.rejects(transfer.finish(files));
      assert.equal(await transfer.readManifest(), undefined);
    },
  ],
  [
    'finishes a second time after it was interrupted',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha' });
      await transfer.move(files);
      await transfer.finish(files);
      assert.equal(await transfer.finish(files), true);
      assert.match((await transfer.readManifest()) ?? '', new RegExp(`"id": "${transfer.id}"`));
      assert.deepEqual(await transfer.readMoved(), { 'a.txt': 'alpha' });
    },
  ],
  [
    'removes what a killed run left unfinished before it finishes',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha' });
      await transfer.move(files);
      await transfer.destination.write({ [`${transfer.folderName}/b.txt.0123abcd.part-${transfer.id}`]: 'half' });
      await transfer.route.prepare();
      assert.equal(await transfer.finish(files), true);
      assert.deepEqual(await transfer.readMoved(), { 'a.txt': 'alpha' });
    },
  ],
  [
    'discards what is unfinished and the manifest, keeps what is complete, and can do so again',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha' });
      await transfer.move(files);
      await transfer.finish(files);
      await transfer.destination.write({ [`${transfer.folderName}/b.txt.0123abcd.part-${transfer.id}`]: 'half' });
      await transfer.route.discard('manifest.json');
      assert.deepEqual([await transfer.readMoved(), await transfer.readManifest()], [{ 'a.txt': 'alpha' }, undefined]);
      await transfer.route.discard('manifest.json');
      assert.deepEqual(await transfer.readMoved(), { 'a.txt': 'alpha' });
    },
  ],
  [
    'discards nothing, without an error, if it never ran',
    async (create) => {
      const transfer = await create();
      assert.equal(typeof (await transfer.route.discard('manifest.json')), 'boolean');
      assert.deepEqual(await transfer.readMoved(), {});
    },
  ],
];

const routes: readonly (readonly [from: PlaceKind, to: PlaceKind])[] = [
  ['folder', 'folder'],
  ['folder', 's3'],
  ['dav', 'folder'],
  ['dav', 's3'],
];

describe('Every route between databases (D24, D62)', () => {
  let rig: RouteRig;
  before(async () => {
    rig = await RouteRig.start();
  });
  after(async () => await rig.stop());

  for (const [from, to] of routes)
    describe(`from ${from} to ${to}`, () => {
      for (const [promise, check] of promises)
        it(promise, async () => {
          await check(async () => await rig.createTransfer(from, to));
        });
    });
});
