import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { debianServerKinds } from '../../support/debianServers.ts';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { StoreRig } from '../../support/storeRig.ts';

describeWithEachRclone('Links on an SFTP server (D62)', () => {
  for (const kind of debianServerKinds.filter((one) => one === 'openssh'))
    it('are transferred as the files that they lead to, and named if there is none', async () => {
      const rig = await StoreRig.start([kind], { [kind]: { 'runs/real.txt': 'content' } });
      const name = 'dang[l]ing {x}.txt';
      try {
        const folder = nodePath.join(rig.servers.folder(kind), 'runs');
        await fs.symlink('real.txt', nodePath.join(folder, 'good.txt'));
        await fs.symlink('nowhere', nodePath.join(folder, name));
        await rig.waitForListing(kind);
        await rig.rescan(kind);
        const found = new Map((await rig.find(kind)).map(({ path, id }) => [path, id]));
        const transfer = async (file: string) => await rig.transfer(kind, 'folder', [found.get(`runs/${file}`) ?? '']);
        const { id, status, message } = await transfer('good.txt');
        assert.equal(status, 'succeeded', message);
        assert.equal(await fs.readFile(nodePath.join(rig.folder, `dts-${id}`, 'runs/good.txt'), 'utf8'), 'content');
        const end = await transfer(name);
        assert.match(
          end.message,
          /could not read runs\/dang\[l\]ing \{x\}\.txt: it is a link to a file that no longer exists\)$/,
        );
      } finally {
        await rig.stop();
      }
    });
});
