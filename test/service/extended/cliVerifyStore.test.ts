import assert from 'node:assert/strict';
import { rm, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliProcess, type CliResult } from '../../support/cliProcess.ts';
import { StoreRig } from '../../support/storeRig.ts';

describe('Verifying a transfer to a store by the command line (D62)', () => {
  let rig: StoreRig;
  let ledger: string;

  before(async () => {
    ledger = await mkdtemp(join(tmpdir(), 'cli-verify-'));
    rig = await StoreRig.start(['s3'], { s3: { 'in/a.txt': 'aaaa', 'in/b/a.txt': 'bbbb', 'in/50%, x.csv': 'x' } });
    await writeFile(join(rig.folder, 'local.csv'), 'local');
    await rig.stopService();
    const remotes = ['in', 'out'].map((name) => ({ name, remote: `s3:lab/${name}` }));
    await rig.startService({ remotes, gone: false });
    for (const name of ['s3', 'in', 'out']) await rig.waitForListing(name);
  });
  after(async () => {
    await rig.stop();
    await rm(ledger, { recursive: true });
  });

  async function run(...args: readonly string[]): Promise<CliResult> {
    const { address, token } = rig.service;
    const options = ['--server', address, '--orcid', '0000-0002-1825-0097', '--key-variable', 'THE_KEY'];
    const environment = { THE_KEY: token, DATA_TRANSFER_LEDGER: ledger };
    return await new CliProcess([...args, ...options], { environment }).ended;
  }

  async function transfer(source: string, ...ids: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run('transfer', source, 'out', ...ids, '--wait', '--again');
    assert.equal(code, 0, stderr);
    return stdout.trim();
  }

  it('compares sizes and hashes with a new listing of the store, and finds changed, missing and other files', async () => {
    const id = await transfer('in', 'a.txt', 'b/a.txt', '50%25%2C x.csv');
    const intact = await run('verify', id);
    assert.deepEqual([intact.code, intact.stdout], [0, '3 of 3 files intact\n'], intact.stderr);
    const folder = `out/dts-${id}`;
    await rig.servers.write('s3', {
      [`${folder}/a.txt`]: 'AAAA',
      [`${folder}/50%, x.csv`]: 'xx',
      [`${folder}/new`]: '',
    });
    rig.servers.run(['deletefile', `s3:lab/${folder}/b/a.txt`]);
    const { code, stdout, stderr } = await run('verify', id, '--json');
    assert.deepEqual(
      [code, JSON.parse(stdout)],
      [
        1,
        {
          database: 'out',
          files: 3,
          intact: 0,
          unlisted: [],
          invalidEntries: 0,
          extra: ['new'],
          findings: [
            { id: 'a.txt', path: 'a.txt', problem: 'hash' },
            { id: 'b/a.txt', path: 'b/a.txt', problem: 'missing' },
            { id: '50%25%2C x.csv', path: '50%, x.csv', problem: 'size' },
          ],
        },
      ],
      stderr,
    );
  });

  it('names the files of which only the size could be compared, and exits with 1 if that is so for all', async () => {
    const id = await transfer('folder', 'local.csv');
    const { code, stdout, stderr } = await run('verify', id);
    assert.deepEqual(
      [code, stdout],
      [1, '1 file of the same size, no hash to compare\nsame size, no hash to compare: local.csv\n'],
      stderr,
    );
  });

  it('exits with 4 if the store has no manifest of the transfer', async () => {
    const id = await transfer('in', 'a.txt');
    rig.servers.run(['purge', `s3:lab/out/dts-${id}`]);
    const { code, stderr } = await run('verify', id);
    assert.equal(code, 4);
    const advice = `To check whether it has ended: data-transfer status ${id}`;
    assert.ok(stderr.endsWith(`out has no manifest of transfer ${id}. ${advice}\n`), stderr);
  });

  it('says why the store could not be listed again', async () => {
    const id = await transfer('in', 'a.txt');
    await rig.servers.kill('s3');
    try {
      const { code, stdout, stderr } = await run('verify', id);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /Couldn't scan out: .+\.\n$/);
    } finally {
      await rig.servers.startServer('s3');
    }
  });
});
