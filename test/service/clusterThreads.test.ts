import assert from 'node:assert/strict';
import * as nodePath from 'node:path';
import { FakeSlurm } from '../support/fakeSlurm.ts';
import { ServiceRig } from '../support/serviceRig.ts';

if (process.platform !== 'win32')
  describe('The threads of a service that uses a cluster', () => {
    let slurm: FakeSlurm;
    let rig: ServiceRig;
    let startCount = 0;
    const countStart = (): void => {
      startCount++;
    };

    beforeEach(async () => {
      slurm = await FakeSlurm.start();
      const cluster = { slurm: { folder: nodePath.join(slurm.folder, 'tasks'), minFiles: 2 } };
      rig = await ServiceRig.start({ 'a.txt': 'a', 'b.txt': 'b' }, { cluster });
      startCount = 0;
      process.on('worker', countStart);
    });
    afterEach(async () => {
      process.off('worker', countStart);
      await rig.stop();
      await slurm.stop();
    });

    it('are one, and not two, for a transfer that runs on the cluster', async () => {
      const id = await rig.mustSubmit(['a.txt', 'b.txt']);
      await slurm.waitForCancel();
      assert.equal(startCount, 1);
      await slurm.endCancel();
      await rig.waitForStatus(id, 'failed');
    });
  });
