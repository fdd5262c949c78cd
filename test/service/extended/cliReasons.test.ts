import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliProcess, type CliResult } from '../../support/cliProcess.ts';
import { empty, json, problem } from '../../support/faultBehaviors.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { createRecord } from '../../unit/core/recordSpecimens.ts';

const id = '175655af-4f89-41d3-9a0c-0305e82c3301';

const otherId = '275655af-4f89-41d3-9a0c-0305e82c3302';

describe('Why a transfer on the command line has not succeeded', () => {
  let server: FaultServer;
  let ledger: string;
  let running: CliProcess | undefined;

  beforeEach(async () => {
    ledger = await mkdtemp(join(tmpdir(), 'cli-reasons-'));
    server = await FaultServer.start();
    const databases = ['Alpha', 'Beta'].map((name) => ({ id: name, name, organization: '', url: '' }));
    server.on('GET /', json({ name: 'Test', version: '1' })).on('GET /api/v1/databases', json(databases));
    server.on('GET /api/v1/files/by-id', json({ resources: [{ id: 'f1', name: 'f1', path: 'f1', format: 'csv' }] }));
    server.on('POST /api/v1/transfers', json({ id }, 201));
    server.on(`DELETE /api/v1/transfers/${id}`, empty(202));
  });
  afterEach(async () => {
    running?.child.kill();
    await running?.ended;
    await server.stop();
    await rm(ledger, { recursive: true, force: true });
  });

  async function run(...args: readonly string[]): Promise<CliResult> {
    const connection = ['--server', server.address, '--orcid', '0000-0002-1825-0097', '--key-variable', 'K'];
    const environment = { K: 'key', DATA_TRANSFER_LEDGER: ledger };
    running = new CliProcess([...args, ...connection], { environment });
    return await running.ended;
  }

  function setStatus(status: string, message: string): void {
    const document = { id, status, message, num_files: 1, num_files_transferred: 0 };
    server.on(`GET /api/v1/transfers/${id}`, json(document));
  }

  it('is printed with the next step by transfer --wait, wait and status', async () => {
    setStatus('failed', `Transfer ${id}: f1:\nthe disk\u001B[31m is full\u202E.`);
    const line = `Transfer ${id}: failed, 0/1 files: f1: the disk [31m is full. Fix the cause, then start the transfer again.\n`;
    const started = await run('transfer', 'Alpha', 'Beta', 'f1', '--wait');
    const waited = await run('wait', id);
    const shown = await run('status', id, '--offline');
    assert.deepEqual(
      [started, waited, shown].map(({ code, stderr }) => [code, stderr.endsWith(line)]),
      [
        [1, true],
        [1, true],
        [0, true],
      ],
      `${started.stderr}${waited.stderr}${shown.stderr}`,
    );
    assert.equal((await run('status', id, '--offline', '--json')).stderr, '');
  });

  it('is printed with the next step for transferred files that are missing, and for recorded ends', async () => {
    setStatus('succeeded', '');
    const missed = "incomplete, 0/1 files: 1 file wasn't transferred, although the service reported success. ";
    const partial = `Transfer ${id}: ${missed}The service may not recognize this file. Check its ID at the source.\n`;
    const started = await run('transfer', 'Alpha', 'Beta', 'f1', '--wait');
    assert.deepEqual([started.code, started.stderr.endsWith(partial)], [1, true], started.stderr);
    for (const [folder, change, text] of [
      [
        'ended',
        { state: 'expired' },
        'expired, 1 file: the service no longer has a record of it. Check the destination before you start the transfer again.',
      ],
      [
        'running',
        { state: 'active', problem: { kind: 'serviceStopped' } },
        'paused, 1 file: the local service is stopped. It resumes when you start the service.',
      ],
    ] as const) {
      const transfer = createRecord(1, { ...change, id: otherId });
      const file = join(ledger, folder, `${transfer.key}.json`);
      await mkdir(join(ledger, folder), { recursive: true });
      await writeFile(file, JSON.stringify({ version: 1, transfer }));
      const { code, stderr } = await run('status', otherId, '--offline');
      assert.deepEqual([code, stderr], [0, `Transfer ${otherId}: ${text}\n`]);
      await rm(file);
    }
  });

  it('is the reason of a refusal and of a submission that was not confirmed', async () => {
    server.on('POST /api/v1/transfers', problem(403, 'not you'), json({ id: 'nonsense' }, 201));
    await run('transfer', 'Alpha', 'Beta', 'f1');
    await run('transfer', 'Alpha', 'Beta', 'f1');
    const keys = JSON.parse((await run('history', '--json')).stdout) as { transfers: { key: string }[] };
    const { stderr } = await run('status', '--offline', ...keys.transfers.map(({ key }) => key));
    assert.match(stderr, /: access denied: not you\. Fix the cause, then start the transfer again\.\n/);
    assert.match(stderr, /: it's unclear whether the service started it: .+\. It won't be sent again\. Check /);
  });

  it('ends the wait with its own exit code if the service ignores a cancellation', async () => {
    setStatus('staging', '');
    await run('transfer', 'Alpha', 'Beta', 'f1');
    const { code, stdout, stderr } = await run('cancel', id, '--wait', '--timeout', '60', '--json');
    const { transfer } = JSON.parse(stdout || '{}') as { transfer?: Record<string, unknown> };
    assert.deepEqual([code, transfer?.['cancelIgnored'], transfer?.['state']], [6, true, 'staging'], stderr);
    assert.match(String(transfer?.['cancelAcceptedAt']), /^\d{4}-/);
    const polled = server.requestsTo(`GET /api/v1/transfers/${id}`).length;
    const waited = await run('wait', id);
    assert.equal(waited.code, 6);
    assert.match(waited.stderr, /: cancellation accepted, but the server still reports staging\. /);
    assert.ok(server.requestsTo(`GET /api/v1/transfers/${id}`).length > polled);
    setStatus('succeeded', '');
    assert.equal((await run('wait', id)).code, 1);
  });

  it('is a cancellation that the service has not confirmed within the time limit', async () => {
    setStatus('staging', '');
    await run('transfer', 'Alpha', 'Beta', 'f1');
    const { code, stderr } = await run('cancel', id, '--wait', '--timeout', '1');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /Not finished after 1 s\. The cancellation was accepted, but the service hasn't confirmed it\. /,
    );
    assert.doesNotMatch(stderr, /continues on the service/);
  });
});
