import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { debianServerKinds } from '../../support/debianServers.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { StoreRig } from '../../support/storeRig.ts';

/** Short enough for a folder, and too long for a name that `crypt` encrypts. */
const longName = 'n'.repeat(182);

describeWithEachRclone('A transfer to a remote that is set over others (D62)', () => {
  let rig: StoreRig;

  before(async () => {
    const kinds = debianServerKinds.filter((one) => one === 'openssh');
    rig = await StoreRig.start(kinds);
    await rig.stopService();
    const local = nodePath.join(rig.servers.root, 'local');
    await fs.mkdir(local);
    const password = `password = ${rig.servers.run(['obscure', 'planted']).toString()}`;
    const sections = [
      `[combined]\ntype = combine\nupstreams = one=${local}`,
      `[crypt-local]\ntype = crypt\nremote = ${local}\n${password}`,
      ...kinds.map((kind) => `[crypt-${kind}]\ntype = crypt\nremote = ${rig.servers.remote(kind)}\n${password}`),
    ];
    await fs.appendFile(rig.servers.configFile, sections.join('\n'));
    for (const name of [longName, 'a.txt']) await fs.writeFile(nodePath.join(rig.folder, name), 'content');
    const names = ['combined', 'crypt-local', ...kinds.map((kind) => `crypt-${kind}`)];
    await rig.startService({ gone: false, remotes: names.map((name) => ({ name, remote: `${name}:` })) });
    await eventually(async () => ((await rig.findPaths('folder')).length === 2 ? true : undefined));
  });
  after(async () => await rig.stop());

  async function assertFails(destination: string, path: string, reason: string): Promise<void> {
    const id = await rig.submit('folder', destination, [path]);
    const { message } = await rig.waitForStatus(id, 'failed', 'inactive', 'succeeded');
    assert.equal(message, `Transfer ${id}: failed (could not write ${path}: ${reason})`);
  }

  it('fails with advice if the root of a combination can have no other folders', async () => {
    const reason = "its folder can't be created there; serve one of the folders in the destination instead";
    await assertFails('combined', 'a.txt', reason);
  });

  for (const name of ['local', ...debianServerKinds.filter((one) => one === 'openssh')])
    it(`fails at once if the encrypted name is too long: ${name}`, async () => {
      await assertFails(`crypt-${name}`, longName, 'its name is too long for the store, or not allowed there');
    });
});
