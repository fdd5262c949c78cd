import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { StoreRig } from '../../support/storeRig.ts';
import { debianServerKinds } from '../../support/debianServers.ts';
import { eventually } from '../../support/eventually.ts';

/** A user who can't read folders of mode 0; root can read them. */
const user = process.getuid?.() === 0 ? 'nobody' : os.userInfo().username;

describeWithEachRclone('Scans of a server on which not everything can be listed (D62)', () => {
  let rig: StoreRig;

  before(async () => {
    rig = await StoreRig.start(debianServerKinds);
    const { servers } = rig;
    const server = nodePath.join(servers.root, 'openssh-server');
    const section = ['type = sftp', 'host = 127.0.0.1', `port = ${servers.getPort('openssh')}`, `user = ${user}`];
    const keys = [`key_file = ${server}/user`, `known_hosts_file = ${server}/known`];
    await fs.appendFile(servers.configFile, ['[user]', ...section, ...keys, ''].join('\n'));
    await rig.stopService();
    const remotes = [{ name: 'ssh', remote: `user:${servers.folder('openssh')}` }];
    await rig.startService({ remotes, gone: false });
  });

  after(async () => await rig.stop());

  for (const [kind, database, missing] of [
    ['openssh', 'ssh', "its folder or bucket doesn't exist"],
    // Apache answers 405.
    ['apache', 'apache', 'rclone failed; "rclone lsd apache:" in a terminal, with the path after the colon, shows why'],
  ] as const) {
    const place = (...path: readonly string[]): string => nodePath.join(rig.servers.folder(kind), ...path);
    const scan = async (): Promise<readonly unknown[]> => {
      const { listing } = await rig.rescan(database);
      return [listing?.problem ?? listing?.state, listing?.leftOut, await rig.findPaths(database)];
    };

    describe(`, of ${kind}`, () => {
      beforeEach(async () => {
        for (const name of await fs.readdir(place())) await fs.rm(place(name), { recursive: true });
        await rig.servers.write(kind, { 'a.txt': 'a', 'private/b.txt': 'b', '.cache/c': 'c', 'z.zarr/.zarray': '{}' });
        assert.deepEqual(await scan(), ['listed', { hidden: 1 }, ['a.txt', 'private/b.txt', 'z.zarr/.zarray']]);
      });

      it('are complete while subfolders come and go, or keep the files', async () => {
        let isScanning = true;
        const churn = (async () => {
          for (let count = 0; isScanning; count += 1) {
            await fs.mkdir(place('runs', `tmp.${count}`), { recursive: true });
            await fs.rm(place('runs', `tmp.${count - 40}`), { recursive: true, force: true });
          }
        })();
        const found = [await scan(), await scan()];
        isScanning = false;
        await churn;
        const kept = [{ hidden: 1 }, ['a.txt', 'private/b.txt', 'z.zarr/.zarray']];
        // Apache may cut off its response each time a subfolder vanishes meanwhile. rclone requests it ten times.
        const states = kind === 'apache' ? ['listed', 'the connection was lost'] : ['listed'];
        for (const [state, ...rest] of found) {
          assert.ok(states.includes(String(state)), String(state));
          assert.deepEqual(rest, kept);
        }
      });

      it('count and name folders that cannot be read, and not what is in hidden ones', async () => {
        for (const name of ['private', '.cache']) await fs.chmod(place(name), 0);
        const found = ['listed', { hidden: 1, unreadable: 1 }, ['a.txt', 'z.zarr/.zarray']];
        assert.deepEqual(await scan(), found);
        assert.match(rig.log, new RegExp(`${database}: unreadable folders \\(1\\): private\n`));
        await fs.chmod(place('private'), 0o755);
      });

      it('fail if the root cannot be read or is missing, and keep the files', async () => {
        const kept = [{ hidden: 1 }, ['a.txt', 'private/b.txt', 'z.zarr/.zarray']];
        await fs.chmod(place(), 0);
        assert.deepEqual(await scan(), ['its server denies access', ...kept]);
        await fs.chmod(place(), 0o777);
        await fs.rename(place(), place('../away'));
        assert.deepEqual(await scan(), [missing, ...kept]);
        await fs.rename(place('../away'), place());
      });

      it('fail if the server ends meanwhile, and keep the files', async () => {
        for (let count = 0; count < 1_500; count += 1)
          await fs.mkdir(place(`${count % 3}`, `${count}`), { recursive: true });
        const ended = scan();
        await eventually(async () => (await rig.describe(database)).listing?.state === 'scanning' || undefined);
        await rig.servers.kill(kind);
        const [problem, ...kept] = (await ended) as [string];
        assert.match(problem, /^(?:the connection was lost|its server refuses connections)$/);
        assert.deepEqual(kept, [{ hidden: 1 }, ['a.txt', 'private/b.txt', 'z.zarr/.zarray']]);
        await rig.servers.startServer(kind);
      });
    });
  }
});
