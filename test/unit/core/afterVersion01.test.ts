import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { importRecords } from '../../../src/core/transfers/ledgerImport.ts';
import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { systemClock as clock } from '../../../src/core/util/clock.ts';
import { Memory } from '../../../src/extension/editor/memory.ts';
import { StateFiles } from '../../../src/extension/editor/stateFiles.ts';
import { KnownFolders } from '../../../src/service/databases/knownFolders.ts';
import { TransferJournal } from '../../../src/service/transfers/journal.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { createRecord } from './recordSpecimens.ts';

/**
 * Covers the files that both versions read and write. The tests modify files of this version as the classes of version
 * 0.1 (commit bdf862f90a77) do. Version 0.1 doesn't open the shared ledger, `state`, `agents.json` or `cli`.
 */
describe('After a downgrade to version 0.1 and an upgrade', () => {
  let folder: string;
  let log: MemoryLog;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'after-0.1-'));
    log = new MemoryLog();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const planned = { requestedBy: { agent: 'assistant', plan: 'one' } };
  const hashed = {
    ...createRecord(1).order,
    files: [{ id: 'f', name: 'f.csv', hash: 'md5:0', licenses: [{ name: 'MIT' }] }],
  };

  /** Writes a record as version 0.1 did, preserving unknown fields of the transfer. */
  async function writeRecord(ledgerFolder: string, place: string, transfer: Transfer): Promise<void> {
    const file = join(ledgerFolder, place, `${transfer.key}.json`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify({ version: 1, transfer }, undefined, 1)}\n`);
  }

  it('the shared records are untouched, and those of version 0.1 are added (D63)', async () => {
    const [own, target] = [join(folder, 'storage', 'transfers'), join(folder, 'shared')];
    const ledger = new TransferLedger(target, log);
    await ledger.write(createRecord(1, { ...planned, order: hashed }));
    await writeRecord(own, 'ended', createRecord(2));
    await writeRecord(own, 'running', createRecord(3, { state: 'active' }));
    await importRecords({ source: own, target, clock, log });
    const ended = (await ledger.loadEnded()).toSorted((one, other) => one.createdAt - other.createdAt);
    assert.deepEqual(ended, [createRecord(1, { ...planned, order: hashed }), createRecord(2)]);
    assert.deepEqual(await ledger.loadRunning(), [createRecord(3, { state: 'active' })]);
  });

  it('a record that version 0.1 ended keeps its agent, hashes and licenses', async () => {
    const running = createRecord(1, { ...planned, order: hashed, state: 'active' });
    await new TransferLedger(folder, log).write(running);
    const changes = [...running.changes, { state: 'succeeded', at: running.createdAt + 1 }] as const;
    await writeRecord(folder, 'ended', { ...running, state: 'succeeded', changes });
    const [found] = await new TransferLedger(folder, log).loadEnded();
    assert.deepEqual([found?.state, found?.requestedBy, found?.order], ['succeeded', planned.requestedBy, hashed]);
  });

  it('values that a window stored are read from its file, not from the state that version 0.1 wrote (D45)', async () => {
    const values = new Map<string, unknown>();
    const editorState = {
      get: (name: string): unknown => values.get(name),
      update: async (name: string): Promise<void> => void values.delete(name),
    };
    const open = (): Memory => new Memory(new StateFiles({ folder, editorState, clock, log }));
    await open().rememberConnection('of-0.2');
    values.set('lastConnectionId', 'of-0.1').set('lastDestination', 'Received Files');
    assert.equal(await open().getLastConnectionId(), 'of-0.2');
    assert.equal(await open().getLastDestination(), 'Received Files');
  });

  it('the journal still has its transfers, and those of version 0.1 (D25)', async () => {
    const file = join(folder, 'journal.db');
    const record = {
      id: 'one',
      orcid: '',
      sourceId: 'lab',
      destinationId: 'archive',
      destinationPlace: 'rclone:lab:x',
      fileCount: 1,
      sizeBytes: 1,
      createdAtMs: 1,
      message: '',
      movedCount: 0,
      status: 'active' as const,
      isCancelRequested: false,
    };
    const resource = { id: 'p', name: 'p', path: 'p', format: 'csv', media_type: 'text/csv', bytes: 1, hash: '' };
    const journal = new TransferJournal(file);
    await journal.add(record, [{ position: 0, path: 'p', resource, bytes: 1, isTransferred: false }]);
    journal.close();
    const database = new DatabaseSync(file);
    database.exec("UPDATE transfers SET status = 'active', moved = 1, cancel = 0, ended_at = NULL WHERE id = 'one'");
    const fixed = JSON.stringify({ orcid: '', sourceId: 'a', destinationId: 'b', fileCount: 0, sizeBytes: 0 });
    database.prepare("INSERT INTO transfers VALUES ('two', 'succeeded', '', 0, 0, ?, ?)").run(Date.now(), fixed);
    database.close();
    const again = new TransferJournal(file);
    assert.deepEqual(again.listUnfinished(), [{ ...record, movedCount: 1 }]);
    assert.equal(again.listFiles('one').length, 1);
    assert.equal(again.get('two')?.status, 'succeeded');
    again.close();
  });

  it('a transfer to a folder with a chosen name has waited, and its destination is known again (D24)', async () => {
    const file = join(folder, 'journal.db');
    const ids = { orcid: '', sourceId: 'lab', destinationId: 'archive' };
    const record = {
      id: 'one',
      ...ids,
      folderName: 'run 42',
      fileCount: 0,
      sizeBytes: 0,
      createdAtMs: 1,
      message: '',
      status: 'active' as const,
      movedCount: 0,
      isCancelRequested: false,
    };
    const canceled = { ...record, id: 'two', status: 'failed', endedAtMs: 1 } as const;
    const journal = new TransferJournal(file);
    await Promise.all([journal.add(record, []), journal.add(canceled, [])]);
    journal.endWithLeftovers(canceled, 'manifest.json');
    journal.close();
    const database = new DatabaseSync(file);
    // Neither version finds a database with this ID, so that neither writes to, or cleans, a folder with another name.
    const fixed = String(database.prepare("SELECT fixed FROM transfers WHERE id = 'one'").get()?.['fixed']);
    const { destinationId } = JSON.parse(fixed) as typeof record;
    assert.equal(destinationId, 'archive/run 42');
    const ended = Date.now();
    database.exec(
      `UPDATE transfers SET status = 'failed', moved = 0, cancel = 1, ended_at = ${ended} WHERE id = 'one'`,
    );
    database.prepare("INSERT OR REPLACE INTO leftovers VALUES ('one', ?, 'manifest.json')").run(destinationId);
    database.close();
    const again = new TransferJournal(file);
    const leftovers = { destinationId: 'archive', folderName: 'run 42', manifestName: 'manifest.json' };
    assert.deepEqual(
      again.listLeftovers(),
      ['one', 'two'].map((transferId) => ({ transferId, ...leftovers })),
    );
    assert.deepEqual(again.get('two'), canceled);
    again.close();
  });

  it('databases, including those of stores, keep their IDs (D25)', async () => {
    const file = join(folder, 'databases.json');
    const [store, archive] = [
      { name: 'Lab', remote: 'lab:bucket' },
      { name: 'Archive', folder },
    ];
    const known = await KnownFolders.open({ file, clock, logger: log });
    const id = await known.identify(store, () => false);
    await known.save();
    const { folders } = JSON.parse(await readFile(file, 'utf8')) as { readonly folders: readonly object[] };
    const added = {
      folder,
      realFolder: folder,
      id: 'archive',
      name: 'Archive',
      wanted: 'Archive',
      usedAtMs: Date.now(),
    };
    await writeFile(file, JSON.stringify({ folders: [...folders, added] }));
    const again = await KnownFolders.open({ file, clock, logger: log });
    assert.deepEqual(await again.identify(store, () => false), id);
    assert.deepEqual(await again.identify(archive, () => false), { id: 'archive', name: 'Archive' });
  });
});
