import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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

      it('are complete while subfolders come and go', async () => {
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
        const all = ['listed', { hidden: 1 }, ['a.txt', 'private/b.txt', 'z.zarr/.zarray']];
        assert.deepEqual(found, [all, all]);
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

describeWithEachRclone('Scans of a server that cuts off responses (D62)', () => {
  let rig: StoreRig;
  let server: Server;
  /** The folders whose next responses are cut off. */
  let cutOff: string[] = [];

  async function startDavServer(): Promise<Server> {
    const describe = (href: string, props: string): string =>
      `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${props}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
    const folder = (href: string): string => describe(href, '<d:resourcetype><d:collection/></d:resourcetype>');
    const file = (href: string): string =>
      describe(href, '<d:resourcetype/><d:getcontentlength>1</d:getcontentlength>');
    const listings = new Map([
      ['/', folder('/') + file('/a.txt') + folder('/runs/')],
      ['/runs/', folder('/runs/') + file('/runs/b.txt') + folder('/runs/tmp/')],
      ['/runs/tmp/', folder('/runs/tmp/') + file('/runs/tmp/c.txt')],
    ]);
    const created = createServer(({ url = '' }, response) => {
      const items = listings.get(url);
      response.writeHead(items === undefined ? 404 : 207, { 'Content-Type': 'application/xml' });
      response.write(`<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${items ?? ''}`);
      if (!cutOff.includes(url)) response.end('</d:multistatus>');
      else setImmediate(() => response.destroy());
      cutOff = cutOff.filter((_, index) => index !== cutOff.indexOf(url));
    });
    await once(created.listen(0, '127.0.0.1'), 'listening');
    return created;
  }

  before(async () => {
    server = await startDavServer();
    const { port } = server.address() as AddressInfo;
    const remotes = `[cutting]\ntype = webdav\nurl = http://127.0.0.1:${port}\nvendor = other\n`;
    rig = await StoreRig.start([], {}, { remotes, isIdle: true });
    await rig.startService({ remotes: [{ name: 'cutting', remote: 'cutting:' }], gone: false });
    await rig.waitForListing('cutting');
  });

  after(async () => {
    await rig.stop();
    server.close();
  });

  for (const [title, folders, problem] of [
    ['are complete if a folder is cut off once', ['/runs/'], undefined],
    ['are complete if everything is cut off once', ['/', '/runs/', '/runs/tmp/'], undefined],
    ['fail if a folder is cut off again', ['/runs/', '/runs/'], 'the connection was lost'],
  ] as const)
    it(title, async () => {
      cutOff = [...folders];
      const { listing } = await rig.rescan('cutting');
      assert.deepEqual([listing?.problem, cutOff], [problem, []]);
      assert.deepEqual(await rig.findPaths('cutting'), ['a.txt', 'runs/b.txt', 'runs/tmp/c.txt']);
    });
});
