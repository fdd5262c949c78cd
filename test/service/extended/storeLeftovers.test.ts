import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { StoreRig } from '../../support/storeRig.ts';

describe('Unfinished objects in a store (D62)', () => {
  let rig: StoreRig;

  beforeEach(async () => {
    const remotes = '[web]\ntype = http\nurl = http://127.0.0.1:1/\n';
    rig = await StoreRig.start(['openssh', 'sftp'], {}, { remotes });
    for (const name of ['a', 'b', 'c']) await fs.writeFile(nodePath.join(rig.folder, name), name.repeat(100_000));
    await eventually(async () => ((await rig.findPaths('folder')).length === 3 ? true : undefined));
    await rig.stopService();
  });
  afterEach(async () => await rig.stop());

  it('are removed at the next start if the store refused to delete them, which the transfer reports', async () => {
    await rig.startService({ throttleBytesPerSecond: 60_000 });
    const id = await rig.submit('folder', 'openssh', ['a', 'b', 'c']);
    const stored = rig.servers.folder('openssh');
    const unfinished = nodePath.join(stored, `dts-${id}.part-${id}`);
    await eventually(async () => ((await fs.readdir(stored)).includes(`dts-${id}`) ? true : undefined));
    const unmount = await mountReadOnly(nodePath.join(unfinished, 'late'));
    try {
      const { message } = await rig.waitForStatus(id, 'succeeded', 'failed');
      const text = 'completed successfully, verified by md5; unfinished objects will be removed later';
      assert.equal(message, `Transfer ${id}: ${text}`);
      const logged = 'its destination may have unfinished files, to be removed later';
      await eventually(async () => await Promise.resolve(rig.log.includes(logged) || undefined));
      await rig.stopService();
    } finally {
      unmount();
    }
    await rig.startService();
    await eventually(async () => ((await fs.stat(unfinished).catch(() => undefined)) === undefined ? true : undefined));
    const names = await fs.readdir(nodePath.join(stored, `dts-${id}`));
    assert.deepEqual(names.sort(), ['a', 'b', 'c', 'manifest.json']);
  });

  it('are removed once the store is reachable if it was not when the transfer was canceled', async () => {
    await rig.startService({ throttleBytesPerSecond: 30_000 });
    const id = await rig.submit('folder', 'sftp', ['a', 'b', 'c']);
    const stored = nodePath.join(rig.servers.folder('sftp'), `dts-${id}`);
    const listParts = async (): Promise<string[]> => {
      return (await fs.readdir(stored).catch(() => [])).filter((name) => name.includes('.part-'));
    };
    await eventually(async () => ((await listParts()).length > 0 ? true : undefined));
    await rig.servers.kill('sftp');
    assert.equal((await rig.cancel(id)).status, 202);
    await rig.waitForStatus(id, 'failed');
    assert.notDeepEqual(await listParts(), []);
    await rig.stopService();
    await rig.servers.startServer('sftp');
    await rig.startService();
    await eventually(async () => ((await listParts()).length === 0 ? true : undefined));
  });

  it('never get a final name in a store that can neither rename nor copy them', async () => {
    await rig.startService({ remotes: [{ name: 'web', remote: 'web:' }] });
    const { status, message } = await rig.transfer('folder', 'web', ['a', 'b', 'c']);
    assert.equal(status, 'failed');
    assert.match(message, /failed \(the destination can neither rename nor copy objects: unfinished files would be/);
  });
});

/** Mounts a read-only file system with one file. Returns a function that unmounts the file system. */
async function mountReadOnly(folder: string): Promise<() => void> {
  await fs.mkdir(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  await fs.writeFile(nodePath.join(folder, 'late.bin'), 'late');
  execFileSync('mount', ['-o', 'remount,ro', folder]);
  return () => execFileSync('umount', [folder]);
}
