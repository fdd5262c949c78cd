import assert from 'node:assert/strict';
import { systemClock } from '../../../src/core/util/clock.ts';
import type { RcloneDaemon } from '../../../src/service/stores/rcloneDaemon.ts';
import type { JobResult } from '../../../src/service/transfers/fileJobs.ts';
import type { TransferRecord } from '../../../src/service/transfers/journal.ts';
import { TransferRun, type TransferRunOptions } from '../../../src/service/transfers/transferRun.ts';
import { FakeRclone } from '../../support/fakeRclone.ts';

const record: TransferRecord = {
  status: 'active',
  ...{ id: '2c1d5e0a-0000-4000-8000-000000000008', orcid: '', sourceId: 'a', destinationId: 'b', fileCount: 1 },
  ...{ sizeBytes: 1, createdAtMs: 1, message: '', movedCount: 0, isCancelRequested: false },
};
const progress = {
  getRecord: () => record,
  enterStatus: () => undefined,
  reportAdvanced: () => undefined,
  reportLost: () => undefined,
  reportProblem: () => undefined,
};

describe('A completed transfer to a store (D62)', () => {
  let rclone: FakeRclone;
  beforeEach(async () => {
    rclone = await FakeRclone.start();
  });
  afterEach(async () => await rclone.stop());

  /** Runs a transfer of one file whose job has the given result. Returns the name of the manifest to remove later. */
  async function run(result: Partial<JobResult>): Promise<string | undefined> {
    rclone.objects.set(`lab:b/dts-${record.id}/a`, Buffer.from('x'));
    const runJob = async (): Promise<JobResult> =>
      await Promise.resolve({ done: [{ position: 0, bytes: 1, sha256: '' }], ...result });
    const threads = { run: runJob };
    const daemon = { use: async (work: Parameters<RcloneDaemon['use']>[0]) => await work(rclone.address) };
    const tracking = {
      pauseTracking: async () => await Promise.resolve(),
      resumeTracking: async () => await Promise.resolve(),
    };
    const side = (remote: string): object => {
      return {
        document: { id: remote, name: remote, organization: '', url: '' },
        location: { remote },
        catalog: tracking,
      };
    };
    const sides = { source: side('far:a'), destination: side('lab:b'), clock: systemClock, isResumed: false };
    const options = { ...sides, threads, daemon } as unknown as TransferRunOptions;
    const file = { position: 0, path: 'a', resource: { id: 'a' }, bytes: 1, isTransferred: false };
    const transfer = new TransferRun(options, progress, [file]);
    await transfer.run(new AbortController().signal);
    assert.deepEqual(rclone.places, [`lab:b/dts-${record.id}/a`, `lab:b/dts-${record.id}/manifest.json`]);
    return transfer.leftoverManifest;
  }

  it('needs no later removal if all batches were complete', async () => {
    assert.equal(await run({}), undefined);
  });

  it('needs a later removal that keeps the manifest if files of a batch had to be sent again', async () => {
    assert.equal(await run({ isBatchIncomplete: true }), '');
  });
});
