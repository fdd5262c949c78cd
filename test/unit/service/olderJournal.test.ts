import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { openSqlite } from '../../../src/service/sqlite.ts';
import { TransferJournal, type TransferRecord } from '../../../src/service/transfers/journal.ts';

const id = '11111111-1111-4111-8111-111111111111';
const fixed = {
  orcid: '0000-0002-1825-0097',
  sourceId: 'source',
  destinationId: 'target',
  fileCount: 2,
  sizeBytes: 3,
  createdAtMs: 1,
};
const active: TransferRecord = {
  ...fixed,
  id,
  status: 'active',
  message: 'transferring',
  movedCount: 1,
  isCancelRequested: false,
};
const sha256 = 'a'.repeat(64);
const transferred = { position: 0, path: 'a', bytes: 1, resource: { id: 'a' }, isTransferred: true, sha256 };
const waiting = { position: 1, path: 'b', bytes: 2, resource: { id: 'b' }, isTransferred: false };

/** The tables of earlier versions, which have no columns for the hashes that stores report. */
const olderTables = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  CREATE TABLE transfers (
    id TEXT PRIMARY KEY, status TEXT NOT NULL, message TEXT NOT NULL, moved INTEGER NOT NULL,
    cancel INTEGER NOT NULL, ended_at REAL, fixed TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE transfer_files (
    transfer TEXT NOT NULL, position INTEGER NOT NULL, path TEXT NOT NULL, bytes INTEGER NOT NULL,
    resource TEXT NOT NULL, sha256 TEXT, landed INTEGER NOT NULL, PRIMARY KEY (transfer, position)
  ) WITHOUT ROWID;
  CREATE TABLE leftovers (
    transfer TEXT PRIMARY KEY, destination TEXT NOT NULL, manifest TEXT NOT NULL
  ) WITHOUT ROWID;
  INSERT INTO transfers VALUES ('${id}', 'active', 'transferring', 1, 0, NULL, '${JSON.stringify(fixed)}');
  INSERT INTO transfers VALUES ('ended', 'succeeded', 'completed', 2, 0, 5, '${JSON.stringify(fixed)}');
  INSERT INTO transfer_files VALUES ('${id}', 0, 'a', 1, '{"id":"a"}', '${sha256}', 1);
  INSERT INTO transfer_files VALUES ('${id}', 1, 'b', 2, '{"id":"b"}', NULL, 0);
  INSERT INTO leftovers VALUES ('canceled', 'target', 'manifest.json');`;

describe('A journal of an older version (D66)', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-journal-'));
    file = nodePath.join(folder, 'journal.db');
    const database = openSqlite(file);
    database.exec(olderTables);
    database.close();
  });
  afterEach(async () => await fs.rm(folder, { recursive: true }));

  function open<T>(work: (journal: TransferJournal) => T): T {
    const journal = new TransferJournal(file);
    try {
      return work(journal);
    } finally {
      journal.close();
    }
  }

  it('opens with its transfers, their files and its leftovers, repeatedly', () => {
    for (let count = 0; count < 2; count += 1)
      open((journal) => {
        assert.deepEqual(journal.listUnfinished(), [active]);
        assert.equal(journal.get('ended')?.endedAtMs, 5);
        assert.deepEqual(journal.listFiles(id), [transferred, waiting]);
        assert.deepEqual(journal.listLeftovers(), [
          { transferId: 'canceled', destinationId: 'target', manifestName: 'manifest.json' },
        ]);
      });
  });

  it('stores the hashes of stores from then on, and forgets one when the file is read instead', () => {
    const copied = { ...waiting, isTransferred: true, storeHash: 'md5:c4ca4238a0b923820dcc509a6f75849b' };
    open((journal) => journal.updateFiles({ ...active, movedCount: 2 }, [copied]));
    open((journal) => {
      assert.deepEqual(journal.listFiles(id), [transferred, copied]);
      assert.equal(journal.get(id)?.movedCount, 2);
      journal.updateFiles(active, [{ ...copied, storeHash: undefined, sha256 }]);
    });
    const read = { ...waiting, isTransferred: true, sha256 };
    open((journal) => assert.deepEqual(journal.listFiles(id), [transferred, read]));
  });

  it('keeps a pause, also after the older version has run the transfer (D70)', () => {
    const message = `Transfer ${id}: paused by you`;
    open((journal) => journal.update({ ...active, isPaused: true }));
    const older = openSqlite(file);
    older.exec(
      `UPDATE transfers SET status = 'active', message = 'transferring', moved = 1, cancel = 0 WHERE id = '${id}'`,
    );
    older.close();
    open((journal) => {
      const paused: TransferRecord = { ...active, status: 'inactive', message, isPaused: true };
      assert.deepEqual([journal.listUnfinished(), journal.get(id)], [[paused], paused]);
      assert.deepEqual(journal.listFiles(id), [transferred, waiting]);
      journal.update({ ...active, isPaused: false });
    });
    open((journal) => assert.deepEqual(journal.listUnfinished(), [active]));
  });

  it('forgets the files of transfers that the older version has removed', () => {
    open((journal) => assert.equal(journal.listFiles(id).length, 2));
    const older = openSqlite(file);
    older.exec(`DELETE FROM transfers WHERE id = '${id}'`);
    older.close();
    open((journal) => assert.deepEqual(journal.listFiles(id), []));
  });

  it('accepts new transfers', async () => {
    const journal = new TransferJournal(file);
    await journal.add({ ...active, id: 'new' }, [waiting]);
    journal.close();
    open((reopened) => assert.deepEqual(reopened.listFiles('new'), [waiting]));
  });
});
