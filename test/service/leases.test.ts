import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProblemDocument } from '../../src/contract/contract.ts';
import { describeProcess } from '../../src/core/util/ownProcess.ts';
import { serviceVersion } from '../../src/service/version.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/manualClock.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const minuteMs = 60_000;

describe('A shared service (D29)', () => {
  let rig: ServiceRig;
  let clock: ManualClock;
  let hasEnded: boolean;

  beforeEach(async () => {
    clock = new ManualClock();
    rig = await ServiceRig.start({ 'a.txt': 'a', 'b.txt': 'b' }, { shared: true, clock });
    hasEnded = false;
    void rig.service.ended.then(() => (hasEnded = true));
  });
  afterEach(() => rig.stop());

  const serviceFile = (): string => nodePath.join(rig.root, 'data', 'service.json');

  const countLeases = async (): Promise<number> =>
    ((await rig.call('GET', '/service')).body as { leases: number }).leases;

  const waitUntil = async (condition: () => Promise<boolean>): Promise<void> => {
    await eventually(async () => ((await condition()) ? true : undefined));
  };

  it('serves only requested folders', async () => {
    assert.deepEqual(await rig.names(), []);
    const lease = await rig.lease();
    const url = (folder: string): string => pathToFileURL(`${folder}/`).href;
    assert.deepEqual(lease.databases, [
      { id: 'source-data', name: 'Source Data', organization: 'Lab', url: url(rig.source) },
      { id: 'target', name: 'Target', organization: '', url: url(rig.target) },
    ]);
    // Once the folders have been scanned, the list doesn't report the progress.
    assert.deepEqual([await rig.find('a'), await rig.search('Target')], [['a.txt'], []]);
    assert.deepEqual((await rig.call('GET', '/api/v1/databases')).body, lease.databases);
  });

  it('stops serving a folder when its last lease ends, for any reason', async () => {
    const [both, one] = [await rig.lease(), await rig.lease(rig.folders.slice(0, 1))];
    assert.deepEqual(await rig.names(), ['Source Data', 'Target']);
    both.disconnect();
    await waitUntil(async () => (await rig.names()).join() === 'Source Data');
    assert.deepEqual(await rig.find('a'), ['a.txt']);
    one.disconnect();
    await waitUntil(async () => (await rig.names()).length === 0);
    assert.equal((await rig.call('GET', '/api/v1/databases/source-data')).status, 404);
  });

  it('notifies all leases when the list of databases changes', async () => {
    const first = await rig.lease(rig.folders.slice(0, 1));
    const second = await rig.lease();
    await waitUntil(async () => first.events.length === 1);
    second.disconnect();
    await waitUntil(async () => first.events.length === 2);
    assert.deepEqual(first.events, ['databases', 'databases']);
    const same = await rig.lease(rig.folders.slice(0, 1));
    same.disconnect();
    await waitUntil(async () => (await countLeases()) === 1);
    assert.equal(first.events.length, 2, 'nothing came or went with that one');
  });

  it('serves a folder under a link or another name as the same database', async () => {
    const link = nodePath.join(rig.root, 'link');
    await fs.symlink(rig.source, link);
    const first = await rig.lease(rig.folders.slice(0, 1));
    const second = await rig.lease([{ name: 'Renamed', folder: link }]);
    assert.deepEqual([first.databases[0]?.id, second.databases[0]?.id], ['source-data', 'source-data']);
    assert.deepEqual(await rig.names(), ['Renamed']);
  });

  /** Returns what the list of databases says of the cluster. */
  async function getOffers(): Promise<readonly unknown[]> {
    const { body } = await rig.call('GET', '/api/v1/databases');
    return (body as { cluster?: unknown }[]).map(({ cluster }) => cluster);
  }

  it('uses the cluster of the last lease, also after the lease, and says so for its folders', async () => {
    const slurm = { folder: nodePath.join(rig.root, 'tasks'), partition: 'xfer', minFiles: 10 };
    const first = await rig.lease(rig.folders, { cluster: { slurm } });
    const offer = { tasks: 4, partition: 'xfer', minBytes: 1_000_000_000, minFiles: 10 };
    assert.deepEqual(await getOffers(), [offer, offer]);
    const second = await rig.lease(rig.folders, { cluster: { slurm: { ...slurm, tasks: 8 } } });
    assert.deepEqual(
      await getOffers(),
      [offer, offer].map((one) => ({ ...one, tasks: 8 })),
    );
    second.disconnect();
    const third = await rig.lease();
    assert.deepEqual(
      await getOffers(),
      [offer, offer].map((one) => ({ ...one, tasks: 8 })),
    );
    const count = third.events.length;
    await rig.lease(rig.folders, { cluster: null });
    assert.deepEqual(await getOffers(), [undefined, undefined]);
    await waitUntil(() => Promise.resolve(third.events.length === count + 1));
    first.disconnect();
  });

  it('refuses a cluster that the configuration of a service can not have either, in the same words', async () => {
    const folder = nodePath.join(rig.root, 'tasks');
    const clusters: [slurm: object, reason: string][] = [
      [{}, 'cluster.slurm.folder is missing: it must be text'],
      [{ folder: 'tasks' }, 'cluster.slurm.folder must be an absolute path'],
      [{ folder, tasks: 0 }, 'cluster.slurm.tasks must be at least 1'],
      [{ folder, options: ['script.sh'] }, 'cluster.slurm.options.0 must be an option such as "--account=lab"'],
      [{ folder, options: ['-A', 'lab'] }, 'cluster.slurm.options.0 must be an option such as "--account=lab"'],
      [{ folder, options: ['--time 4:00:00'] }, 'cluster.slurm.options.0 must be written as "--time=4:00:00"'],
      [
        { folder, options: ['--exclusive', '--comment=two words', '--time = 1'] },
        'cluster.slurm.options.2 must be written as "--time=1"',
      ],
      [
        { folder: nodePath.join(rig.source, 'tasks') },
        'cluster.slurm.folder must not be inside the folder of the database Source Data',
      ],
    ];
    for (const [slurm, reason] of clusters) {
      const refused = rig.lease(rig.folders, { cluster: { slurm } });
      await assert.rejects(refused, (error: Error) => {
        const { errors } = JSON.parse(error.message) as ProblemDocument;
        assert.deepEqual(
          errors?.map(({ message }) => message),
          [reason],
        );
        return true;
      });
    }
    // Names with a leading dot aren't served.
    await rig.lease(rig.folders, { cluster: { slurm: { folder: nodePath.join(rig.source, '.tasks') } } });
    assert.equal((await getOffers()).length, 2);
  });

  it('reports the number of its users, and its process', async () => {
    await Promise.all([rig.lease(), rig.lease()]);
    assert.deepEqual((await rig.call('GET', '/service')).body, {
      name: 'Data Transfer Local Service',
      version: serviceVersion,
      pid: process.pid,
      host: os.hostname(),
      leases: 2,
      transfers: 0,
    });
  });

  it('writes its address to a file that only its owner can read, and removes it when it stops cleanly', async () => {
    const { address, token, sharingToken } = rig.service;
    assert.deepEqual(JSON.parse(await fs.readFile(serviceFile(), 'utf8')), {
      address,
      token,
      sharingToken,
      ...describeProcess(),
      version: serviceVersion,
    });
    assert.equal((await fs.stat(serviceFile())).mode & 0o777, 0o600);
    const files = await fs.readdir(nodePath.dirname(serviceFile()));
    assert.deepEqual(
      files.filter((name) => name.endsWith('.part')),
      [],
    );
    await rig.service.close();
    await assert.rejects(fs.access(serviceFile()));
  });

  it('does not change the file of a later service', async () => {
    const other = JSON.stringify({ token: 'of another' });
    await fs.writeFile(serviceFile(), other);
    await rig.service.close();
    assert.equal(await fs.readFile(serviceFile(), 'utf8'), other);
  });

  it('stops a minute after its start without leases', async () => {
    await clock.pass(minuteMs - 1);
    assert.equal((await rig.call('GET', '/service')).status, 200);
    await clock.pass(1);
    await rig.service.ended;
    await assert.rejects(fs.access(serviceFile()));
  });

  it('stops a minute after the last lease has ended, and not earlier', async () => {
    const [first, second] = [await rig.lease(), await rig.lease()];
    await clock.pass(10 * minuteMs);
    first.disconnect();
    await waitUntil(async () => (await countLeases()) === 1);
    await clock.pass(10 * minuteMs);
    second.disconnect();
    await waitUntil(async () => (await countLeases()) === 0);
    await clock.pass(minuteMs - 1);
    assert.equal(hasEnded, false);
    const third = await rig.lease();
    await clock.pass(10 * minuteMs);
    assert.equal(hasEnded, false, 'a lease that came in time counts');
    third.disconnect();
    await waitUntil(async () => (await countLeases()) === 0);
    await clock.pass(minuteMs);
    await rig.service.ended;
  });

  it('does not stop while a transfer runs, even without leases', async () => {
    await rig.restart({ shared: true, clock, throttleBytesPerSecond: 0.01 });
    hasEnded = false;
    void rig.service.ended.then(() => (hasEnded = true));
    const lease = await rig.lease();
    const id = await rig.mustSubmit(['a.txt', 'b.txt']);
    await rig.waitForStatus(id, 'active');
    lease.disconnect();
    await waitUntil(async () => (await countLeases()) === 0);
    await clock.pass(10 * minuteMs);
    assert.equal((await rig.status(id)).status, 'active');
    assert.equal(hasEnded, false);
    assert.equal((await rig.cancel(id)).status, 202);
    await rig.waitForStatus(id, 'failed');
    await clock.pass(minuteMs);
    await rig.service.ended;
  });

  it('stops cleanly on request: sends a final line to all leases, and responds after releasing everything', async () => {
    const lease = await rig.lease();
    await rig.openApi();
    assert.equal((await rig.call('DELETE', '/service')).status, 204);
    await lease.ended;
    assert.equal(lease.events.at(-1), 'stopped');
    await assert.rejects(fs.access(serviceFile()));
    await rig.restart({ shared: true, clock });
    assert.equal((await rig.call('GET', '/service')).status, 200);
  });

  it('announces another service when it is replaced', async () => {
    const lease = await rig.lease();
    await rig.openApi();
    assert.equal((await rig.call('DELETE', '/service?replaced=true')).status, 204);
    await lease.ended;
    assert.equal(lease.events.at(-1), 'replaced');
  });

  describe('rejects', () => {
    const good = { name: 'A', folder: '/usr' };
    const invalid: [what: string, databases: unknown, location: string][] = [
      ['a body without databases', undefined, 'body.databases'],
      ['databases that are not a list', {}, 'body.databases'],
      ['a database without a folder', [{ name: 'A' }], 'body.databases.0.folder'],
      ['a folder and a remote', [{ ...good, remote: 'lab:x' }], 'body.databases.0.remote'],
      ['a connection string (D62)', [{ name: 'A', remote: ':sftp,ssh=x:' }], 'body.databases.0.remote'],
      ['the age of a folder', [{ ...good, rescanMinutes: 5 }], 'body.databases.0.rescanMinutes'],
      ['the restore of a folder (D67)', [{ ...good, restore: { days: 7 } }], 'body.databases.0.restore'],
      ['a restore without days (D67)', [{ name: 'A', remote: 'lab:', restore: {} }], 'body.databases.0.restore.days'],
      ['a relative folder', [good, { name: 'B', folder: 'data/b' }], 'body.databases.1.folder'],
      ['a folder with a NUL character', [{ name: 'A', folder: '/tmp/\0' }], 'body.databases.0.folder'],
      ['a folder that is also a store', [{ ...good, remote: 'lab:bucket' }], 'body.databases.0.remote'],
      ['a connection string (D62)', [{ name: 'A', remote: ":sftp,ssh='touch /tmp/x':" }], 'body.databases.0.remote'],
      ['an empty name', [{ ...good, name: '' }], 'body.databases.0.name'],
      ['a name of blanks', [{ ...good, name: '  ' }], 'body.databases.0.name'],
      ['a name with a line break', [{ ...good, name: 'A\nB' }], 'body.databases.0.name'],
      ['an unknown field', [{ ...good, id: 'mine' }], 'body.databases.0.id'],
      ['the root folder, which contains the data folder', [{ ...good, folder: '/' }], 'body.databases.0.folder'],
    ];
    for (const [what, databases, location] of invalid) {
      it(`${what}, and reports it`, async () => {
        const response = await rig.call('POST', '/leases', { databases });
        assert.equal(response.status, 422);
        const { errors } = response.body as ProblemDocument;
        assert.deepEqual(
          errors?.map((error) => error.location),
          [location],
        );
        assert.equal(await countLeases(), 0);
      });
    }

    it('the data folder itself, its content, and a link to a folder that contains it', async () => {
      const link = nodePath.join(rig.root, 'link');
      await fs.symlink(rig.root, link);
      const data = nodePath.join(rig.root, 'data');
      for (const folder of [data, nodePath.join(data, 'catalog'), link]) {
        assert.equal((await rig.call('POST', '/leases', { databases: [{ name: 'A', folder }] })).status, 422, folder);
      }
    });

    it('a lease without the token, and with a wrong one', async () => {
      for (const authorization of ['', 'Bearer wrong']) {
        const init = { headers: { authorization } };
        assert.equal((await rig.call('POST', '/leases', { databases: [] }, init)).status, 401);
        assert.equal((await rig.call('DELETE', '/service', undefined, init)).status, 401);
        assert.equal((await rig.call('GET', '/service', undefined, init)).status, 401);
      }
    });

    it('leases and stop with the API token, and everything else with the sharing token (D41)', async () => {
      const { token, sharingToken } = rig.service;
      assert.ok(sharingToken !== undefined && sharingToken !== token);
      const withToken = { headers: { authorization: `Bearer ${token}` } };
      for (const [method, path, body] of [
        ['POST', '/leases', { databases: [good] }],
        ['DELETE', '/service', undefined],
      ] as const) {
        const response = await rig.call(method, path, body, withToken);
        assert.equal(response.status, 403);
        assert.match((response.body as ProblemDocument).detail ?? '', /requires the sharing token.*reload the window/);
      }
      assert.deepEqual([await countLeases(), hasEnded], [0, false]);
      const withSharingToken = { headers: { authorization: `Bearer ${sharingToken}` } };
      assert.equal((await rig.call('GET', '/api/v1/databases', undefined, withSharingToken)).status, 401);
      assert.equal((await rig.call('GET', '/service', undefined, withSharingToken)).status, 401);
    });

    it('exposing the sharing token in its log or in a problem document', async () => {
      const { sharingToken } = rig.service;
      assert.ok(sharingToken);
      const encoded = Buffer.from(sharingToken).toString('base64');
      const { body } = await rig.call('PUT', '/', { sharingToken }, { headers: { authorization: `Basic ${encoded}` } });
      const exposed = [...rig.logged, JSON.stringify(body)].join('\n');
      assert.ok(!exposed.includes(sharingToken) && !exposed.includes(encoded));
    });
  });
});

