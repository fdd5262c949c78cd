import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import { eventually } from '../../support/eventually.ts';
import { listRclones } from '../../support/processTree.ts';
import { StoreRig } from '../../support/storeRig.ts';

const large = Buffer.alloc(4_000_000, 'x');

describe('A transfer whose rclone no longer responds (D62)', () => {
  let rig: StoreRig;

  beforeEach(async () => {
    rig = await StoreRig.start(['sftp'], { sftp: { 'large.bin': large } });
    await rig.waitForListing('sftp');
    await rig.stopService();
    await rig.startService({ throttleBytesPerSecond: 200_000 });
  });
  afterEach(async () => await rig.stop());

  function listDaemons(): number[] {
    return listRclones(rig.service.pid).flatMap(({ pid, command }) => (command.includes(' rcd ') ? pid : []));
  }

  async function stopDaemon(): Promise<void> {
    const [pid] = await eventually(
      async () => await Promise.resolve(listDaemons().length > 0 ? listDaemons() : undefined),
    );
    process.kill(pid ?? 0, 'SIGSTOP');
  }

  async function assertCanceledInTime(id: string): Promise<void> {
    const startedAt = performance.now();
    assert.equal((await rig.cancel(id)).status, 202);
    const { message } = await rig.waitForStatus(id, 'failed');
    assert.equal(message, `Transfer ${id}: canceled`);
    assert.ok(performance.now() - startedAt < 2_000, `${performance.now() - startedAt} ms`);
  }

  it('is canceled within 2 s while a file is read', async () => {
    const id = await rig.submit('sftp', 'folder', ['large.bin']);
    await eventually(async () => ((await hasPart(rig.folder, id)) ? true : undefined));
    await stopDaemon();
    await assertCanceledInTime(id);
  });

  it('is canceled within 2 s while it prepares', async () => {
    const first = await rig.submit('sftp', 'folder', ['large.bin']);
    await stopDaemon();
    const second = await rig.submit('sftp', 'folder', ['large.bin']);
    await rig.waitForStatus(second, 'active');
    await assertCanceledInTime(second);
    await assertCanceledInTime(first);
  });
});

async function hasPart(folder: string, id: string): Promise<boolean> {
  const names = await fs.readdir(`${folder}/dts-${id}`).catch(() => []);
  return names.some((name) => name.endsWith(`.part-${id}`));
}
