import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callCli } from '../support/cliCall.ts';
import { CliProcess, runCli } from '../support/cliProcess.ts';
import { CliRig } from './cliRig.ts';

describe('Transfer records on the command line', () => {
  let rig: CliRig;
  let id: string;
  let folder: string;
  before(async () => {
    rig = await CliRig.start({ 'a.csv': 'a', 'b/c.txt': 'hello' });
  });
  after(() => rig.stop());
  beforeEach(async () => {
    id = (await rig.run('transfer', 'Source Data', 'Target', 'a.csv', 'b/c.txt', '--wait')).stdout.trim();
    folder = join(rig.service.target, `dts-${id}`);
  });

  it('verifies the files of a transfer in the folder that the service serves', async () => {
    const { code, stdout } = await rig.start('verify', id).ended;
    assert.deepEqual([code, stdout], [0, '2 of 2 files intact\n']);
  });

  it('reports files that are missing or different, and exits with 1', async () => {
    await writeFile(join(folder, 'a.csv'), 'b');
    await rm(join(folder, 'b', 'c.txt'));
    await writeFile(join(folder, 'other'), '');
    const report = await rig.runJson(1, 'verify', folder);
    assert.deepEqual(report, {
      manifest: join(folder, 'manifest.json'),
      files: 2,
      intact: 0,
      unlisted: [],
      invalidEntries: 0,
      findings: [
        { id: 'a.csv', path: 'a.csv', problem: 'hash' },
        { id: 'b/c.txt', path: 'b/c.txt', problem: 'missing' },
      ],
      extra: ['other'],
    });
    const table = await rig.run('verify', join(folder, 'manifest.json'));
    assert.match(table.stdout, /^0 of 2 files intact\ndifferent content: a\.csv\nmissing: b\/c\.txt\n/);
  });

  it('exits with 1 if it verified no file: the manifest lists none, or has no hashes', async () => {
    const manifest = join(folder, 'manifest.json');
    await writeFile(manifest, JSON.stringify({ resources: [] }));
    const empty = await rig.run('verify', manifest);
    assert.deepEqual([empty.code, empty.stdout.split('\n', 1)[0]], [1, 'the manifest lists no files']);
    await writeFile(manifest, JSON.stringify({ resources: [{ name: 'a', path: 'a.csv' }] }));
    const unhashed = await rig.run('verify', manifest);
    const report = '1 file, no hash to compare\nno hash to compare: a.csv\n1 other file in the folder\n';
    assert.deepEqual([unhashed.code, unhashed.stdout], [1, report]);
  });

  it('verifies a folder by the manifest of the service, not by a transferred file with that name (D24)', async () => {
    await rename(join(folder, 'manifest.json'), join(folder, `manifest-${id}.json`));
    await writeFile(join(folder, 'manifest.json'), JSON.stringify({ resources: [] }));
    await writeFile(join(folder, 'a.csv'), 'b');
    const { manifest, files, findings } = await rig.runJson(1, 'verify', folder);
    const expected = [{ id: 'a.csv', path: 'a.csv', problem: 'hash' }];
    assert.deepEqual([manifest, files, findings], [join(folder, `manifest-${id}.json`), 2, expected]);
  });

  it('reports a records folder that cannot be read or written, and sends nothing', async () => {
    const file = join(rig.ledger, 'file');
    await writeFile(file, '');
    const history = await rig.run('history', '--ledger', file);
    const advice = 'Use --ledger to name another folder.';
    const unread = `The transfer records in ${file} can't be read (ENOTDIR). ${advice}\n`;
    assert.deepEqual([history.code, history.stdout, history.stderr], [1, '', unread]);
    const [locked, writable] = [join(rig.ledger, 'locked'), join(rig.ledger, 'locked', 'submitting')];
    await mkdir(locked);
    await writeFile(writable, '');
    const sent = await rig.run('transfer', 'Source Data', 'Target', 'a.csv', '--ledger', locked);
    const unwritten = `Nothing was sent. The transfer records in ${locked} can't be written (EEXIST). ${advice}\n`;
    assert.deepEqual([sent.code, sent.stderr], [1, unwritten]);
  });

  it('exits with an error if the records folder cannot be created', async () => {
    const impossible = process.platform === 'linux' ? '/proc/self/nope' : join(rig.ledger, 'file', 'nope');
    await writeFile(join(rig.ledger, 'file'), '');
    const { code, stderr } = await rig.run('transfer', 'Source Data', 'Target', 'a.csv', '--ledger', impossible);
    const text = 'Nothing was sent. The transfer records in ';
    assert.deepEqual([code, stderr.startsWith(`${text}${impossible} can't be written (`)], [1, true], stderr);
  });

  it('exits with 4 if there is no manifest, and lists the searched folders', async () => {
    const none = await rig.run('verify', rig.ledger);
    assert.deepEqual([none.code, none.stderr], [4, `${rig.ledger} has no manifest.\n`]);
    const destination = await rig.run('verify', rig.service.target);
    assert.equal(destination.code, 4);
    assert.match(destination.stderr, / has no manifest\. Folders of transfers in it: .*dts-/);
    const { code, stderr } = await rig.run('verify', id, '--folder', rig.ledger);
    assert.equal(code, 4);
    assert.match(stderr, /weren't found\. Searched: /);
    await rm(join(folder, 'manifest.json'));
    const removed = await rig.run('verify', id);
    assert.deepEqual([removed.code, removed.stderr], [4, `${folder} has no manifest.\n`]);
  });

  it('exports the files of a transfer as a table, as checksums that sha256sum accepts, and as an RO-Crate', async () => {
    const table = await rig.start('export', id).ended;
    assert.match(table.stdout, /^id,name,path,bytes,hash,media_type,database\r\na\.csv,,a\.csv,1,sha256:/);
    const file = join(folder, 'files.sha256');
    assert.equal((await rig.run('export', id, '--format', 'sha256', '--output', file)).stdout, '');
    assert.match(execFileSync('sha256sum', ['-c', file], { cwd: folder, encoding: 'utf8' }), /^a\.csv: OK\n/);
    const crate = JSON.parse((await rig.run('export', id, '--format', 'ro-crate')).stdout) as { '@graph': unknown[] };
    assert.ok(crate['@graph'].length > 5);
    const { files } = await rig.runJson(0, 'export', id);
    assert.equal((files as unknown[]).length, 2);
  });

  it('verifies and exports no files of another transfer whose folder was renamed', async () => {
    const other = (await rig.start('transfer', 'Source Data', 'Target', 'a.csv', '--wait').ended).stdout.trim();
    const copy = join(rig.ledger, 'copy');
    await cp(join(rig.service.target, `dts-${other}`), copy, { recursive: true });
    const reason = `${join(copy, 'manifest.json')} is the manifest of a different transfer.\n`;
    for (const command of ['verify', 'export']) {
      const { code, stdout, stderr } = await rig.run(command, id, '--folder', copy);
      assert.deepEqual([code, stdout, stderr], [1, '', reason], command);
    }
    assert.equal((await rig.run('export', other, '--folder', copy)).code, 0);
  });

  it('exports all records as CSV or JSON, and refuses another format', async () => {
    assert.match((await rig.run('export')).stdout, new RegExp(`^id,service,source.*\r\n(.*\r\n)*${id},`));
    const { transfers } = await rig.runJson(0, 'export');
    assert.ok((transfers as { id: string }[]).some((one) => one.id === id));
    assert.equal((await rig.run('export', '--format', 'sha256')).code, 2);
    const { code, stderr } = await rig.run('export', id, '--format', 'md5');
    assert.deepEqual([code, stderr], [1, 'None of these files has an MD5 hash. Use --format sha256.\n']);
  });

  it('names the service of --server by its address, even in commands without --server', async () => {
    const { address } = rig.service.service;
    const { transfer } = await rig.runJson(0, 'transfer', 'Source Data', 'Target', 'a.csv', '--wait');
    assert.equal((transfer as { service?: string }).service, address);
    const environment = { DATA_TRANSFER_LEDGER: rig.ledger };
    const table = await callCli(['export'], { environment });
    assert.match(table.stdout, new RegExp(`\r\n${id},${address},Source Data,`));
    const crate = await callCli(['export', id, '--format', 'ro-crate', '--folder', folder], { environment });
    assert.match(crate.stdout, new RegExp(`Transfer from Source Data to Target by ${address}"`));
  });

  it('names the service of a record of an earlier version if --server gives its address', async () => {
    const path = join(rig.ledger, 'ended', (await readdir(join(rig.ledger, 'ended')))[0] ?? '');
    const record = JSON.parse(await readFile(path, 'utf8')) as { transfer: { id: string; service?: string } };
    const { service, ...earlier } = record.transfer;
    await writeFile(path, JSON.stringify({ ...record, transfer: earlier }));
    const { address } = rig.service.service;
    assert.equal(service, address);
    assert.match((await rig.run('export')).stdout, new RegExp(`\r\n${earlier.id},${address},Source Data,`));
  });

  it('exits with 1 and the error code if the output file cannot be written', async () => {
    const { code, stderr } = await rig.run('export', id, '--output', join(rig.ledger, 'no', 'folder.csv'));
    assert.equal(code, 1);
    assert.match(stderr, /^Couldn't write .* \(ENOENT\)\.\n$/);
  });

  it('cites files, and the files of a transfer with the day of the transfer', async () => {
    const { code, stdout } = await rig.start('cite', 'Source Data', 'a.csv').ended;
    assert.equal(code, 0);
    assert.match(stdout, /^@\w+\{/);
    const cited = await rig.runJson(0, 'cite', '--transfer', id, '--format', 'csl');
    assert.match(String(cited['text']), new RegExp(`"accessed"|${new Date().getFullYear()}`));
    assert.deepEqual((await rig.runJson(4, 'cite', 'Source Data', 'a.csv', 'nope'))['missing'], ['nope']);
    assert.equal((await rig.run('cite')).code, 2);
  });

  it('refuses arguments that another one would override', async () => {
    const either = 'Use either a database and the IDs of its files, or --transfer.\n';
    for (const [error, ...args] of [
      [either, 'cite', 'Source Data', 'a.csv', '--transfer', id],
      ['--folder needs a transfer.\n', 'export', '--folder', folder],
      [
        `${folder} is a folder or a manifest. Use --folder only with a transfer.\n`,
        'verify',
        folder,
        '--folder',
        folder,
      ],
      ...[
        ['cancel', id],
        ['run', 'none.transfer.json'],
        ['transfer', 'Source Data', 'Target', 'a.csv'],
      ].map((args) => [...['--timeout needs --wait.\n', ...args, '--timeout', '1']]),
    ]) {
      const { code, stdout, stderr } = await rig.run(...args);
      assert.deepEqual([code, stdout, stderr], [2, '', error], args.join(' '));
    }
  });
});

describe('The service of the command line', () => {
  it('serves folders until it is stopped', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cli-service-'));
    await writeFile(join(folder, 'config.json'), JSON.stringify({ dataFolder: 'data', databases: [] }));
    const service = new CliProcess(['service', '--config', join(folder, 'config.json')]);
    const { stdout } = service.child;
    const ready = await new Promise<string>((resolve) => stdout?.once('data', (text: string) => resolve(text)));
    const { address, token } = JSON.parse(ready) as { address: string; token: string };
    const args = ['databases', '--server', address, '--orcid', '0000-0002-1825-0097', '--key-stdin', '--json'];
    assert.equal((await runCli(args, { input: token })).stdout, '{"databases":[]}\n');
    service.child.kill('SIGTERM');
    assert.equal((await service.ended).code, 0);
    await rm(folder, { recursive: true });
  });

  for (const signal of ['SIGINT', 'SIGHUP'] as const) {
    it(`stops cleanly on ${signal}, and so does its child process`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'cli-service-'));
      await writeFile(join(folder, 'config.json'), JSON.stringify({ dataFolder: 'data', databases: [] }));
      const service = new CliProcess(['service', '--config', join(folder, 'config.json')]);
      const [ready] = (await once(service.child.stdout ?? service.child, 'data')) as [string];
      const { address } = JSON.parse(ready) as { address: string };
      service.child.kill(signal);
      assert.equal((await service.ended).code, 0);
      await assert.rejects(fetch(address));
      await rm(folder, { recursive: true });
    });
  }

  it('exits with 2 if its configuration is invalid', async () => {
    const { code, stderr } = await runCli(['service', '--config', '/nowhere.json']);
    assert.equal(code, 2);
    assert.match(stderr, /cannot read/);
  });

  it('says that its Node.js was removed while it started', async () => {
    const environment = { NODE_OPTIONS: "--import=data:text/javascript,process.execPath='/nowhere/node'" };
    const { code, stderr } = await runCli(['service', '--config', '/nowhere.json'], { environment });
    assert.deepEqual([code, stderr], [1, "The service can't be started: /nowhere/node is missing or can't be run.\n"]);
  });

  it('reports the same required Node.js version as its program', async () => {
    const { stdout } = await callCli(['help', 'service']);
    const program = await readFile(join(import.meta.dirname, '..', '..', 'src', 'service', 'sqlite.ts'), 'utf8');
    const [, version = ''] = /needs Node\.js (\d+\.\d+)/.exec(program) ?? [];
    assert.match(stdout.replaceAll(/\s+/g, ' '), new RegExp(`needs Node\\.js ${version} or later`));
  });
});
