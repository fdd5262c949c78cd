import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock, type Clock } from '../../../src/core/util/clock.ts';
import type { CatalogThread } from '../../../src/service/catalog/catalog.ts';
import type { DatabaseRegistry } from '../../../src/service/databases/databaseRegistry.ts';
import type { RcloneDaemon } from '../../../src/service/stores/rcloneDaemon.ts';
import { HttpProblem } from '../../../src/service/http/httpProblem.ts';
import { FollowUps } from '../../../src/service/transfers/followUps.ts';
import { TransferJournal, type TransferRecord } from '../../../src/service/transfers/journal.ts';
import { TransferSuspension } from '../../../src/service/transfers/transferErrors.ts';
import { TransferQueue } from '../../../src/service/transfers/transferQueue.ts';
import { UnservedTransfers } from '../../../src/service/transfers/unservedTransfers.ts';
import { eventually } from '../../support/eventually.ts';
import { Gate } from '../../support/gate.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { createQueueRig } from './queueRig.ts';

const record: TransferRecord = {
  id: '11111111-1111-4111-8111-111111111111',
  orcid: '0000-0002-1825-0097',
  sourceId: 'gone',
  destinationId: 'gone-too',
  fileCount: 1,
  sizeBytes: 1,
  createdAtMs: 1,
  status: 'active',
  message: 'Transfer 11111111-1111-4111-8111-111111111111: transferring 1 file (1 B)',
  movedCount: 0,
  isCancelRequested: false,
};

const file = { position: 0, path: 'a', resource: { id: 'a' }, bytes: 1, isTransferred: false };

interface Dependencies {
  readonly journal: TransferJournal;
  readonly databases: DatabaseRegistry;
  readonly clock: Clock;
  readonly logger: MemoryLog;
  readonly daemon: RcloneDaemon;
  readonly followUps: FollowUps;
}

