import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { localServiceName } from '../../src/contract/contract.ts';
import { callCli } from '../support/cliCall.ts';
import { type CliResult, runCli } from '../support/cliProcess.ts';
import { json } from '../support/faultBehaviors.ts';
import { FaultServer } from '../support/faultServer.ts';
import { startLocalService, type StartedService } from '../support/localService.ts';

describe('Scanning a database again by the command line (D62)', () => {
  let root: string;
  let service: StartedService;

  before(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'cli-scan-'));
    for (const name of ['store', 'folder', 'ledger']) await fs.mkdir(nodePath.join(root, name));
    await fs.writeFile(nodePath.join(root, 'store', 'a.csv'), 'a');
    const configFile = nodePath.join(root, 'rclone.conf');
    await fs.writeFile(configFile, `[disk]\ntype = alias\nremote = ${nodePath.join(root, 'store')}\n`);
    const databases = [
      { name: 'Lab Bucket', remote: 'disk:' },
      { name: 'Folder', folder: nodePath.join(root, 'folder') },
    ];
    service = await startLocalService({ databases }, { environment: { RCLONE_CONFIG: configFile } });
  });
  after(async () => {
    await service.stop();
    await fs.rm(root, { recursive: true });
  });

  const run = async (server: string, ...args: readonly string[]): Promise<CliResult> => {
    return await callCli(...connect(server, args));
  };

  const connect = (server: string, args: readonly string[]): Parameters<typeof callCli> => {
    const options = ['--server', server, '--orcid', '0000-0002-1825-0097', '--key-variable', 'THE_KEY'];
    const environment = { THE_KEY: service.token, DATA_TRANSFER_LEDGER: nodePath.join(root, 'ledger') };
    return [[...args, ...options], { environment }];
  };

  it('finds a new object after the scan that it waits for, and says before how old the listing is', async () => {
    const scanned = await runCli(...connect(service.address, ['scan', 'Lab Bucket', '--wait']));
    assert.equal(scanned.stdout, 'Lab Bucket: 1 file\n');
    await fs.writeFile(nodePath.join(root, 'store', 'b.csv'), 'b');
    const before = await run(service.address, 'search', 'Lab Bucket', 'b.csv');
    assert.match(
      before.stderr,
      /^No files match in the listing of 20[-\dT:.]+Z\. "data-transfer scan" lists the store again\.\n$/,
    );
    const { code, stdout } = await run(service.address, 'scan', 'lab-bucket', '--wait', '--json');
    const { database } = JSON.parse(stdout) as { readonly database: { readonly listing: Record<string, unknown> } };
    assert.deepEqual([code, database.listing['state'], database.listing['files']], [0, 'listed', 2]);
    assert.match((await run(service.address, 'search', 'Lab Bucket', 'b.csv')).stdout, /^b\.csv /m);
  });

  it('finds the files of the last listing after a failed scan, and says so', async () => {
    await runCli(...connect(service.address, ['scan', 'Lab Bucket', '--wait']));
    await fs.rename(nodePath.join(root, 'store'), nodePath.join(root, 'away'));
    assert.equal((await runCli(...connect(service.address, ['scan', 'Lab Bucket', '--wait']))).code, 1);
    const note =
      /^The listing is from 20[-\dT:.]+Z, because the last scan failed: its folder or bucket doesn't exist\.$/m;
    for (const [text, hits] of [
      ['a.csv', 1],
      ['nothing', 0],
    ] as const) {
      const { code, stdout, stderr } = await run(service.address, 'search', 'Lab Bucket', text);
      assert.equal([...stdout.matchAll(/^a\.csv /gm)].length, hits);
      assert.match(stderr, note);
      assert.equal(code, 0);
    }
    const recipe = nodePath.join(root, 'lab.transfer.json');
    const from = { database: 'Lab Bucket', ids: ['gone.csv'] };
    await fs.writeFile(recipe, JSON.stringify({ from, to: { database: 'Folder' } }));
    for (const [expected, ...args] of [
      [0, 'describe', 'Lab Bucket', 'a.csv'],
      [4, 'describe', 'Lab Bucket', 'gone.csv'],
      [0, 'cite', 'Lab Bucket', 'a.csv'],
      [4, 'transfer', 'Lab Bucket', 'Folder', 'gone.csv'],
      [4, 'transfer', 'Lab Bucket', 'Folder', '--folder', 'none'],
      [4, 'run', recipe],
      [4, 'run', recipe, '--dry-run'],
    ] as const) {
      const { code, stdout, stderr } = await run(service.address, ...args);
      assert.equal(code, expected, stderr);
      assert.equal(
        [...`${stdout}${stderr}`.matchAll(new RegExp(note, 'gm'))].length,
        1,
        `${args.join(' ')}: ${stderr}`,
      );
    }
    await fs.rename(nodePath.join(root, 'away'), nodePath.join(root, 'store'));
  });

  it('is not recommended by a search during a scan, which is mentioned', async () => {
    const server = await FaultServer.start();
    try {
      const listing = { state: 'scanning', files: 2, scanned: 1, asOf: '2026-11-30T01:00:00Z' };
      server.on('GET /', json({ name: localServiceName, version: '1.0.0' }));
      server.on('GET /api/v1/databases', json([{ id: 'd', name: 'D', organization: '', url: '' }]));
      server.on('POST /api/v1/files', json({ resources: [], listing }));
      const { stderr } = await run(server.address, 'search', 'D', 'a');
      const running = 'The listing is from 2026-11-30T01:00:00.000Z, and a scan is running.\n';
      assert.equal(stderr, `No files match.\n${running}`);
      server.on('POST /api/v1/files', json({ resources: [{ id: 'a' }], listing }));
      assert.equal((await run(server.address, 'search', 'D', 'a')).stderr, running);
    } finally {
      await server.stop();
    }
  });

  it('scans a folder', async () => {
    const { code, stdout } = await run(service.address, 'scan', 'Folder');
    assert.deepEqual([code, stdout], [0, 'Folder: the scan has been requested\n']);
  });

  it('says that a service without such a route is no local service', async () => {
    const server = await FaultServer.start();
    try {
      server.on('GET /', json({ name: 'Test', version: '1.0.0' }));
      server.on('GET /api/v1/databases', json([{ id: 'd', name: 'D', organization: '', url: '' }]));
      const { code, stderr } = await run(server.address, 'scan', 'D');
      assert.deepEqual([code, stderr], [1, "This service can't scan D again: only a local service can.\n"]);
    } finally {
      await server.stop();
    }
  });
});
