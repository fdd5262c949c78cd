import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from '../support/faultBehaviors.ts';
import { FaultServer } from '../support/faultServer.ts';
import { callCli } from '../support/cliCall.ts';
import { CliRig } from './cliRig.ts';

const canRunScripts = process.platform !== 'win32';

if (canRunScripts)
  describe('A dry run on the command line', () => {
    let rig: CliRig;
    let folder: string;
    let recipe: string;
    let server: FaultServer | undefined;
    beforeEach(async () => {
      rig = await CliRig.start({ 'a.csv': 'a' });
      folder = await mkdtemp(join(tmpdir(), 'cli-dry-run-'));
      recipe = join(folder, 'reads.transfer.json');
    });
    afterEach(async () => {
      await server?.stop();
      await rig.stop();
      await rm(folder, { recursive: true });
    });

    async function writeRecipe(more: { readonly to?: object; readonly then?: object }): Promise<void> {
      const from = { database: 'Source Data', search: { query: 'csv' } };
      await writeFile(recipe, JSON.stringify({ from, ...more, to: { database: 'Target', ...more.to } }));
    }

    async function assertRefused(text: string, ...options: readonly string[]): Promise<void> {
      const dry = await rig.run('run', recipe, '--dry-run', ...options);
      assert.equal(dry.code, 1, dry.stdout);
      assert.equal(dry.stdout.split('\n').at(-2), `would be refused: ${text}`);
      const { refusals, unchecked } = await rig.runJson(1, 'run', recipe, '--dry-run', ...options);
      assert.deepEqual([refusals, unchecked], [[text], []]);
      assert.equal((await rig.run('run', recipe, ...options)).code, 1);
      const received = await rig.service.listReceivedFiles();
      assert.deepEqual(
        received.filter((path) => path.includes('a.csv')),
        [],
      );
    }

    it('names a program that cannot be started, as the run would', async () => {
      await writeRecipe({ then: { program: 'count.sh' } });
      const program = join(folder, 'count.sh');
      await assertRefused(`${program} can't be started: it can't be read (ENOENT)`);
      await writeFile(program, '#!/bin/sh\n', { mode: 0o600 });
      if (process.getuid?.() !== 0) await assertRefused(`${program} can't be started: it is not executable`);
      await assertRefused(`${folder} can't be started: it is not a file`, '--then', folder);
      await chmod(program, 0o700);
      const { refusals, unchecked } = await rig.runJson(0, 'run', recipe, '--dry-run');
      assert.deepEqual([refusals, unchecked], [[], []]);
    });

    it('says that the service starts nothing', async () => {
      await rig.service.restart({ followUps: 'unset' });
      await writeRecipe({ then: { program: 'count.sh' } });
      await assertRefused(
        'the service starts nothing after a transfer; a local service needs "followUps": true in its configuration',
      );
    });

    it('says that the folder already exists', async () => {
      await writeRecipe({ to: { folder: 'run-A' } });
      const { refusals, unchecked } = await rig.runJson(0, 'run', recipe, '--dry-run');
      assert.deepEqual([refusals, unchecked], [[], []]);
      await mkdir(join(rig.service.target, 'run-A'));
      await assertRefused('the folder run-A already exists in Target');
    });

    it('says that the folder may belong to a transfer that has not ended', async () => {
      await rig.service.write({ 'big.bin': 'x'.repeat(100_000) });
      await rig.service.reachesFiles('big', 1);
      await rig.service.restart({ throttleBytesPerSecond: 10_000 });
      const started = ['transfer', 'Source Data', 'Target', 'big.bin', '--folder-name', 'Run-A'];
      assert.equal((await rig.run(...started)).code, 0);
      await writeRecipe({ to: { folder: 'run-A' } });
      const { refusals, unchecked } = await rig.runJson(0, 'run', recipe, '--dry-run');
      assert.deepEqual([refusals, unchecked], [[], ['whether the transfer to the folder run-A has ended']]);
    });

    it('says what it cannot check of a service elsewhere, and sends nothing', async () => {
      server = await FaultServer.start();
      const features = ['instructions.folder', 'instructions.then'];
      const databases = ['Source Data', 'Target'].map((name) => ({ id: name, name, organization: '', url: '' }));
      server.on('GET /', json({ name: 'Test', version: '1', features }));
      server.on('GET /api/v1/databases', json(databases));
      server.on('POST /api/v1/files', json({ resources: [{ id: 'f1', name: 'f1', path: 'f1', format: 'csv' }] }));
      await writeRecipe({ to: { folder: 'run-A' }, then: { program: 'count.sh' } });
      // Any address that isn't one of loopback may be that of another machine.
      const { port } = new URL(server.address);
      const entry = { id: 'lab', name: 'Lab', server: `http://0.0.0.0:${port}`, allowInsecureHttp: true };
      const file = join(folder, 'connections.json');
      const connections = [{ ...entry, apiKeyVariable: 'K' }];
      await writeFile(file, JSON.stringify({ orcid: '0000-0002-1825-0097', connections }));
      const environment = { K: 'key', DATA_TRANSFER_LEDGER: rig.ledger };
      const { code, stdout, stderr } = await callCli(['run', recipe, '--dry-run', '--connections', file], {
        environment,
      });
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^not checked: whether the folder run-A exists in Target\n/m);
      assert.match(stdout, new RegExp(`^not checked: whether the service can start ${folder}/count\\.sh\n`, 'm'));
      assert.deepEqual(server.requestsTo('POST /api/v1/transfers'), []);
    });
  });