describe('A service that is not shared', () => {
  it('writes no file, and runs without leases', async () => {
    const clock = new ManualClock();
    const rig = await ServiceRig.start({ 'a.txt': 'a' }, { clock });
    await clock.pass(10 * minuteMs);
    assert.deepEqual(await rig.find('a'), ['a.txt']);
    await assert.rejects(fs.access(nodePath.join(rig.root, 'data', 'service.json')));
    await rig.stop();
  });

  it('serves exactly its configuration, without lease and stop requests (D41)', async () => {
    const rig = await ServiceRig.start({ 'a.txt': 'a' });
    const sharingToken = 'a'.repeat(64);
    await rig.restart({ sharingToken });
    assert.equal(rig.service.sharingToken, undefined);
    const lease = { databases: [{ name: 'A', folder: '/usr' }] };
    assert.equal((await rig.call('POST', '/leases', lease)).status, 404);
    const stop = await rig.call('DELETE', '/service');
    assert.deepEqual([stop.status, stop.headers.get('allow')], [405, 'GET']);
    const init = { headers: { authorization: `Bearer ${sharingToken}` } };
    assert.equal((await rig.call('POST', '/leases', lease, init)).status, 401);
    assert.equal((await rig.call('DELETE', '/service', undefined, init)).status, 401);
    assert.deepEqual(await rig.names(), ['Source Data', 'Target']);
    const document = JSON.stringify((await rig.openApi()).document);
    assert.ok(!document.includes('/leases') && !document.includes('stopService'));
    await rig.stop();
  });
});