describe('The transfer queue', () => {
  let folder: string;
  let journal: TransferJournal;
  let thread: CatalogThread | undefined;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-queue-'));
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
  });

  afterEach(async () => {
    journal.close();
    await thread?.end();
    await fs.rm(folder, { recursive: true });
  });

  async function createDependencies(clock: Clock, logger: MemoryLog): Promise<Dependencies> {
    const rig = await createQueueRig(folder, clock, logger);
    thread = rig.thread;
    const common = { journal, clock, logger, databases: rig.databases };
    const followUps = new FollowUps({ ...common, dataFolder: folder, isAllowed: true });
    return { ...common, daemon: rig.daemon, followUps };
  }

  async function serveFolders({ databases }: Dependencies, readOnly = false): Promise<void> {
    const [source, target] = ['source', 'target'].map((name) => nodePath.join(folder, name)) as [string, string];
    for (const path of [source, target]) await fs.mkdir(path);
    await fs.writeFile(nodePath.join(source, 'a'), 'a');
    await databases.serve([
      { name: 'source', folder: source },
      { name: 'target', folder: target, readOnly },
    ]);
  }

  async function newQueue(clock: Clock, logger = new MemoryLog(), retentionMs = 86_400_000): Promise<TransferQueue> {
    const dependencies = await createDependencies(clock, logger);
    return new TransferQueue({ ...dependencies, retentionMs, retryDelayMs: 20 });
  }

  async function restart(stored: TransferRecord): Promise<TransferRecord | undefined> {
    await journal.add(stored, [file]);
    const queue = await newQueue(systemClock);
    queue.start();
    await queue.close();
    return queue.get(stored.id);
  }

  it('suspends a transfer whose databases are not served, and retains its files (D25)', async () => {
    const result = await restart(record);
    assert.equal(result?.status, 'inactive');
    assert.equal(result.message, `Transfer ${record.id}: waiting: the database gone is not served`);
    assert.equal(journal.listFiles(record.id).length, 1);
  });

  it('does not read the files of such a transfer when other folders are served', async () => {
    await journal.add(record, [file]);
    journal.updateFiles(record, [{ ...file, isTransferred: true }]);
    const read: string[] = [];
    Object.assign(journal, { listFiles: (id: string) => (read.push(id), []) });
    const dependencies = await createDependencies(systemClock, new MemoryLog());
    const queue = new TransferQueue({ ...dependencies, retentionMs: 86_400_000, retryDelayMs: 20 });
    queue.start();
    await dependencies.databases.serve([{ name: 'folder', folder }]);
    const current = queue.get(record.id);
    await queue.close();
    await dependencies.databases.close();
    assert.deepEqual([read, current?.status, current?.movedCount], [[], 'inactive', 1]);
  });

  it('ends such a transfer when its cancel was accepted before the service stopped (§4.7)', async () => {
    const result = await restart({ ...record, isCancelRequested: true });
    assert.deepEqual([result?.status, result?.message], ['failed', `Transfer ${record.id}: canceled`]);
    assert.ok(result?.endedAtMs !== undefined);
  });

  it('retains such a transfer and logs an error when the journal cannot be written', async () => {
    await journal.add(record, []);
    const logger = new MemoryLog();
    const unserved = new UnservedTransfers(await createDependencies(systemClock, logger));
    journal.close();
    unserved.suspend(record);
    assert.match(logger.lines.join(), /The journal cannot be written/);
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
    assert.equal(journal.get(record.id)?.status, 'active');
  });

  it('stores a cancel before it acknowledges it (§4.7, D25)', async () => {
    const dependencies = await createDependencies(systemClock, new MemoryLog());
    await serveFolders(dependencies);
    const queue = new TransferQueue({ ...dependencies, retentionMs: 86_400_000, retryDelayMs: 20 });
    const { orcid } = record;
    const id = await queue.submit({ orcid, source: 'source', destination: 'target', file_ids: ['a'] });
    assert.equal(queue.cancel(id, orcid), 'accepted');
    assert.equal(journal.get(id)?.isCancelRequested, true);
    await queue.close();
    await dependencies.databases.close();
  });

  it('keeps a canceled transfer ended when the awaited operation completes later (§4.7, D42)', async () => {
    const clock = new ManualClock();
    const dependencies = await createDependencies(clock, new MemoryLog());
    await serveFolders(dependencies);
    const gate = new Gate();
    gate.hold();
    const catalog = dependencies.databases.findById('target')?.catalog;
    assert.ok(catalog);
    const resumed = new Promise<void>((resolve) => {
      Object.assign(catalog, { pauseTracking: () => gate.pass(), resumeTracking: resolve });
    });
    const queue = new TransferQueue({ ...dependencies, retentionMs: 86_400_000, retryDelayMs: 20 });
    const { orcid } = record;
    const id = await queue.submit({ orcid, source: 'source', destination: 'target', file_ids: ['a'] });
    await eventually(async () => await Promise.resolve(gate.waitingCount || undefined));
    queue.cancel(id, orcid);
    await clock.pass(500);
    assert.match(queue.get(id)?.message ?? '', /: canceled$/);
    gate.release();
    await resumed;
    assert.deepEqual([queue.get(id)?.status, journal.listUnfinished()], ['failed', []]);
    await queue.close();
    await dependencies.databases.close();
  });

  it('reports that it is active while it cancels a suspended transfer (D29)', async () => {
    const dependencies = await createDependencies(new ManualClock(), new MemoryLog());
    await serveFolders(dependencies);
    const pauseTracking = async (): Promise<never> => await Promise.reject(new TransferSuspension('waiting'));
    Object.assign(dependencies.databases.findById('target')?.catalog ?? {}, { pauseTracking });
    const queue = new TransferQueue({ ...dependencies, retentionMs: 86_400_000, retryDelayMs: 20 });
    const { orcid } = record;
    const id = await queue.submit({ orcid, source: 'source', destination: 'target', file_ids: ['a'] });
    await eventually(async () => await Promise.resolve(queue.activeCount === 0 || undefined));
    const counts: number[] = [];
    queue.onDidChangeActivity(() => counts.push(queue.activeCount));
    queue.cancel(id, orcid);
    await eventually(async () => await Promise.resolve(queue.get(id)?.endedAtMs));
    await queue.close();
    await dependencies.databases.close();
    assert.deepEqual(counts, [1, 0]);
  });

  it('ends rclone to close, so that a store that does not respond delays nothing (D62)', async () => {
    const dependencies = await createDependencies(systemClock, new MemoryLog());
    await dependencies.databases.serve([{ name: 'store', remote: 'lab:store' }]);
    await journal.add(record, []);
    journal.endWithLeftovers({ ...record, status: 'failed', endedAtMs: Date.now(), destinationId: 'store' }, '');
    let endRclone = (): void => undefined;
    const ended = new Promise<never>((_, reject) => (endRclone = () => reject(new Error('rclone ended'))));
    const isUsed = new Promise<void>((resolve) => {
      Object.assign(dependencies.daemon, { use: () => (resolve(), ended), close: endRclone });
    });
    const queue = new TransferQueue({ ...dependencies, retentionMs: 86_400_000, retryDelayMs: 20 });
    queue.start();
    await isUsed;
    await queue.close();
    assert.equal(journal.listLeftovers().length, 1);
    await dependencies.databases.close();
  });

  it('fails a transfer whose destination has become read-only since its submission (D43)', async () => {
    await journal.add({ ...record, sourceId: 'source', destinationId: 'target' }, [file]);
    const dependencies = await createDependencies(systemClock, new MemoryLog());
    await serveFolders(dependencies, true);
    const queue = new TransferQueue({ ...dependencies, retentionMs: 86_400_000, retryDelayMs: 20 });
    queue.start();
    const ended = await eventually(async () => {
      const current = queue.get(record.id);
      return await Promise.resolve(current?.endedAtMs === undefined ? undefined : current);
    });
    await queue.close();
    await dependencies.databases.close();
    const message = `Transfer ${record.id}: failed (the database "target" is read-only)`;
    assert.deepEqual([ended.status, ended.message], ['failed', message]);
    assert.deepEqual(await fs.readdir(nodePath.join(folder, 'target')), []);
  });

  it('stores the end of a transfer once the journal can be written again, and then what follows (D25, D72)', async () => {
    const clock = new ManualClock();
    const logger = new MemoryLog();
    const dependencies = await createDependencies(clock, logger);
    await serveFolders(dependencies);
    const begun: string[] = [];
    Object.assign(dependencies.followUps, { begin: (id: string) => begun.push(id) });
    const update = journal.update.bind(journal);
    const fail = ({ status }: TransferRecord): void => assert.notEqual(status, 'succeeded', 'disk is full');
    Object.assign(journal, { update: fail });
    const queue = new TransferQueue({ ...dependencies, retentionMs: 86_400_000, retryDelayMs: 2_100 });
    const request = { orcid: record.orcid, source: 'source', destination: 'target', file_ids: ['a'] };
    const id = await queue.submit(request);
    const listFailures = (): readonly string[] => logger.errors.filter((line) => line.includes('disk is full'));
    await eventually(async () => await Promise.resolve(listFailures().length > 0 || undefined));
    await clock.pass(2_100);
    assert.deepEqual([listFailures().length, begun, journal.get(id)?.status === 'succeeded'], [2, [], false]);
    Object.assign(journal, { update });
    await clock.pass(2_100);
    assert.deepEqual([begun, journal.get(id)?.status], [[id], 'succeeded']);
    await queue.close();
    await dependencies.databases.close();
  });

  it('gives up what follows when a transfer is canceled whose end could not be stored (D72)', async () => {
    const clock = new ManualClock();
    const logger = new MemoryLog();
    const dependencies = await createDependencies(clock, logger);
    await serveFolders(dependencies);
    const program = nodePath.join(folder, 'then.sh');
    await fs.writeFile(program, '#!/bin/sh\n', { mode: 0o755 });
    const update = journal.update.bind(journal);
    const fail = ({ status }: TransferRecord): void => assert.notEqual(status, 'succeeded', 'disk is full');
    Object.assign(journal, { update: fail });
    const queue = new TransferQueue({ ...dependencies, retentionMs: 86_400_000, retryDelayMs: 2_100 });
    const { orcid } = record;
    const instructions = { then: { program } };
    const id = await queue.submit({ orcid, source: 'source', destination: 'target', file_ids: ['a'], instructions });
    await eventually(async () => await Promise.resolve(logger.errors.length > 0 || undefined));
    assert.equal(queue.getStatus(id)?.status, 'finalizing');
    assert.throws(() => queue.cancel(id, orcid), /is not stored yet/);
    assert.equal(dependencies.followUps.activeCount, 0);
    Object.assign(journal, { update });
    assert.equal(queue.cancel(id, orcid), 'accepted');
    await eventually(async () => await Promise.resolve(dependencies.followUps.activeCount === 0 || undefined));
    const { state, problem } = journal.followUps.get(id) ?? {};
    assert.deepEqual([queue.getStatus(id)?.status, state, problem], ['succeeded', 'notStarted', 'canceled']);
    assert.equal(queue.cancel(id, orcid), 'ended');
    await clock.pass(2_100);
    assert.equal(journal.followUps.get(id)?.state, 'notStarted');
    await queue.close();
    await dependencies.followUps.close();
    await dependencies.databases.close();
  });

  it('rejects a transfer that cannot be stored, with the reason', async () => {
    const dependencies = await createDependencies(systemClock, new MemoryLog());
    await serveFolders(dependencies);
    const queue = new TransferQueue({ ...dependencies, retentionMs: 86_400_000, retryDelayMs: 20 });
    journal.close();
    const request = { orcid: record.orcid, source: 'source', destination: 'target', file_ids: ['a'] };
    const reason = /^The transfer was not accepted: the transfer journal cannot be written \(database is not open\)\.$/;
    await assert.rejects(queue.submit(request), (error) => error instanceof HttpProblem && reason.test(error.message));
    assert.match(dependencies.logger.lines.join(), /database is not open/);
    await queue.close();
    await dependencies.databases.close();
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
    assert.deepEqual(journal.listUnfinished(), []);
  });

  it('lets folders be added and removed while the journal cannot be read, and logs an error', async () => {
    const dependencies = await createDependencies(systemClock, new MemoryLog());
    const queue = new TransferQueue({ ...dependencies, retentionMs: 86_400_000, retryDelayMs: 20 });
    queue.start();
    journal.close();
    (await dependencies.databases.serve([{ name: 'folder', folder }])).dispose();
    await queue.close();
    await dependencies.databases.close();
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
    assert.equal(dependencies.logger.errors.filter((line) => line.includes('journal cannot be read:')).length, 2);
  });

  it('removes expired transfers, and the files of ended ones', async () => {
    const clock = new ManualClock();
    const queue = await newQueue(clock);
    await journal.add(record, [file]);
    const minuteMs = 60_000;
    journal.update({ ...record, status: 'succeeded', endedAtMs: clock.now() + 30 * minuteMs });
    assert.deepEqual(journal.listFiles(record.id), []);
    queue.start();
    await clock.pass(24 * 60 * minuteMs + 30 * minuteMs);
    assert.equal(queue.get(record.id)?.status, 'succeeded');
    await clock.pass(1);
    assert.equal(queue.get(record.id), undefined);
    await queue.close();
  });

  const dayMs = 86_400_000;
  const jumps: [name: string, beforeMs: number, afterMs: number][] = [
    ['was set back before it ended and is put right after', -8 * dayMs, 8 * dayMs],
    ['was set forward before it ended and is put right after', 300 * dayMs, -300 * dayMs],
    ['is set forward after it ended', 0, 300 * dayMs],
    ['is set back after it ended', 0, -300 * dayMs],
  ];
  for (const [name, beforeMs, afterMs] of jumps) {
    it(`retains an ended transfer for the configured time when the clock ${name} (D25)`, async () => {
      const clock = new ManualClock();
      const queue = await newQueue(clock, new MemoryLog(), 7 * dayMs);
      await journal.add(record, []);
      queue.start();
      clock.sleep(beforeMs);
      journal.update({ ...record, status: 'succeeded', endedAtMs: clock.now() });
      clock.sleep(afterMs);
      assert.equal(queue.get(record.id)?.status, 'succeeded');
      await clock.pass(5 * dayMs);
      assert.equal(queue.get(record.id)?.status, 'succeeded');
      await clock.pass(2.1 * dayMs);
      assert.equal(queue.get(record.id), undefined);
      await queue.close();
    });
  }

  it('continues and logs an error when expired transfers cannot be removed from the journal', async () => {
    const clock = new ManualClock();
    const logger = new MemoryLog();
    const queue = await newQueue(clock, logger);
    queue.start();
    journal.close();
    await clock.pass(3_600_000);
    assert.match(logger.lines.join(), /The journal cannot be written/);
    await queue.close();
    journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
  });
});
