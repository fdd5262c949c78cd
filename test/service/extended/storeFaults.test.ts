import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import * as net from 'node:net';
import * as nodePath from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { isRunning, listDescendants, listRclones } from '../../support/processTree.ts';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { mountSmallDisk } from '../../support/smallDisk.ts';
import { StoreRig } from '../../support/storeRig.ts';
import { plantedSecrets } from '../../support/storeServers.ts';

const large = randomBytes(4_000_000);

describe('The rclone processes of a service (D62)', () => {
  let rig: StoreRig;

  beforeEach(async () => {
    rig = await StoreRig.start(['sftp'], { sftp: { 'large.bin': large, 'a.txt': 'a' } });
    await rig.find('sftp');
  });
  afterEach(async () => await rig.stop());

  async function startSlowTransfer(): Promise<string> {
    await rig.stopService();
    await rig.startService({ throttleBytesPerSecond: 200_000 });
    const id = await rig.submit('sftp', 'folder', ['large.bin']);
    await rig.waitForStatus(id, 'active');
    await eventually(
      async () =>
        await Promise.resolve(
          listRclones(rig.service.pid).some(({ command }) => command.includes(' rcd ')) || undefined,
        ),
    );
    return id;
  }

  /** Ends the service with `end` and waits until all processes that it started have ended. */
  async function assertEndsAll(end: () => void): Promise<void> {
    const pids = listDescendants(rig.service.pid).map(({ pid }) => pid);
    assert.ok(pids.length >= 2);
    end();
    await rig.waitForEnd();
    await eventually(async () => await Promise.resolve(pids.some(isRunning) ? undefined : true));
  }

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL', 'SIGSEGV'] as const) {
    it(`end with the service after ${signal}`, async () => {
      await startSlowTransfer();
      await assertEndsAll(() => process.kill(rig.service.pid, signal));
    });
  }

  it('end with the service when its standard input is closed', async () => {
    await startSlowTransfer();
    await assertEndsAll(() => rig.service.closeInput());
  });

  /** Starts a store server that never responds, and passes the data that it receives to `receive`. */
  async function serveSilentStore(receive: (text: string) => void = () => undefined): Promise<net.Server> {
    const silent = net.createServer((socket) => {
      socket.on('error', () => undefined).on('data', (piece) => receive(piece.toString()));
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as net.AddressInfo;
    await fs.appendFile(rig.servers.configFile, `[silent]\ntype = webdav\nurl = http://127.0.0.1:${port}\n`);
    await rig.stopService();
    await rig.startService({ remotes: [{ name: 'silent', remote: 'silent:' }] });
    return silent;
  }

  it('end without delay when the service stops while a store does not respond to a transfer', async () => {
    let request = (): void => undefined;
    const requested = new Promise<void>((resolve) => (request = resolve));
    await fs.writeFile(nodePath.join(rig.folder, 'b.txt'), 'b');
    const silent = await serveSilentStore((text) => (text.includes('/dts-') ? request() : undefined));
    await eventually(async () => ((await rig.findPaths('folder')).length > 0 ? true : undefined));
    await rig.submit('folder', 'silent', ['b.txt']);
    await requested;
    assert.equal(await rig.service.stop(), 0);
    assert.doesNotMatch(rig.log, /not responding/);
    silent.close();
  });

  it('end with the service that is killed while it scans a store that does not respond', async () => {
    const silent = await serveSilentStore();
    const isScanning = (): boolean => listRclones(rig.service.pid).some(({ command }) => command.includes('silent:'));
    await eventually(async () => await Promise.resolve(isScanning() || undefined));
    await assertEndsAll(() => process.kill(rig.service.pid, 'SIGKILL'));
    silent.close();
  });

  it('have no secret on their command lines, and the daemon listens on loopback', async () => {
    await startSlowTransfer();
    const commands = listDescendants(rig.service.pid).map(({ command }) => command);
    assert.ok(commands.some((command) => command.includes('--rc-addr=127.0.0.1:0')));
    for (const secret of plantedSecrets) assert.ok(!commands.join('\n').includes(secret));
    assert.ok(!commands.join('\n').includes('pass'));
  });

  it('stop within 2 s of a cancel, and leave no partial file', async () => {
    const id = await startSlowTransfer();
    const startedAt = performance.now();
    assert.equal((await rig.cancel(id)).status, 202);
    const { message } = await rig.waitForStatus(id, 'failed');
    assert.equal(message, `Transfer ${id}: canceled`);
    assert.ok(performance.now() - startedAt < 2_000);
    await eventually(async () => ((await fs.readdir(rig.folder)).length === 0 ? true : undefined));
  });

  it('leave no partial file of an interrupted upload, not even one that appears late', async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `out-${index}.bin`);
    for (const path of paths) await fs.writeFile(nodePath.join(rig.folder, path), large.subarray(0, 100_000));
    await rig.stopService();
    await rig.startService({ throttleBytesPerSecond: 200_000 });
    await eventually(async () => ((await rig.findPaths('folder', 'out')).length === 20 ? true : undefined));
    const id = await rig.submit('folder', 'sftp', paths);
    const sent = nodePath.join(rig.servers.folder('sftp'), `dts-${id}`);
    await eventually(async () => ((await fs.readdir(sent).catch(() => [])).length > 0 ? true : undefined));
    rig.servers.run(['rcat', `sftp:dts-${id}/1-late.part-${id}`], 'late');
    await rig.waitForStatus(id, 'succeeded');
    assert.deepEqual((await fs.readdir(sent)).sort(), ['manifest.json', ...paths.sort()]);
  });

  it('transfer a file again if the destination lost it before the transfer succeeded', async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `out-${index}.bin`);
    for (const path of paths) await fs.writeFile(nodePath.join(rig.folder, path), large.subarray(0, 100_000));
    await rig.stopService();
    await rig.startService({ throttleBytesPerSecond: 200_000 });
    await eventually(async () => ((await rig.findPaths('folder', 'out')).length === 20 ? true : undefined));
    const id = await rig.submit('folder', 'sftp', paths);
    const lost = await eventually(async () => {
      const names = await Promise.resolve(rig.servers.list('sftp:'));
      return names.find((name) => name.startsWith(`dts-${id}/out-`) && name.endsWith('.bin'));
    });
    rig.servers.run(['deletefile', `sftp:${lost}`]);
    await rig.waitForStatus(id, 'succeeded');
    assert.deepEqual(rig.servers.list(`sftp:dts-${id}`), ['manifest.json', ...paths].sort());
    assert.deepEqual(rig.servers.read(`sftp:${lost}`), large.subarray(0, 100_000));
  });
});

