import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { startLocalService, type StartedService } from '../../support/localService.ts';
import { TransferClient } from '../../support/transferClient.ts';

const big = ['big-0.bin', 'big-1.bin', 'big-2.bin'];
const reason = 'it is not a regular file';
const hangingDisk = nodePath.join(import.meta.dirname, '../../support/hangingDisk.cjs');
const maxStopMs = 6_000;
const maxCancelMs = 2_000;

describe('A pipe in place of a file (D42)', () => {
  let root: string;
  let service: StartedService | undefined;

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-pipes-'));
    for (const folder of ['source', 'target']) await fs.mkdir(nodePath.join(root, folder));
    for (const name of [...big, 'stuck.bin']) await fs.writeFile(inSource(name), name.repeat(20_000));
    await fs.writeFile(inSource('other.txt'), 'other');
  });

  afterEach(async () => {
    await service?.kill();
    await fs.rm(root, { recursive: true });
  });

  function inSource(name: string): string {
    return nodePath.join(root, 'source', name);
  }

  async function start(
    more: { readonly throttleBytesPerSecond?: number } = {},
    environment: Readonly<Record<string, string>> = {},
  ): Promise<TransferClient> {
    const databases = ['Source', 'Target'].map((name) => ({ name, folder: nodePath.join(root, name.toLowerCase()) }));
    service = await startLocalService({ databases, dataFolder: nodePath.join(root, 'data'), ...more }, { environment });
    return new TransferClient(service);
  }

  async function replaceByPipe(name: string): Promise<void> {
    await fs.rm(inSource(name));
    execFileSync('mkfifo', [inSource(name)]);
  }

  async function submitAll(client: TransferClient): Promise<Map<string, string>> {
    const ids = new Map<string, string>();
    for (const name of big) ids.set(name, await client.submit([name]));
    return ids;
  }

  async function assertFailed(client: TransferClient, ids: ReadonlyMap<string, string>): Promise<void> {
    for (const [name, id] of ids) {
      const { message } = await client.waitForStatus(id, 'failed');
      assert.equal(message, `Transfer ${id}: failed (could not read ${name}: ${reason})`);
    }
  }

  it('fails only its own transfer when it appears after staging', async () => {
    const client = await start();
    await fs.rmdir(nodePath.join(root, 'target'));
    const ids = await submitAll(client);
    for (const id of ids.values()) await client.waitForStatus(id, 'inactive');
    for (const name of big) await replaceByPipe(name);
    await fs.mkdir(nodePath.join(root, 'target'));
    const other = await client.submit(['other.txt']);
    assert.equal((await client.waitForStatus(other, 'succeeded', 'failed')).status, 'succeeded');
    await assertFailed(client, ids);
  });

  it('fails only its own transfer when it is found after a restart', async () => {
    const slow = await start({ throttleBytesPerSecond: 10_000 });
    const ids = await submitAll(slow);
    for (const id of ids.values()) await slow.waitForStatus(id, 'active');
    await service?.kill();
    for (const name of big) await replaceByPipe(name);
    const client = await start();
    const other = await client.submit(['other.txt']);
    assert.equal((await client.waitForStatus(other, 'succeeded', 'failed')).status, 'succeeded');
    await assertFailed(client, ids);
  });
});

