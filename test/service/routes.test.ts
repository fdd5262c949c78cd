import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { describePromises, itKeepsTimes, itSatisfiesPrograms, large } from '../support/routePromises.ts';
import { RouteRig } from '../support/routeRig.ts';

const umask = Number.parseInt(String(execFileSync('sh', ['-c', 'umask'])), 8);

describe('The route between folders (D24)', () => {
  let rig: RouteRig;
  before(async () => {
    rig = await RouteRig.start(['folder']);
  });
  after(async () => await rig.stop());

  describePromises(() => rig, 'folder', 'folder');
  itKeepsTimes(() => rig, ['folder', 'folder', 1, true]);
  itSatisfiesPrograms(() => rig, 'folder');

  it('keeps execute bits between folders as the umask allows, never special ones, and gives others no more permissions', async () => {
    const transfer = await rig.createTransfer('folder', 'folder');
    const modes = { plain: 0o644, all: 0o755, own: 0o700, read: 0o555, setuid: 0o4755, setgid: 0o2711, sticky: 0o1600 };
    const files = await transfer.stage(Object.fromEntries(Object.keys(modes).map((path) => [path, large])));
    for (const [path, mode] of Object.entries(modes)) await chmod(transfer.source.getFile(path), mode);
    assert.equal((await transfer.move(files)).failure, undefined);
    for (const [path, mode] of Object.entries(modes)) {
      const copy = await stat(transfer.destination.getFile(`${transfer.folderName}/${path}`));
      const expected = (0o666 | (mode & 0o111)) & (0o700 | mode) & ~umask;
      assert.equal((copy.mode & 0o7777).toString(8), expected.toString(8), path);
    }
  });

  it('lets no more people read the manifest than list its folder', async () => {
    const transfer = await rig.createTransfer('folder', 'folder');
    const files = await transfer.stage({ 'one.txt': 'one' });
    assert.equal((await transfer.move(files)).failure, undefined);
    const folder = transfer.destination.getFile(transfer.folderName);
    for (const mode of [0o755, 0o750, 0o700]) {
      await chmod(folder, mode);
      assert.ok(await transfer.finish(files));
      const manifest = await stat(`${folder}/manifest.json`);
      assert.equal((manifest.mode & 0o7777).toString(8), (0o666 & mode & ~umask).toString(8));
    }
  });
});