describe('A store that fails (D62)', () => {
  let rig: StoreRig;
  let webdav: Server;
  let isTruncating = true;

  /**
   * Starts a WebDAV server that lists 20,000 empty files in the folder `many` and one file of 10 bytes. Sends only 5
   * bytes when that file is read.
   */
  function startWebdavServer(): Server {
    const describe = (href: string, props: string): string =>
      `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${props}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
    const folder = (href: string): string => describe(href, '<d:resourcetype><d:collection/></d:resourcetype>');
    const file = (href: string, size: number): string =>
      describe(href, `<d:resourcetype/><d:getcontentlength>${size}</d:getcontentlength>`);
    const lie = file('/lie.bin', 10);
    const many = Array.from({ length: 20_000 }, (_, index) => file(`/many/${index}.txt`, 0)).join('');
    const listings = new Map([
      ['/', folder('/') + folder('/many/') + lie],
      ['/many/', folder('/many/') + many],
      ['/lie.bin', lie],
    ]);
    return createServer((request, response) => {
      if (request.method === 'PROPFIND') {
        const items = listings.get(request.url ?? '');
        response.writeHead(items === undefined ? 404 : 207, { 'Content-Type': 'application/xml' });
        response.end(`<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${items ?? ''}</d:multistatus>`);
      } else if (isTruncating) {
        response.writeHead(200, { 'Content-Length': '10' });
        response.write('12345');
        setImmediate(() => response.destroy());
      } else {
        response.end('12345');
      }
    }).listen(0, '127.0.0.1');
  }

  before(async () => {
    webdav = startWebdavServer();
    await once(webdav, 'listening');
    const { port } = webdav.address() as net.AddressInfo;
    const remotes = `[liar]\ntype = webdav\nurl = http://127.0.0.1:${port}\nvendor = other\n`;
    rig = await StoreRig.start(
      ['sftp'],
      { sftp: { 'a.txt': 'a', 'gone.txt': 'gone', 'large.bin': large } },
      { remotes },
    );
    await rig.stopService();
    await rig.startService({ remotes: [{ name: 'liar', remote: 'liar:' }] });
    await rig.waitForListing('sftp');
  });
  after(async () => {
    webdav.closeAllConnections();
    webdav.close();
    await rig.stop();
  });

  it('can have 20,000 objects in one folder', async () => {
    await eventually(async () => ((await rig.describe('liar')).listing?.state === 'listed' ? true : undefined));
    assert.equal((await rig.find('liar', 'path:many/*.txt')).length, 20_000);
  });

  it('keeps the files of the last scan when a scan fails, and reports the reason', async () => {
    await rig.servers.kill('sftp');
    const { listing } = await rig.rescan('sftp');
    assert.deepEqual([listing?.state, listing?.problem], ['failed', 'its server refuses connections']);
    assert.deepEqual(await rig.findPaths('sftp', 'large'), ['large.bin']);
    await rig.servers.startServer('sftp');
    await rig.servers.write('sftp', { 'later.csv': 'x' });
    assert.equal((await rig.rescan('sftp')).listing?.state, 'listed');
    assert.deepEqual(await rig.findPaths('sftp', 'format:csv'), ['later.csv']);
  });

  it('suspends a transfer until it is reachable again', async () => {
    await rig.servers.kill('sftp');
    const id = await rig.submit('sftp', 'folder', ['a.txt', 'large.bin']);
    const { message } = await rig.waitForStatus(id, 'inactive');
    assert.match(message, /: waiting: the (source|store) can't be used: /);
    await rig.servers.startServer('sftp');
    await rig.waitForStatus(id, 'succeeded');
    assert.deepEqual(await fs.readFile(nodePath.join(rig.folder, `dts-${id}`, 'large.bin')), large);
  });

  // The rclone server caches its folder listings, so the transfer fails only when the object is read.
  it('fails the transfer of an object that no longer exists', async () => {
    await fs.rm(nodePath.join(rig.servers.folder('sftp'), 'gone.txt'));
    const { message } = await rig.transfer('sftp', 'folder', ['gone.txt']);
    assert.match(message, /failed \(could not read gone\.txt: (?:it no longer exists|its content was cut off)\)$/);
  });

  for (const how of ['truncates', 'lies about the size of']) {
    it(`fails the transfer of an object that the server ${how}`, async () => {
      isTruncating = how === 'truncates';
      await eventually(async () =>
        (await rig.findPaths('liar', 'lie').catch(() => [])).length === 1 ? true : undefined,
      );
      const { message, id } = await rig.transfer('liar', 'folder', ['lie.bin']);
      assert.match(message, /failed \(could not read lie\.bin: its content was cut off\)$/);
      const left = await fs.readdir(rig.folder);
      assert.ok(!left.includes(`dts-${id}`), left.join());
    });
  }
});

describeWithEachRclone('A store whose disk is full (D62)', () => {
  it('suspends a transfer until there is free space', async () => {
    const disk = await mountSmallDisk(3);
    assert.ok(disk !== undefined, 'Mounting a file system needs root.');
    // rclone 1.60 removes the file that didn't fit without closing it, so this server keeps its space.
    const rig = await StoreRig.start(['openssh'], {}, { folders: { openssh: disk.folder } });
    try {
      await fs.writeFile(nodePath.join(disk.folder, 'other.bin'), Buffer.alloc(1_000_000));
      await fs.writeFile(nodePath.join(rig.folder, 'big.bin'), large.subarray(0, 2_500_000));
      await eventually(async () => ((await rig.findPaths('folder')).length === 1 ? true : undefined));
      const id = await rig.submit('folder', 'openssh', ['big.bin']);
      const { message } = await rig.waitForStatus(id, 'inactive', 'failed');
      assert.equal(message, `Transfer ${id}: waiting: the destination is full`);
      await fs.rm(nodePath.join(disk.folder, 'other.bin'));
      await rig.waitForStatus(id, 'succeeded');
    } finally {
      await rig.stop();
      await disk.remove();
    }
  });
});
