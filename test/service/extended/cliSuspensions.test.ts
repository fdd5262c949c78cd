import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliProcess } from '../../support/cliProcess.ts';
import { eventually } from '../../support/eventually.ts';
import { json } from '../../support/faultBehaviors.ts';
import { FaultServer } from '../../support/faultServer.ts';

const ids = ['175655af-4f89-41d3-9a0c-0305e82c3301', '275655af-4f89-41d3-9a0c-0305e82c3301'] as const;
const [id, other] = ids;

describe('A suspended transfer on the command line', () => {
  let server: FaultServer;
  let ledger: string;
  let running: CliProcess | undefined;

  beforeEach(async () => {
    ledger = await mkdtemp(join(tmpdir(), 'cli-suspensions-'));
    server = await FaultServer.start();
    const databases = ['Alpha', 'Beta'].map((name) => ({ id: name, name, organization: '', url: '' }));
    server.on('GET /', json({ name: 'Test', version: '1' })).on('GET /api/v1/databases', json(databases));
    server.on('GET /api/v1/files/by-id', json({ resources: [{ id: 'f1', name: 'f1', path: 'f1', format: 'csv' }] }));
    server.on('POST /api/v1/transfers', json({ id }, 201));
  });
  afterEach(async () => {
    running?.child.kill();
    await running?.ended;
    await server.stop();
    await rm(ledger, { recursive: true, force: true });
  });

  function start(...args: readonly string[]): CliProcess {
    const connection = ['--server', server.address, '--orcid', '0000-0002-1825-0097', '--key-variable', 'K'];
    const environment = { K: 'key', DATA_TRANSFER_LEDGER: ledger };
    running = new CliProcess([...args, ...connection], { environment });
    return running;
  }

  function setStatus(status: string, message: string, transferId: string = id): void {
    const document = { id: transferId, status, message, num_files: 1, num_files_transferred: 0 };
    server.on(`GET /api/v1/transfers/${transferId}`, json(document));
  }

  /** Returns the lines on standard error that show a state in parentheses. */
  function listShown(stderr: string): readonly string[] {
    return stderr.split('\n').filter((line) => /^\S{8}: /.test(line));
  }

  it('is shown once for each reason, and named after the time limit', async () => {
    setStatus('inactive', `Transfer ${id}: waiting: the destination folder is unavailable`);
    const process = start('transfer', 'Alpha', 'Beta', 'f1', '--wait', '--timeout', '10');
    await process.prints(/folder is unavailable\)\n/);
    setStatus('inactive', `waiting:\u001B[31m${'x'.repeat(500)}`);
    await process.prints(/xxx…\)\n/);
    const polled = server.requestsTo(`GET /api/v1/transfers/${id}`).length;
    const { code, stdout, stderr } = await process.ended;
    assert.ok(server.requestsTo(`GET /api/v1/transfers/${id}`).length > polled);
    const long = `175655af: inactive, 0/1 files (waiting: [31m${'x'.repeat(186)}…)`;
    assert.deepEqual(listShown(stderr), [
      '175655af: inactive, 0/1 files (waiting: the destination folder is unavailable)',
      long,
    ]);
    assert.match(
      stderr,
      /\nNot finished after 10 s\. 175655af: inactive, 0\/1 files \(waiting: .*…\)\. The transfer cont/,
    );
    assert.deepEqual([code, stdout], [1, `${id}\n`]);
  });

  it('is shown with the message of the service also while it runs', async () => {
    setStatus('active', `Transfer ${id}: transferring 1 file; 2 of 8 tasks on dtn1`);
    const process = start('wait', id);
    await process.prints(/^175655af: active, 0\/1 files \(transferring 1 file; 2 of 8 tasks on dtn1\)\n/m);
    setStatus('succeeded', '');
    assert.equal((await process.ended).code, 1);
  });

  it('is shown although another one is waited for too, and again after it was active', async () => {
    setStatus('active', '');
    setStatus('inactive', 'waiting: the destination is full', other);
    const process = start('wait', id, other);
    const full = '275655af: inactive, 0/1 files (waiting: the destination is full)';
    await process.prints(/is full\)\n/);
    setStatus('succeeded', '');
    setStatus('active', '', other);
    const polled = server.requestsTo(`GET /api/v1/transfers/${other}`).length;
    await eventually(() =>
      Promise.resolve(server.requestsTo(`GET /api/v1/transfers/${other}`).length > polled + 1 || undefined),
    );
    setStatus('inactive', 'waiting: the destination is full', other);
    await process.prints(/is full\)\n(.*\n)*.*is full\)\n/);
    setStatus('succeeded', '', other);
    const { code, stderr } = await process.ended;
    assert.deepEqual([code, listShown(stderr)], [1, [full, full]]);
  });
});