describe('A thread that hangs in a system call (D42)', () => {
  let root: string;
  let service: StartedService | undefined;

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-hanging-'));
    for (const folder of ['source', 'target']) await fs.mkdir(nodePath.join(root, folder));
    for (const name of ['stuck.bin', 'other.txt']) await fs.writeFile(nodePath.join(root, 'source', name), name);
    execFileSync('mkfifo', [nodePath.join(root, 'pipe')]);
  });

  afterEach(async () => {
    await service?.kill();
    await fs.rm(root, { recursive: true });
  });

  async function start(environment: Readonly<Record<string, string>> = {}): Promise<TransferClient> {
    const databases = ['Source', 'Target'].map((name) => ({ name, folder: nodePath.join(root, name.toLowerCase()) }));
    service = await startLocalService({ databases, dataFolder: nodePath.join(root, 'data') }, { environment });
    return new TransferClient(service);
  }

  /** Starts a service in which any thread that opens `stuck.bin` or its copy hangs. */
  async function startHanging(environment: Readonly<Record<string, string>> = {}): Promise<TransferClient> {
    const hanging = { NODE_OPTIONS: `--require ${hangingDisk}`, HANGING_PIPE: nodePath.join(root, 'pipe') };
    return await start({ ...hanging, ...environment });
  }

  it('prevents neither the process from ending within six seconds nor the transfer from resuming', async () => {
    const client = await startHanging();
    const stuck = await client.submit(['stuck.bin']);
    const ended = await client.submit(['other.txt']);
    await client.waitForStatus(ended, 'succeeded');
    await eventually(async () => await fs.readFile(nodePath.join(root, 'pipe.waiting')).catch(() => undefined));
    assert.equal((await client.status(stuck)).status, 'staging');
    const startedAt = performance.now();
    await service?.stop();
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs < maxStopMs, `it took ${Math.round(tookMs)} ms`);

    const again = await start();
    assert.equal((await again.waitForStatus(stuck, 'succeeded', 'failed')).status, 'succeeded');
    assert.equal((await again.status(ended)).status, 'succeeded');
  });

  /** Submits a transfer and waits until it makes one more thread hang. */
  async function submitStuck(client: TransferClient): Promise<string> {
    const countWaiting = async (): Promise<number> =>
      (await fs.readFile(nodePath.join(root, 'pipe.waiting'), 'utf8').catch(() => '')).split('\n').length;
    const before = await countWaiting();
    const id = await client.submit(['stuck.bin']);
    await eventually(async () => ((await countWaiting()) > before ? true : undefined));
    return id;
  }

  async function assertCancels(client: TransferClient, id: string): Promise<void> {
    const startedAt = performance.now();
    await client.cancel(id);
    const { message } = await client.waitForStatus(id, 'failed', 'succeeded');
    const tookMs = performance.now() - startedAt;
    assert.equal(message, `Transfer ${id}: canceled`);
    assert.ok(tookMs < maxCancelMs, `it took ${Math.round(tookMs)} ms`);
  }

  it('delays neither a cancel by more than two seconds nor other transfers, however often it happens', async () => {
    const client = await startHanging();
    for (let count = 0; count < 7; count += 1) await assertCancels(client, await submitStuck(client));
    await client.waitForStatus(await client.submit(['other.txt']), 'succeeded');
    await service?.stop();
  });

  it('leaves nothing at the destination when it returns after the cancel', async () => {
    const client = await startHanging({ HANGING_COPY: 'true' });
    const id = await submitStuck(client);
    await assertCancels(client, id);
    const canceled = await client.status(id);
    await (await fs.open(nodePath.join(root, 'pipe'), 'w')).close();
    await client.waitForStatus(await client.submit(['other.txt']), 'succeeded');
    await eventually(async () => ((await fs.readdir(nodePath.join(root, 'target'))).length === 1 ? true : undefined));
    assert.deepEqual(await client.status(id), canceled);
  });
});

describe('A main thread that hangs in a system call while the service stops (D42)', () => {
  let dataFolder: string;
  let service: StartedService | undefined;

  beforeEach(async () => {
    dataFolder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-hanging-stop-'));
  });

  afterEach(async () => {
    await service?.kill();
    await fs.rm(dataFolder, { recursive: true });
  });

  async function assertStops(stopping: StartedService): Promise<void> {
    const startedAt = performance.now();
    assert.equal(await stopping.stop(), null, 'it is killed');
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs < maxStopMs, `it took ${Math.round(tookMs)} ms`);
    service = await startLocalService({ databases: [], dataFolder });
  }

  it('does not prevent the process from ending within six seconds when it removes service.json', async () => {
    service = await startLocalService({ databases: [], dataFolder, shared: true });
    const file = nodePath.join(dataFolder, 'service.json');
    await eventually(async () => await fs.readFile(file).catch(() => undefined));
    await fs.rm(file);
    execFileSync('mkfifo', [file]);
    await assertStops(service);
  });

  it('does not prevent the process from ending within six seconds when it closes the journal', async () => {
    const pipe = nodePath.join(dataFolder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const environment = { NODE_OPTIONS: `--require ${hangingDisk}`, HANGING_PIPE: pipe, HANGING_JOURNAL: 'true' };
    service = await startLocalService({ databases: [], dataFolder }, { environment });
    await assertStops(service);
  });
});
