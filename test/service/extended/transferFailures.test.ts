import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { ServiceRig } from '../../support/serviceRig.ts';

const slow = { throttleBytesPerSecond: 100_000, retryDelayMs: 20 };
/** Content of a file that takes 3 s to transfer, so that a test can act in the meantime. */
const large = 'x'.repeat(3 * slow.throttleBytesPerSecond);

describe('A transfer with unavailable folders (D23)', () => {
  let rig: ServiceRig;

  beforeEach(async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a', 'b/c.txt': 'c' }, { retryDelayMs: 20 });
  });

  afterEach(async () => await rig.stop());

  it('is inactive while its destination is unavailable, does not create it, and resumes automatically', async () => {
    await fs.rmdir(rig.target);
    const id = await rig.mustSubmit(['a.txt', 'b/c.txt']);
    const status = await rig.waitForStatus(id, 'inactive');
    assert.equal(status.message, `Transfer ${id}: waiting: the destination folder is unavailable`);
    await assert.rejects(fs.stat(rig.target));
    await fs.mkdir(rig.target);
    await rig.waitForStatus(id, 'succeeded');
    assert.deepEqual(await rig.listReceivedFiles(), [
      `dts-${id}/a.txt`,
      `dts-${id}/b/c.txt`,
      `dts-${id}/manifest.json`,
    ]);
  });

  const losses: [what: string, lose: (id: string) => void][] = [
    [
      'the folder of the transfer is removed',
      (id) => rmSync(nodePath.join(rig.target, `dts-${id}`), { recursive: true }),
    ],
    [
      'an empty folder replaces the destination, as after an unmount',
      () => {
        renameSync(rig.target, `${rig.target}-disk`);
        mkdirSync(rig.target);
      },
    ],
  ];
  for (const [what, lose] of losses) {
    it(`never succeeds without its files if ${what} while it is finalizing (D24)`, async () => {
      rig.onLog = (message) => {
        const [, id] = /^Transfer (\S+): finalizing$/.exec(message) ?? [];
        if (id === undefined) return;
        rig.onLog = () => undefined;
        lose(id);
      };
      const id = await rig.mustSubmit(['a.txt', 'b/c.txt']);
      assert.equal(
        (await rig.waitForStatus(id, 'succeeded', 'failed')).message,
        `Transfer ${id}: completed successfully`,
      );
      assert.deepEqual(await rig.listReceivedFiles(), [
        `dts-${id}/a.txt`,
        `dts-${id}/b/c.txt`,
        `dts-${id}/manifest.json`,
      ]);
    });
  }

  describe('with a transferred file when a folder at its destination disappears', () => {
    let id: string;
    let transferred: string;

    beforeEach(async () => {
      await rig.write({ 'large.bin': large });
      await rig.restart(slow);
      id = await rig.mustSubmit(['b/c.txt', 'a.txt', 'large.bin']);
      transferred = nodePath.join(rig.target, `dts-${id}`, 'a.txt');
      await eventually(async () => await fs.stat(transferred).catch(() => undefined));
    });

    async function moveDestinationAway(): Promise<void> {
      await fs.rename(rig.target, `${rig.target}-away`);
      assert.equal((await rig.waitForStatus(id, 'inactive', 'failed')).num_files_transferred, 2);
    }

    it('copies it again when another folder is in that place (D25)', async () => {
      await moveDestinationAway();
      await fs.mkdir(rig.target);
      assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).num_files_transferred, 3);
      assert.equal(await fs.readFile(transferred, 'utf8'), 'a');
    });

    it('copies it again when the folder of the transfer was removed (D25)', async () => {
      await fs.rm(nodePath.dirname(transferred), { recursive: true });
      const { message } = await rig.waitForStatus(id, 'inactive', 'failed');
      const reason = 'could not write large.bin: part of its path was missing';
      assert.equal(message, `Transfer ${id}: waiting to try again: ${reason}`);
      const status = await rig.waitForStatus(id, 'succeeded', 'failed');
      assert.equal(status.message, `Transfer ${id}: completed successfully`);
      assert.equal(await fs.readFile(transferred, 'utf8'), 'a');
    });

    it('copies it again when it was removed before the end (D24)', async () => {
      await fs.rm(transferred);
      const { message } = await rig.waitForStatus(id, 'inactive', 'failed', 'succeeded');
      const reason = 'it is missing from the destination, or has a different size there';
      assert.equal(message, `Transfer ${id}: waiting to try again: could not write a.txt: ${reason}`);
      assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).num_files_transferred, 3);
      assert.equal(await fs.readFile(transferred, 'utf8'), 'a');
    });

    it('does not treat a truncated copy as complete when the destination is back', async () => {
      await moveDestinationAway();
      await fs.truncate(transferred.replace(rig.target, `${rig.target}-away`));
      await fs.rename(`${rig.target}-away`, rig.target);
      const status = await rig.waitForStatus(id, 'succeeded', 'failed');
      assert.match(status.message, /could not write a\.txt: a different file already exists\)$/);
    });
  });

  it('reads a file again after its copy had another hash, even if it looks unchanged (D22)', async () => {
    const file = nodePath.join(rig.source, 'a.txt');
    await fs.utimes(file, 1_000, 1_000);
    await rig.restart();
    await rig.waitForStatus(await rig.mustSubmit(['a.txt']), 'succeeded');
    await fs.writeFile(file, 'b');
    await fs.utimes(file, 1_000, 1_000);
    const { message } = await rig.waitForStatus(await rig.mustSubmit(['a.txt']), 'failed', 'succeeded');
    assert.match(message, /could not copy a\.txt: it changed after it was hashed, or its copy is damaged\)$/);
    const id = await rig.mustSubmit(['a.txt']);
    assert.equal(
      (await rig.waitForStatus(id, 'failed', 'succeeded')).message,
      `Transfer ${id}: completed successfully`,
    );
    assert.equal(await fs.readFile(nodePath.join(rig.target, `dts-${id}`, 'a.txt'), 'utf8'), 'b');
  });

  it('transfers the new content of a file that changed after an earlier transfer, while this one was queued (D22)', async () => {
    const others = [0, 1, 2].map((index) => `large-${index}.bin`);
    await rig.write(Object.fromEntries(others.map((path) => [path, large])));
    await rig.restart(slow);
    await rig.waitForStatus(await rig.mustSubmit(['a.txt']), 'succeeded');
    const running = await Promise.all(others.map(async (path) => await rig.mustSubmit([path])));
    const id = await rig.mustSubmit(['a.txt']);
    await rig.write({ 'a.txt': 'changed' });
    assert.match((await rig.status(id)).message, /waiting to stage 1 file/);
    for (const other of running) await rig.cancel(other);
    const { message } = await rig.waitForStatus(id, 'succeeded', 'failed');
    assert.equal(message, `Transfer ${id}: completed successfully`);
    assert.equal(await fs.readFile(nodePath.join(rig.target, `dts-${id}`, 'a.txt'), 'utf8'), 'changed');
  });

  it('is inactive while its source is unavailable, and resumes automatically', async () => {
    await rig.write({ 'large.bin': large });
    await rig.restart(slow);
    const id = await rig.mustSubmit(['large.bin', 'a.txt']);
    await rig.waitForStatus(id, 'active');
    await fs.rename(rig.source, `${rig.source}-away`);
    assert.match((await rig.waitForStatus(id, 'inactive')).message, /the source folder is unavailable$/);
    await fs.rename(`${rig.source}-away`, rig.source);
    assert.equal((await rig.waitForStatus(id, 'succeeded')).num_files_transferred, 2);
  });

  it('fails when a file is in the place of a folder, and leaves it unchanged', async () => {
    await rig.write({ 'folder/a.txt': 'a', 'large.bin': large });
    await rig.restart(slow);
    const id = await rig.mustSubmit(['large.bin', 'folder/a.txt']);
    await rig.waitForStatus(id, 'active');
    await fs.mkdir(nodePath.join(rig.target, `dts-${id}`), { recursive: true });
    await fs.writeFile(nodePath.join(rig.target, `dts-${id}`, 'folder'), 'in the way');
    const status = await rig.waitForStatus(id, 'failed');
    assert.match(status.message, /could not write folder\/a\.txt: part of its path is a file, not a folder\)$/);
    assert.deepEqual(await rig.listReceivedFiles(), [`dts-${id}/folder`, `dts-${id}/large.bin`]);
  });

  it('never writes through a link that leads out of the destination', async () => {
    await rig.write({ 'large.bin': large });
    await rig.restart(slow);
    const outside = nodePath.join(rig.root, 'outside');
    await fs.mkdir(outside);
    const id = await rig.mustSubmit(['large.bin', 'b/c.txt']);
    await rig.waitForStatus(id, 'active');
    await fs.mkdir(nodePath.join(rig.target, `dts-${id}`), { recursive: true });
    await fs.symlink(outside, nodePath.join(rig.target, `dts-${id}`, 'b'));
    assert.match(
      (await rig.waitForStatus(id, 'failed')).message,
      /its path in the destination leads to a different folder\)$/,
    );
    assert.deepEqual(await fs.readdir(outside), []);
  });

  it('fails when a link replaces its destination, also over a restart', async () => {
    await rig.write({ 'large.bin': large });
    await rig.restart(slow);
    const elsewhere = nodePath.join(rig.root, 'elsewhere');
    await fs.mkdir(elsewhere);
    const id = await rig.mustSubmit(['large.bin', 'a.txt']);
    await rig.waitForStatus(id, 'active');
    const putLink = (): void => {
      renameSync(rig.target, `${rig.target}-before`);
      symlinkSync(elsewhere, rig.target);
    };
    await rig.restart({ whileStopped: putLink });
    const { message } = await rig.waitForStatus(id, 'failed', 'succeeded');
    assert.match(message, /could not write large\.bin: its path in the destination leads to a different folder\)$/);
    assert.deepEqual(await fs.readdir(elsewhere), []);
  });

  it('writes to a destination that was a link at submission', async () => {
    await fs.rename(rig.target, `${rig.target}-real`);
    await fs.symlink(`${rig.target}-real`, rig.target);
    const id = await rig.mustSubmit(['a.txt']);
    assert.equal((await rig.waitForStatus(id, 'failed', 'succeeded')).status, 'succeeded');
    assert.deepEqual(await rig.listReceivedFiles(), [`dts-${id}/a.txt`, `dts-${id}/manifest.json`]);
  });

  const swaps: [files: readonly string[], stopped: string][] = [
    [['b/c.txt', 'large.bin', 'b/d.txt'], 'b/d.txt'],
    [['b/c.txt', 'large.bin', 'b/new/e.txt'], 'b/new/e.txt'],
    [['b/c.txt', 'b/large.bin'], 'b/large.bin'],
  ];
  for (const [files, stopped] of swaps) {
    it(`never writes ${stopped} through a link that replaces a folder it has created`, async () => {
      await rig.write({ 'large.bin': large, 'b/large.bin': large, 'b/d.txt': 'd', 'b/new/e.txt': 'e' });
      await rig.restart(slow);
      const outside = nodePath.join(rig.root, 'outside');
      await fs.mkdir(outside);
      const id = await rig.mustSubmit(files);
      const made = nodePath.join(rig.target, `dts-${id}`, 'b');
      await eventually(async () => await fs.stat(nodePath.join(made, 'c.txt')).catch(() => undefined));
      renameSync(made, `${made}-before`);
      symlinkSync(outside, made);
      const { message } = await rig.waitForStatus(id, 'failed', 'succeeded');
      assert.equal(
        message,
        `Transfer ${id}: failed (could not write ${stopped}: its path in the destination leads to a different folder)`,
      );
      assert.deepEqual(await fs.readdir(outside), []);
    });
  }
});
