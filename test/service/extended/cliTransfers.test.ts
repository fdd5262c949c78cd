import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TransferFile } from '../../../src/core/model/transferModel.ts';
import { runCli } from '../../support/cliProcess.ts';
import { createXlsx } from '../../support/xlsxFile.ts';
import { CliRig } from '../cliRig.ts';

interface PrintedTransfer {
  readonly key: string;
  readonly id?: string;
  readonly state: string;
  readonly outcome?: string;
  readonly transferredFiles?: number;
}

describe('Transfers on the command line', () => {
  let rig: CliRig;
  before(async () => {
    rig = await CliRig.start({ 'a.csv': 'a', 'b/c.txt': 'hello', 'd.csv': 'dd', 'slow.bin': 'x'.repeat(300_000) });
    await rig.service.write({ 'my file.csv': 'm', 'a.csv d.csv': 'ad', ' a.csv': 'blank' });
    await rig.service.reachesFiles('csv', 5);
  });
  after(() => rig.stop());

  async function list(code: number, ...args: readonly string[]): Promise<readonly PrintedTransfer[]> {
    return (await rig.runJson(code, ...args))['transfers'] as readonly PrintedTransfer[];
  }

  it('starts a transfer and waits for its end', async () => {
    const { code, stdout, stderr } = await rig.run('transfer', 'Source Data', 'Target', 'a.csv', 'b/c.txt', '--wait');
    assert.equal(code, 0);
    const id = stdout.trim();
    assert.match(stderr, new RegExp(`^Started transfer ${id}: 2 files from Source Data to Target\\.\n`));
    assert.match(stderr, new RegExp(`Transfer ${id}: succeeded, 2/2 files\\.\n$`));
    assert.equal((await rig.service.status(id)).status, 'succeeded');
  });

  it('gives the new folder a chosen name, in which it verifies the files (D24)', async () => {
    const args = ['transfer', 'Source Data', 'Target', 'a.csv', '--wait', '--folder-name'] as const;
    const { code, stdout, stderr } = await rig.run(...args, 'run 42');
    assert.equal(code, 0);
    assert.match(stderr, /^Started transfer \S+: 1 file from Source Data to Target, folder run 42\.\n/);
    assert.match((await rig.run('verify', stdout.trim())).stdout, /^1 of 1 file intact\n$/);
    assert.match((await rig.run('verify', join(rig.service.target, 'run 42'))).stdout, /^1 of 1 file intact\n$/);
    const { transfers } = await rig.runJson(0, 'status', stdout.trim());
    assert.equal((transfers as readonly { readonly folder?: string }[])[0]?.folder, 'run 42');
    const again = await rig.run(...args, 'run 42', '--again');
    assert.equal(again.code, 1);
    assert.match(again.stderr, /The folder "run 42" already exists at the destination\. Choose another name/);
  });

  it('refuses a name that is not plain, or given twice (D24)', async () => {
    const args = ['transfer', 'Source Data', 'Target', 'a.csv', '--folder-name'] as const;
    const { code, stderr } = await rig.run(...args, '../x');
    assert.deepEqual([code, /^--folder-name must be one plain name/m.test(stderr)], [2, true]);
    const file = join(rig.ledger, 'instructions.json');
    await writeFile(file, '{"folder": "run-42"}');
    assert.equal((await rig.run(...args, 'run-42', '--instructions', file)).code, 2);
  });

  it('records the licenses that the metadata states', async () => {
    const licensed = { name: 'l', path: 'l.csv', licenses: [{ name: 'CC-BY-4.0' }] };
    await rig.service.write({ 'p/l.csv': 'l', 'p/datapackage.json': JSON.stringify({ resources: [licensed] }) });
    await rig.service.reachesFiles('l.csv', 1);
    await rig.run('transfer', 'Source Data', 'Target', 'p/l.csv', 'a.csv', '--wait');
    const { transfers } = await rig.runJson(0, 'export');
    const [{ files } = { files: [] }] = transfers as readonly { readonly files: readonly TransferFile[] }[];
    assert.deepEqual(
      files.map(({ id, licenses }) => [id, licenses]),
      [
        ['p/l.csv', [{ name: 'CC-BY-4.0' }]],
        ['a.csv', []],
      ],
    );
  });

  it('prints only the ID without --wait, which status and wait accept', async () => {
    const started = await rig.run('transfer', 'Source Data', 'Target', 'a.csv', '--description', 'One *file*');
    const id = started.stdout.trim();
    const [status] = await list(0, 'status', id);
    assert.equal(status?.id, id);
    const [ended] = await list(0, 'wait', id.slice(0, 8));
    assert.deepEqual([ended?.id, ended?.outcome, ended?.transferredFiles], [id, 'complete', 1]);
    const [newest] = await list(0, 'history', '--limit', '1');
    assert.equal(newest?.id, id);
  });

  it('reads IDs from standard input or a file', async () => {
    const file = join(rig.ledger, 'ids.txt');
    await writeFile(file, 'd.csv\na.csv\n');
    const { transfer } = await rig.runJson(0, 'transfer', 'Source Data', 'Target', '--ids-file', file, '--wait');
    assert.equal((transfer as PrintedTransfer).transferredFiles, 2);
  });

  it('reads IDs in UTF-16, as PowerShell 5 writes them, but not a workbook', async () => {
    const file = join(rig.ledger, 'ids16.txt');
    await writeFile(file, Buffer.from('\uFEFFd.csv\r\na.csv\r\n', 'utf16le'));
    const { transfer } = await rig.runJson(0, 'transfer', 'Source Data', 'Target', '--ids-file', file, '--wait');
    assert.equal((transfer as PrintedTransfer).transferredFiles, 2);
    const workbook = join(rig.ledger, 'ids.xlsx');
    await writeFile(workbook, createXlsx({ Sheet: [['a.csv']] }));
    const { code, stderr } = await rig.run('transfer', 'Source Data', 'Target', '--ids-file', workbook);
    assert.deepEqual([code, stderr], [2, `${workbook} is a workbook. Save its IDs as text, one per line.\n`]);
  });

  it('reads one ID per line, which may contain spaces, also at its start', async () => {
    const file = join(rig.ledger, 'names.txt');
    await writeFile(file, '\uFEFFmy file.csv\r\n\r\na.csv d.csv\r\n a.csv\r\nmy file.csv\r\n');
    const { code, stdout } = await rig.run('transfer', 'Source Data', 'Target', '--ids-file', file, '--wait');
    assert.equal(code, 0);
    const { files } = await rig.runJson(0, 'export', stdout.trim());
    const ids = (files as readonly { readonly id: string }[]).map(({ id }) => id);
    assert.deepEqual(ids.toSorted(), [' a.csv', 'a.csv d.csv', 'my file.csv']);
  });

  it('sends nothing if an ID is unknown, and exits with 4', async () => {
    const { code, stderr } = await rig.run('transfer', 'Source Data', 'Target', 'a.csv', 'nope');
    assert.deepEqual([code, stderr], [4, "Source Data doesn't have 1 requested file: nope.\n"]);
    assert.deepEqual(await list(0, 'status'), []);
  });

  it('sends nothing without files, to the source database, or with instructions that are not an object', async () => {
    const file = join(rig.ledger, 'instructions.json');
    await writeFile(file, '[1]');
    assert.equal((await rig.run('transfer', 'Source Data', 'Target')).code, 2);
    assert.equal((await rig.run('transfer', 'Source Data', 'source-data', 'a.csv')).code, 2);
    assert.equal((await rig.run('transfer', 'Source Data', 'Target', 'a.csv', '--instructions', file)).code, 2);
  });

  it('exits with 4 for a transfer that is in neither the records nor the service', async () => {
    const unknown = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    assert.equal((await rig.run('status', unknown)).stderr, `There is no transfer ${unknown}.\n`);
    const nonsense = await rig.run('wait', 'nonsense');
    const advice = 'List them with: data-transfer history';
    assert.deepEqual([nonsense.code, nonsense.stderr], [4, `There is no transfer nonsense. ${advice}\n`]);
    const environment = { DATA_TRANSFER_LEDGER: rig.ledger };
    assert.match((await runCli(['status', unknown], { environment })).stderr, /\. Use --server or .* to look it up/);
  });

  it('reports the minimum length of an ID prefix', async () => {
    const id = await rig.service.mustSubmit(['a.csv']);
    assert.equal((await rig.run('wait', id)).code, 0);
    const { code, stderr } = await rig.run('status', id.slice(0, 3));
    assert.deepEqual([code, stderr], [2, `"${id.slice(0, 3)}" is too short: give at least 4 characters of the ID.\n`]);
    assert.equal((await rig.run('status', '')).stderr, '"" is too short: give at least 4 characters of the ID.\n');
  });

  it('finds a transfer by a prefix of its key after the service has assigned an ID', async () => {
    const { transfer } = await rig.runJson(0, 'transfer', 'Source Data', 'Target', 'a.csv', '--wait');
    const { id, key } = transfer as PrintedTransfer;
    const [found] = await list(0, 'status', key.slice(0, 8));
    assert.equal(found?.id, id);
  });

  it('records a transfer that was started elsewhere, and waits for its end', async () => {
    const id = await rig.service.mustSubmit(['d.csv']);
    const [ended] = await list(0, 'wait', id);
    assert.deepEqual([ended?.id, ended?.outcome], [id, 'complete']);
    assert.ok((await list(0, 'history')).some((one) => one.id === id));
  });

  it('rejects a cancel of a transfer that has ended', async () => {
    const { transfer } = await rig.runJson(0, 'transfer', 'Source Data', 'Target', 'a.csv', '--wait');
    const { code, stderr } = await rig.run('cancel', (transfer as PrintedTransfer).id ?? '');
    assert.equal(code, 1);
    assert.match(stderr, /has already ended: succeeded\.\n$/);
  });
});

