import assert from 'node:assert/strict';
import { eventually } from '../../support/eventually.ts';
import { listRclones } from '../../support/processTree.ts';
import { StoreRig } from '../../support/storeRig.ts';

describe('The bandwidth of stores (D62)', () => {
  let rig: StoreRig;

  before(async () => {
    rig = await StoreRig.start(['sftp'], { sftp: { 'large.bin': Buffer.alloc(3_000_000, 'x') } });
    await rig.waitForListing('sftp');
  });
  after(async () => await rig.stop());

  async function startTransfer(): Promise<{ readonly id: string; readonly command: string }> {
    const id = await rig.submit('sftp', 'folder', ['large.bin']);
    const command = await eventually(async () => {
      const commands = listRclones(rig.service.pid).map((one) => one.command);
      return await Promise.resolve(commands.find((one) => one.includes(' rcd ')));
    });
    return { id, command };
  }

  it('is limited as configured, and transfers still succeed', async () => {
    await rig.stopService();
    await rig.startService({ storeBytesPerSecond: 1_000_000.5 });
    const { id, command } = await startTransfer();
    assert.match(command, / --bwlimit=1000001B/);
    assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
  });

  it('is unlimited by default', async () => {
    await rig.stopService();
    await rig.startService();
    const { id, command } = await startTransfer();
    assert.ok(!command.includes('bwlimit'), command);
    assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
  });
});
