import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import {
  getFileState,
  listJournaledFiles,
  pickFiles,
  type FilePage,
} from '../../../src/service/transfers/filePages.ts';
import {
  TransferJournal,
  type TransferRecord,
  type TransferRecordFile,
} from '../../../src/service/transfers/journal.ts';

const record: TransferRecord = {
  status: 'inactive',
  id: '2c1d5e0a-0000-4000-8000-000000000008',
  orcid: '',
  sourceId: 'a',
  destinationId: 'b',
  fileCount: 5,
  sizeBytes: 5,
  createdAtMs: 1,
  message: '',
  movedCount: 2,
  isCancelRequested: false,
};

function toFile(position: number, more: Partial<TransferRecordFile> = {}): TransferRecordFile {
  const id = `f${position}`;
  return { position, path: id, resource: { id }, bytes: 1, isTransferred: false, ...more };
}

const sha256 = 'a'.repeat(64);
const landed = { isTransferred: true, sha256 };
const problem = { failedAttempts: 2, problem: 'could not read it: it was missing' };
const files = [toFile(0, landed), toFile(1, { sha256 }), toFile(2), toFile(3, landed), toFile(4, problem)];

function summarize({ files: listed, next, counts }: FilePage): unknown {
  return [listed.map(({ file, state }) => `${file.position} ${state}`).join(), next, counts];
}

describe('The states of files in a transfer (D71)', () => {
  it('are those of the record, and of the batches that are being moved', () => {
    const getState = (file: TransferRecordFile): ReturnType<typeof getFileState> =>
      file.position === 1 ? 'transferring' : getFileState(file, false);
    const counts = { transferred: 2, transferring: 1, waiting: 2 };
    assert.deepEqual(summarize(pickFiles(files, getState, { from: 0, limit: 3 })), [
      '0 transferred,1 transferring,2 waiting',
      3,
      counts,
    ]);
    assert.deepEqual(summarize(pickFiles(files, getState, { from: 3, limit: 3, state: 'waiting' })), [
      '4 waiting',
      undefined,
      counts,
    ]);
  });

  describe('of a transfer that does not run', () => {
    let folder: string;
    let journal: TransferJournal;

    beforeEach(async () => {
      folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-states-'));
      journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
      await journal.add(record, files);
      journal.updateFiles(record, files);
    });
    afterEach(async () => {
      journal.close();
      await fs.rm(folder, { recursive: true });
    });

    const list = (current: TransferRecord, query: Partial<Parameters<typeof listJournaledFiles>[2]> = {}): unknown => {
      const page = listJournaledFiles(journal, current, { from: 0, limit: 10, ...query });
      return page && summarize(page);
    };
    const end = (status: 'failed' | 'succeeded', more: Partial<TransferRecord> = {}): TransferRecord => {
      const ended = { ...record, ...more, status, endedAtMs: 1 };
      journal.update(ended);
      return ended;
    };

    it('come from the journal while it waits for its databases, with the problem of the last attempt', () => {
      const counts = { transferred: 2, staged: 1, waiting: 2 };
      const all = '0 transferred,1 staged,2 waiting,3 transferred,4 waiting';
      assert.deepEqual(list(record), [all, undefined, counts]);
      assert.deepEqual(list(record, { state: 'transferred', limit: 1 }), ['0 transferred', 3, counts]);
      assert.deepEqual(list(record, { state: 'transferring' }), ['', undefined, counts]);
      assert.deepEqual(journal.listFiles(record.id)[4], files[4]);
    });

    it('stay after a failure, except those of transferred files, which are counted', () => {
      const ended = end('failed');
      const counts = { transferred: 2, failed: 1, unfinished: 2 };
      assert.deepEqual(list(ended), ['1 unfinished,2 unfinished,4 failed', undefined, counts]);
      assert.deepEqual(list(ended, { state: 'failed' }), ['4 failed', undefined, counts]);
      assert.deepEqual(list(ended, { state: 'waiting' }), ['', undefined, counts]);
    });

    it('are only counted after success', () => {
      assert.deepEqual(list(end('succeeded', { movedCount: 5 })), ['', undefined, { transferred: 5 }]);
    });

    it('are unknown if it failed under a version that removed all of them', () => {
      const other = { ...record, id: '2c1d5e0a-0000-4000-8000-000000000009', status: 'failed', endedAtMs: 1 } as const;
      assert.equal(list(other), undefined);
      assert.deepEqual(list({ ...other, movedCount: 5 }), ['', undefined, { transferred: 5 }]);
    });

    it('are removed with the expired transfer', () => {
      end('failed');
      journal.prune(1_000, 10);
      assert.deepEqual([journal.get(record.id), journal.listFiles(record.id)], [undefined, []]);
    });
  });
});
