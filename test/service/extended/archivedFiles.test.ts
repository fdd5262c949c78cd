import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import type { RcloneDaemon } from '../../../src/service/stores/rcloneDaemon.ts';
import { StoreRestore } from '../../../src/service/stores/storeRestore.ts';
import { ArchivedFiles } from '../../../src/service/transfers/archivedFiles.ts';
import type { TransferRecordFile } from '../../../src/service/transfers/journal.ts';
import { TransferFailure, TransferSuspension } from '../../../src/service/transfers/transferErrors.ts';
import { ArchiveBucket } from '../../support/archiveBucket.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { listRclones } from '../../support/processTree.ts';
import { mustFindRclone } from '../../support/storeServers.ts';

const paths = ['a.bam', 'a [1]*{b}?.bam', 'runs/ü "b" & c.bam', 'runs/a.bam'];
const others = ['b.bam', 'a 1.bam', 'A.bam', 'runs/b.bam'];
const hourMs = 3_600_000;

describe('The restore of the archived files of a transfer (D67)', () => {
  let root: string;
  let bucket: ArchiveBucket;
  let clock: ManualClock;
  let archivedFiles: ArchivedFiles;
  const config = process.env['RCLONE_CONFIG'];

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-restore-'));
    const classes = Object.fromEntries([...paths, ...others].map((key) => [key, 'GLACIER']));
    bucket = await ArchiveBucket.startWithClasses({ ...classes, 'ready.bam': 'STANDARD' });
    process.env['RCLONE_CONFIG'] = nodePath.join(root, 'rclone.conf');
    const local = ['[here]', 'type = alias', `remote = ${root}`, ''].join('\n');
    await fs.writeFile(nodePath.join(root, 'rclone.conf'), bucket.section + local);
    clock = new ManualClock();
    archivedFiles = createArchivedFiles(bucket.remote);
  });
  afterEach(async () => {
    bucket.stop();
    if (config === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = config;
    await fs.rm(root, { recursive: true });
  });

  function createArchivedFiles(remote: string): ArchivedFiles {
    const address = { port: 0, authorization: '', stagingFolder: root, program: mustFindRclone() };
    const use = async (work: Parameters<RcloneDaemon['use']>[0]): Promise<unknown> => await work(address);
    const daemon = { use } as unknown as RcloneDaemon;
    return new ArchivedFiles({ remote, daemon, clock, restore: { days: 7, priority: 'Bulk' } });
  }

  function toFiles(names: readonly string[], storageClass = 'GLACIER'): readonly TransferRecordFile[] {
    return names.map((path, position) => {
      return { position, path, bytes: 1, resource: { id: path, storageClass }, isTransferred: false };
    });
  }

  async function check(files: readonly TransferRecordFile[]): Promise<unknown> {
    const checked = archivedFiles.requireReadable(files, new AbortController().signal);
    return await checked.then(
      () => 'readable',
      (error: unknown) => error,
    );
  }

  async function suspend(files: readonly TransferRecordFile[]): Promise<TransferSuspension> {
    const error = await check(files);
    assert.ok(error instanceof TransferSuspension, String(error));
    return error;
  }

  it('is requested for each of them once, and for no other object', async () => {
    bucket.isSlow = true;
    const { message } = await suspend(toFiles(paths));
    assert.equal(message, 'waiting: the store is restoring 4 archived files, requested 2026-01-01 00:00 UTC');
    await suspend(toFiles(paths));
    assert.deepEqual(bucket.restoreRequests.sort(), paths.map((path) => `${path} 7 Bulk`).sort());
    bucket.finishRestores();
    assert.equal(await check(toFiles(paths)), 'readable');
    assert.deepEqual([bucket.restoreRequests.length, await fs.readdir(root)], [4, ['rclone.conf']]);
  });

  it('is not requested for files that can be read, or are at the destination already', async () => {
    const [first, second, ...rest] = toFiles(['a.bam', 'b.bam', 'ready.bam']);
    assert.ok(first && second);
    bucket.restored.push('a.bam');
    assert.equal(await check([first, { ...second, isTransferred: true }, ...rest]), 'readable');
    assert.equal(await check(toFiles(paths, 'STANDARD')), 'readable');
    assert.deepEqual([bucket.restoreRequests, bucket.refusedReads], [[], 0]);
  });

  it('is not requested for files that no longer exist or that the server denies access to', async () => {
    bucket.denied.add('b.bam');
    const error = await check(toFiles(['a.bam', 'b.bam', 'ready.bam']));
    assert.ok(error instanceof TransferFailure);
    assert.equal(error.message, 'could not restore the archived files: its server denies access');
    assert.equal(await check(toFiles(['gone.bam'])), 'readable');
    assert.deepEqual(bucket.restoreRequests, []);
  });

  it('is not requested for a name with a line break, which rclone would take for two names', async () => {
    assert.equal(await check(toFiles(['x\na.bam', 'a.bam\r'])), 'readable');
    assert.deepEqual(bucket.restoreRequests, []);
  });

  it('is requested in several commands if the files do not fit into one, even with long names', async () => {
    const many = Array.from({ length: 70 }, (_, index) => `${'long'.repeat(100)}/${index}.bam`);
    bucket.stop();
    bucket = await ArchiveBucket.startWithClasses(Object.fromEntries(many.map((key) => [key, 'DEEP_ARCHIVE'])));
    await fs.writeFile(nodePath.join(root, 'rclone.conf'), bucket.section);
    await suspend(toFiles(many, 'DEEP_ARCHIVE'));
    assert.deepEqual(bucket.restoreRequests.sort(), many.map((path) => `${path} 7 Bulk`).sort());
    assert.equal(await check(toFiles(many, 'DEEP_ARCHIVE')), 'readable');
  });

  it('is awaited at growing intervals of up to ten minutes', async () => {
    bucket.isSlow = true;
    const seconds: number[] = [];
    for (let count = 0; count < 7; count += 1) seconds.push(((await suspend(toFiles(['a.bam']))).retryMs ?? 0) / 1_000);
    assert.deepEqual(seconds, [30, 60, 120, 240, 480, 600, 600]);
  });

  it('is awaited if it was already requested, for example by a service that has stopped since', async () => {
    bucket.isSlow = true;
    await suspend(toFiles(['a.bam']));
    archivedFiles = createArchivedFiles(bucket.remote);
    assert.match((await suspend(toFiles(['a.bam']))).message, /is restoring 1 archived file,/);
    bucket.finishRestores();
    assert.equal(await check(toFiles(['a.bam'])), 'readable');
  });

  it('is requested again if the file still cannot be read after three days', async () => {
    await suspend(toFiles(['a.bam']));
    bucket.expireRestores();
    await clock.pass(71 * hourMs);
    await suspend(toFiles(['a.bam']));
    assert.equal(bucket.restoreRequests.length, 1);
    await clock.pass(hourMs);
    const { message } = await suspend(toFiles(['a.bam']));
    assert.match(message, /requested 2026-01-04 00:00 UTC$/);
    assert.equal(await check(toFiles(['a.bam'])), 'readable');
  });

  it('is requested again for a file that expired while others were being restored', async () => {
    bucket.isSlow = true;
    await suspend(toFiles(['a.bam', 'b.bam']));
    bucket.restored.push('a.bam');
    assert.match((await suspend(toFiles(['a.bam', 'b.bam']))).message, /is restoring 1 archived file/);
    bucket.expireRestores();
    await clock.pass(3.5 * 24 * hourMs);
    assert.match((await suspend(toFiles(['a.bam', 'b.bam']))).message, /is restoring 2 archived file/);
    assert.equal(bucket.restoreRequests.filter((request) => request.startsWith('a.bam')).length, 2);
  });

  it('fails with the reason and the error code of a store that rejects it', async () => {
    const refusals = [
      ['AccessDenied', 403, 'its server denies access (AccessDenied)'],
      ['MethodNotAllowed', 405, 'the store refused the request (MethodNotAllowed)'],
    ] as const;
    for (const [code, status, reason] of refusals) {
      bucket.restoreRefusal = { status, code };
      const error = await check(toFiles(['a.bam']));
      assert.ok(error instanceof TransferFailure);
      assert.equal(error.message, `could not restore a.bam: ${reason}`);
    }
  });

  it('is requested again later if the server of the store fails', async () => {
    bucket.restoreRefusal = { status: 503, code: 'GlacierExpeditedRetrievalNotAvailable' };
    const { message, retryMs } = await suspend(toFiles(['a.bam']));
    const reason = 'the store refused the request (GlacierExpeditedRetrievalNotAvailable)';
    assert.deepEqual([message, retryMs], [`waiting to try again: could not restore a.bam: ${reason}`, 30_000]);
    bucket.restoreRefusal = undefined;
    await suspend(toFiles(['a.bam']));
    assert.equal(await check(toFiles(['a.bam'])), 'readable');
  });

  it('waits while the store cannot be reached', async () => {
    bucket.stop();
    const { message } = await suspend(toFiles(['a.bam']));
    assert.equal(message, "waiting: the source can't be used: its server refuses connections");
  });

  it('fails for kinds of stores that have no archive', async () => {
    const { signal } = new AbortController();
    const list = nodePath.join(root, 'list');
    await fs.writeFile(list, 'a.bam\n');
    const store = { program: mustFindRclone(), remote: 'here:', createList: () => ({ file: list, count: 1 }) };
    await assert.rejects(new StoreRestore(store, signal).request(['a.bam'], { days: 1 }), {
      kind: 'refused',
      message: 'rclone has no command to restore objects in this kind of store',
    });
  });

  it('stops, with its rclone process, when the transfer is stopped', async () => {
    bucket.isSilent = true;
    const abort = new AbortController();
    const checked = archivedFiles.requireReadable(toFiles(['a.bam']), abort.signal);
    const rejected = assert.rejects(checked, { message: 'stopped' });
    await eventually(async () => await Promise.resolve(bucket.restoreRequests.length > 0 ? true : undefined));
    abort.abort(new Error('stopped'));
    await rejected;
    assert.deepEqual(listRclones(process.pid), []);
  });
});