describe('A slow transfer on the command line', () => {
  let rig: CliRig;
  beforeEach(async () => {
    rig = await CliRig.start({ 'slow.bin': 'x'.repeat(400_000) }, { throttleBytesPerSecond: 20_000 });
  });
  afterEach(() => rig.stop());

  const start = ['transfer', 'Source Data', 'Target', 'slow.bin'];

  it('exits with 130 when it is interrupted, continues on the service, and prints how to monitor it', async () => {
    const process = rig.start(...start, '--wait');
    await process.prints(/^Started transfer/);
    process.child.kill('SIGINT');
    const { code, stdout, stderr } = await process.ended;
    assert.equal(code, 130);
    const id = /follow up with: data-transfer wait (\S+)\n$/.exec(stderr)?.[1] ?? '';
    assert.equal(stdout, `${id}\n`);
    assert.notEqual((await rig.service.status(id)).status, 'failed');
    const canceled = await rig.run('cancel', id, '--wait');
    assert.deepEqual([canceled.code, canceled.stdout], [0, `${id}: canceled\n`]);
  });

  it('is not started a second time while it runs, unless with --again', async () => {
    const id = (await rig.run(...start)).stdout.trim();
    const again = await rig.run(...start);
    assert.equal(again.code, 1);
    assert.match(
      again.stderr,
      new RegExp(`^Nothing was sent: 1 of these files may already be in a running transfer \\(${id}\\)\\.`),
    );
    const other = (await rig.run(...start, '--again')).stdout.trim();
    assert.match(other, /^[\da-f-]{36}$/);
    assert.notEqual(other, id);
  });

  it('exits with 1 after the time limit, and prints the ID or the transfer', async () => {
    const { code, stdout, stderr } = await rig.run(...start, '--wait', '--timeout', '1');
    assert.equal(code, 1);
    assert.match(stderr, /Not finished after 1 s\. The transfer continues on the service\./);
    assert.equal(stdout, `${/^Started transfer ([\da-f-]{36}):/.exec(stderr)?.[1] ?? 'unknown'}\n`);
    const again = await rig.run(...start, '--again', '--wait', '--timeout', '1', '--json');
    assert.notEqual(again.stdout, '');
    const { transfer } = JSON.parse(again.stdout) as { readonly transfer: PrintedTransfer };
    assert.match(again.stderr, new RegExp(`^Started transfer ${transfer.id}:`));
    assert.deepEqual([again.code, transfer.outcome], [1, undefined]);
  });

  it('has its ID printed by a recipe after the time limit', async () => {
    const recipe = join(rig.ledger, 'slow.transfer.json');
    const content = { from: { database: 'Source Data', ids: ['slow.bin'] }, to: { database: 'Target' } };
    await writeFile(recipe, JSON.stringify(content));
    const { code, stdout, stderr } = await rig.run('run', recipe, '--wait', '--timeout', '1');
    assert.deepEqual([code, stdout], [1, `${/^Started transfer (\S+):/.exec(stderr)?.[1] ?? 'unknown'}\n`]);
  });

  it('is listed if its service is unknown, but wait exits with 3', async () => {
    const id = (await rig.run(...start)).stdout.trim();
    const status = await runCli(['status', '--ledger', rig.ledger]);
    assert.equal(status.code, 0);
    assert.match(
      status.stderr,
      new RegExp(`^${id}: not checked, because its service isn't known; use .*\\.\nTransfer ${id}: .*\n$`),
    );
    assert.match(status.stdout, new RegExp(`\n${id} `));
    const waited = await runCli(['wait', id, '--ledger', rig.ledger]);
    assert.equal(waited.code, 3);
    assert.match(waited.stderr, /Use --connections, or --server with the address at which it was started\.\n$/);
  });
});
