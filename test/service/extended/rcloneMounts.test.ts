import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { mountByRclone, type RcloneMount } from '../../support/rcloneMount.ts';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { RouteRig, type Contents, type RoutedTransfer } from '../../support/routeRig.ts';

const contents: Contents = {
  'empty.txt': '',
  'small.txt': 'content',
  'deep/er/page and a half.txt': 'x'.repeat(6_000),
  'deep/large enough to clone.txt': 'y'.repeat(300_001),
  'read back while copied.txt': 'z'.repeat(70_000_001),
};

/** Mounts of FUSE need Linux here. */
const sources = process.platform === 'linux' ? (['folder', 'dav'] as const) : [];

describeWithEachRclone('A folder that a plain "rclone mount" provides', () => {
  let rig: RouteRig;
  let mount: RcloneMount | undefined;

  before(async () => {
    rig = await RouteRig.start(['folder', 'dav']);
  });
  afterEach(async () => {
    await mount?.close();
    mount = undefined;
  });
  after(async () => await rig.stop());

  /** Mounts a new folder at the destination, without a cache, which is the default. */
  async function mountDestination({ destination }: RoutedTransfer, ...options: readonly string[]): Promise<void> {
    const folder = destination.getFile('.');
    const behind = `${nodePath.resolve(folder)}-behind`;
    await fs.mkdir(behind);
    mount = await mountByRclone(behind, folder, options);
  }

  for (const source of sources)
    it(`is a destination for files from a ${source}`, async () => {
      const transfer = await rig.createTransfer(source, 'folder');
      const files = await transfer.stage(contents);
      await mountDestination(transfer);
      const { failure, done } = await transfer.move(files);
      assert.deepEqual([failure, done.length], [undefined, files.length]);
      assert.deepEqual(await transfer.readMoved(), contents);
      assert.equal(await transfer.finish(files), true);
      assert.ok(await transfer.readManifest());
    });

  for (const source of sources.slice(0, 1))
    it('keeps the first of two files whose names differ in case, if it ignores case, and fails for the other', async () => {
      const transfer = await rig.createTransfer(source, 'folder');
      const files = await transfer.stage({ A: 'upper', a: 'lower', 'B/one': '1', 'b/two': '2' });
      await mountDestination(transfer, '--vfs-case-insensitive');
      const { failure, done } = await transfer.move(files.filter(({ path }) => path.toLowerCase() !== 'a'));
      assert.deepEqual([failure, done.length], [undefined, 2]);
      const { failure: refused } = await transfer.move(files);
      assert.equal(refused?.text, 'a different file already exists');
      assert.deepEqual(await transfer.readMoved(), { A: 'upper', 'B/one': '1', 'B/two': '2' });
    });
});
