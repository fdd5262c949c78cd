import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { describeProcess } from '../../../src/core/util/ownProcess.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import type { Emitter } from '../../../src/core/util/lifetime.ts';
import { LocalService, type LocalServiceChange } from '../../../src/extension/localService/localService.ts';
import { serviceVersion } from '../../../src/service/version.ts';
import { eventually } from '../../support/eventually.ts';
import { empty, json } from '../../support/faultBehaviors.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { startLocalService } from '../../support/localService.ts';
import { getEndedPid } from '../../support/endedProcess.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const program = nodePath.join(import.meta.dirname, '../../../src/service/main.ts');
const orcid = '0000-0002-1825-0097';

interface Access {
  readonly address: string;
  readonly token: string;
}

describe('Windows that share the local service as a separate process (D29)', () => {
  let root: string;
  let log: MemoryLog;
  const windows: LocalService[] = [];

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-windows-'));
    log = new MemoryLog();
    for (const name of ['source', 'target']) await fs.mkdir(nodePath.join(root, name));
    await fs.writeFile(nodePath.join(root, 'source', 'a.txt'), 'a');
  });
  afterEach(async () => {
    await windows[0]?.stop();
    for (const window of windows.splice(0)) window.dispose();
    await fs.rm(root, { recursive: true, force: true, maxRetries: 5 });
  });

  const dataFolder = (): string => nodePath.join(root, 'data');

  function newWindow(version = serviceVersion, started = program): LocalService {
    const folders = ['source', 'target'].map((name) => ({ name, folder: nodePath.join(root, name) }));
    const window = new LocalService({
      program: started,
      dataFolder: dataFolder(),
      version,
      clock: systemClock,
      log,
      getTerms: () => Promise.resolve({ databases: folders, cluster: null }),
      getConfig: () => ({ retentionDays: 7, rclone: undefined }),
    });
    windows.push(window);
    return window;
  }

  async function call({ address, token }: Access, method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(address + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return await response.json();
  }

  const readState = async (access: Access): Promise<{ pid: number; leases: number }> =>
    (await call(access, 'GET', '/service')) as { pid: number; leases: number };

  const next = async (event: Emitter<LocalServiceChange>['event']): Promise<LocalServiceChange> =>
    await new Promise((resolve) => {
      const subscription = event((change) => {
        subscription.dispose();
        resolve(change);
      });
    });

  it('find the one service when they start simultaneously', async () => {
    const all = await Promise.all([0, 1, 2, 3].map(async () => await newWindow().start()));
    assert.equal(new Set(all.map(({ address, token }) => `${address} ${token}`)).size, 1);
    const [first] = all;
    assert.ok(first);
    assert.equal((await readState(first)).leases, 4);
    assert.equal(await windows[0]?.countOtherWindows(), 3);
    assert.equal(log.lines.filter((line) => line.includes('is listening on')).length, 1, 'one of them has started it');
  });

  it('find the same new one immediately when it was killed, and the transfers resume there (D25)', async () => {
    const [one, two] = [newWindow(), newWindow()];
    const before = await one.start();
    await two.start();
    const target = nodePath.join(root, 'target');
    await fs.rename(target, `${target}-away`);
    const order = { orcid, source: 'source', destination: 'target', file_ids: ['a.txt'] };
    const { id } = (await call(before, 'POST', '/api/v1/transfers', order)) as { id: string };
    const status = async (access: Access): Promise<unknown> =>
      ((await call(access, 'GET', `/api/v1/transfers/${id}`)) as { status: string }).status;
    await eventually(async () => ((await status(before)) === 'inactive' ? true : undefined));
    const { pid } = await readState(before);
    const moved = Promise.all([next(one.onDidChange), next(two.onDidChange)]);
    process.kill(pid, 'SIGKILL');
    assert.deepEqual(await moved, ['moved', 'moved']);
    const after = await one.start();
    assert.deepEqual(await two.start(), after);
    assert.notEqual(after.token, before.token);
    assert.notEqual((await readState(after)).pid, pid);
    await fs.rename(`${target}-away`, target);
    await eventually(async () => ((await status(after)) === 'succeeded' ? true : undefined));
    assert.equal(await fs.readFile(nodePath.join(target, `dts-${id}`, 'a.txt'), 'utf8'), 'a');
  });

  it('are all notified when one of them stops it, and none restarts it', async () => {
    const [one, two] = [newWindow(), newWindow()];
    await one.start();
    await two.start();
    const notified = Promise.all([next(one.onDidChange), next(two.onDidChange)]);
    await two.stop();
    assert.deepEqual(await notified, ['stopped', 'stopped']);
    assert.deepEqual([one.isRunning, two.isRunning], [false, false]);
    assert.equal(await one.countOtherWindows(), undefined);
    await assert.rejects(fs.access(nodePath.join(dataFolder(), 'service.json')));
  });

  it('release it when they are closed, and the service remains for the others', async () => {
    const [one, two] = [newWindow(), newWindow()];
    const access = await one.start();
    await two.start();
    one.dispose();
    await eventually(async () => ((await readState(access)).leases === 1 ? true : undefined));
    assert.deepEqual(await two.start(), access);
  });

  it('replace an older service with their newer one, which the older windows then use', async () => {
    const old = newWindow();
    const before = await old.start();
    const moved = next(old.onDidChange);
    const after = await newWindow('99.0.0').start();
    assert.notEqual(after.token, before.token);
    assert.equal(await moved, 'moved');
    assert.deepEqual(await old.start(), after);
  });

  it('replace a service of version 0.1, which has no sharing token, with its only token (D41)', async () => {
    await fs.mkdir(dataFolder(), { recursive: true });
    const file = nodePath.join(dataFolder(), 'service.json');
    const old = await FaultServer.start();
    old.on('GET /service', json({ pid: process.pid, leases: 0 }));
    old.on('DELETE /service', empty(204));
    const record = { address: old.address, token: 'its-token', pid: process.pid, host: os.hostname() };
    await fs.writeFile(file, JSON.stringify({ ...record, version: serviceVersion }));
    const access = await newWindow().start();
    assert.notEqual(access.address, old.address);
    assert.equal((await readState(access)).leases, 1);
    const stops = old.requests.filter(({ method }) => method === 'DELETE');
    assert.deepEqual(
      stops.map(({ url, headers }) => [url, headers.authorization]),
      [['/service?replaced=true', 'Bearer its-token']],
    );
    await old.stop();
  });

  it('use a service that is newer than they are', async () => {
    const access = await newWindow().start();
    assert.deepEqual(await newWindow('0.0.9').start(), access);
  });

  describe('start their own if the file names', () => {
    async function assertStartsNew(record: object): Promise<void> {
      await fs.mkdir(dataFolder(), { recursive: true });
      const stale = { address: 'http://127.0.0.1:9', token: 'old', pid: 1, host: os.hostname(), version: '0.1.0' };
      await fs.writeFile(nodePath.join(dataFolder(), 'service.json'), JSON.stringify({ ...stale, ...record }));
      const access = await newWindow().start();
      assert.notEqual(access.token, 'old');
      assert.equal((await readState(access)).leases, 1);
    }

    it('a service that does not respond', () => assertStartsNew({}));

    it('a service of another machine', () => assertStartsNew({ host: 'another-machine' }));

    it('an invalid record', () => assertStartsNew({ token: 5 }));

    it('another program, or a process with another ID', async () => {
      const server = await FaultServer.start();
      server.on('GET /service', json({ pid: 2, leases: 0 }));
      await assertStartsNew({ address: server.address });
      await server.stop();
    });

    it('a service that was killed, and whose port another program has taken (D29)', async () => {
      const server = await FaultServer.start();
      const pid = await getEndedPid();
      server.on('GET /service', json({ pid, leases: 0 })).on('POST /leases', json({}));
      await assertStartsNew({ address: server.address, pid, version: '99.0.0', sharingToken: 'shared' });
      assert.deepEqual(server.requests, [], 'the program receives neither a token nor the folders');
      await server.stop();
    });

    it('a service that was killed, and whose process ID another process has (D29)', async function () {
      const ended = describeProcess();
      if (ended.start === undefined) this.skip();
      const server = await FaultServer.start();
      server.on('GET /service', json({ pid: process.ppid, leases: 0 })).on('POST /leases', json({}));
      const identity = { ...ended, pid: process.ppid, start: `${ended.start}0` };
      const record = { ...identity, version: '99.0.0', sharingToken: 'shared' };
      await assertStartsNew({ ...record, address: server.address });
      assert.deepEqual(server.requests, []);
      await server.stop();
    });
  });

  describe('that could not stop the service', () => {
    let server: FaultServer;
    let changes: LocalServiceChange[];
    let leases: ServerResponse[];
    let window: LocalService;

    beforeEach(async () => {
      leases = [];
      server = await FaultServer.start();
      server.on('GET /service', json({ pid: process.pid, leases: 1 })).on('DELETE /service', empty(500));
      server.on('POST /leases', (_request, response) => {
        leases.push(response.writeHead(200));
        response.write('{"event":"databases"}\n');
      });
      const tokens = { token: 'its-token', sharingToken: 'shared' };
      const record = { ...describeProcess(), ...tokens, address: server.address, version: serviceVersion };
      await fs.mkdir(dataFolder());
      await fs.writeFile(nodePath.join(dataFolder(), 'service.json'), JSON.stringify(record));
      window = newWindow();
      await window.start();
      changes = [];
      window.onDidChange((change) => changes.push(change));
    });
    afterEach(async () => {
      server.on('DELETE /service', empty(204));
      await window.stop();
      await server.stop();
    });

    it('still use it, and are notified when it ends later', async () => {
      await assert.rejects(window.stop(), /responded with 500/);
      assert.equal(window.isRunning, true);
      assert.deepEqual(changes, []);
      const ended = next(window.onDidChange);
      leases[0]?.end('{"event":"stopped"}\n');
      assert.equal(await ended, 'stopped');
      assert.equal(leases.length, 1);
    });

    it('reconnect to it if their lease was lost meanwhile', async () => {
      server.on('DELETE /service', async (request, response) => {
        leases[0]?.destroy();
        await empty(500)(request, response);
      });
      const moved = next(window.onDidChange);
      await assert.rejects(window.stop(), /responded with 500/);
      assert.equal(await moved, 'moved');
      assert.equal(window.isRunning, true);
      assert.equal(leases.length, 2);
    });

    it('use it if they start it meanwhile', async () => {
      const stopped = assert.rejects(window.stop(), /responded with 500/);
      assert.equal((await window.start()).address, server.address);
      await stopped;
      assert.equal(leases.length, 1);
    });

    it('release it if they were closed meanwhile', async () => {
      const stopped = assert.rejects(window.stop(), /responded with 500/);
      window.dispose();
      await stopped;
      const [lease] = leases;
      assert.ok(lease);
      if (!lease.closed) await once(lease, 'close');
    });
  });

  it('report the reason when the service could not start', async () => {
    const alone = await startLocalService({ databases: [], dataFolder: dataFolder() });
    const window = newWindow();
    await assert.rejects(window.start(), /^Error: Another local service.* is using the same data folder\.$/);
    assert.equal(window.isRunning, false);
    await alone.stop();
    await window.start();
    const missing = newWindow(serviceVersion, nodePath.join(root, 'no-such-program.cjs'));
    assert.deepEqual(await missing.start(), await window.start(), 'what runs needs no program');
  });

  it('write no part of the token to a log', async () => {
    const { token } = await newWindow().start();
    const file = await fs.readFile(nodePath.join(dataFolder(), 'service.log'), 'utf8');
    assert.match(file, /is listening on/);
    assert.ok(![file, ...log.lines].join('\n').includes(token));
  });
});
