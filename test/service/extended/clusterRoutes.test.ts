import { join } from 'node:path';
import { Cluster } from '../../../src/service/cluster/cluster.ts';
import { eagerClock } from '../../support/eagerClock.ts';
import { describePromises, itKeepsTimes } from '../../support/routePromises.ts';
import { RouteRig } from '../../support/routeRig.ts';
import { canRunSlurm, SlurmServers } from '../../support/slurmServers.ts';

if (canRunSlurm)
  describe('The route between folders on a cluster', () => {
    let servers: SlurmServers;
    let rig: RouteRig;
    before(async () => {
      servers = await SlurmServers.start();
      const slurm = { folder: join(servers.root, 'tasks'), partition: 'xfer', tasks: 2 };
      rig = await RouteRig.start(['folder'], new Cluster({ slurm }, eagerClock));
    });
    after(async () => {
      await rig.stop();
      await servers.stop();
    });

    describePromises(() => rig, 'folder', 'folder');
    itKeepsTimes(() => rig, ['folder', 'folder', 1, true]);
  });
