import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerDialects } from '../../../src/core/client/serverDialect.ts';
import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import { isPaused, isUnderWay, type Transfer } from '../../../src/core/model/transferModel.ts';
import { systemClock } from '../../../src/core/util/clock.ts';
import { ApiKeys } from '../../../src/extension/editor/apiKeys.ts';
import { Memory } from '../../../src/extension/editor/memory.ts';
import { StateFiles } from '../../../src/extension/editor/stateFiles.ts';
import { readServiceRecord } from '../../../src/extension/localService/serviceRecord.ts';
import { KnownFolders } from '../../../src/service/databases/knownFolders.ts';
import { TransferJournal } from '../../../src/service/transfers/journal.ts';
import { isTransferPageState } from '../../../src/webviews/messages/transferMessages.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { LossySecretStorage } from '../../support/lossySecretStorage.ts';
import * as version01 from '../../support/version01.ts';

const server = 'http://127.0.0.1:9';

describe('Files that version 0.1 wrote', () => {
  let folder: string;
  let values: version01.FixtureValues;
  let log: MemoryLog;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'version-0.1-'));
    values = { server, home: join(folder, 'home'), storage: join(folder, 'storage') };
    log = new MemoryLog();
    await version01.installStorage(values);
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const openLedger = (): TransferLedger => new TransferLedger(join(values.storage, 'transfers'), log, systemClock);
  const summarize = (transfers: readonly Transfer[]): readonly string[] =>
    transfers.map(({ order, state }) => [order.description ?? '', state].join(': ')).sort();

  it('contain each transfer of the ledger with its state', async () => {
    const ledger = openLedger();
    assert.deepEqual(summarize(await ledger.loadRunning()), [
      'A long copy: staging',
      'The one that ignores its cancel: staging',
      'The one that is on its way: active',
      'The one without an answer: notConfirmed',
    ]);
    assert.deepEqual(summarize(await ledger.loadEnded()), [
      ': succeeded',
      'A copy: succeeded',
      'For a *first* look: succeeded',
      'The one that failed: failed',
      'The one that was canceled: cancelled',
    ]);
    assert.deepEqual(summarize(await ledger.loadRemoved()), ['The one that was removed: succeeded']);
    assert.deepEqual(log.lines, []);
    const folders = await readdir(join(values.storage, 'transfers'));
    assert.deepEqual(folders.sort(), ['asking', 'ended', 'removed', 'running', 'told']);
  });

  it('contain the other properties of a transfer', async () => {
    const transfers = [...(await openLedger().loadRunning()), ...(await openLedger().loadEnded())];
    const find = (description: string): Transfer => {
      const found = transfers.find(({ order }) => order.description === description);
      assert.ok(found, description);
      return found;
    };
    const first = find('For a *first* look');
    assert.equal(first.order.files.length, 10);
    assert.deepEqual(first.order.instructions, { type: 'assembly' });
    assert.deepEqual(
      first.movement?.map(({ moved }) => moved),
      [0, 10],
    );
    assert.deepEqual([first.status?.fileCount, first.status?.movedFileCount], [10, 10]);
    const ignored = find('The one that ignores its cancel');
    assert.ok(ignored.cancelUnheeded && ignored.cancelAcceptedAt !== undefined);
    assert.equal(isUnderWay(ignored), false);
    assert.equal(isPaused(ignored), false);
    const { problem } = find('The one without an answer');
    assert.deepEqual([problem?.kind, problem?.maybeDone], ['dropped', true]);
    assert.ok(transfers.some(({ startedElsewhere }) => startedElsewhere));
    assert.equal(find('A copy').order.connectionId, `local@${version01.machine}`);
  });

  it('contain the transfers of the local service, and the names of its databases', async () => {
    const dataFolder = version01.getServiceFolder(values.storage);
    const journal = new TransferJournal(join(dataFolder, 'journal.db'));
    try {
      const [unfinished] = journal.listUnfinished();
      assert.ok(unfinished);
      assert.deepEqual(
        [unfinished.status, unfinished.sourceId, unfinished.destinationId, unfinished.description],
        ['active', 'archive', 'received-files', 'A long copy'],
      );
      assert.equal(unfinished.destinationPlace, join(values.storage, 'received'));
      const [file] = journal.listFiles(unfinished.id);
      assert.deepEqual([file?.path, file?.bytes, file?.isTransferred], ['movie.bin', 2 ** 26, false]);
      assert.match(file?.sha256 ?? '', /^[\da-f]{64}$/);
      const ended = journal.get('bf4915e2-1149-483e-a63a-05f2bdc4ac47');
      assert.deepEqual([ended?.status, ended?.movedCount, ended?.fileCount], ['succeeded', 1, 1]);
    } finally {
      journal.close();
    }
    const known = await KnownFolders.open({
      file: join(dataFolder, 'databases.json'),
      clock: systemClock,
      logger: log,
    });
    const config = { name: 'Archive', folder: join(values.home, 'archive') };
    assert.deepEqual(await known.identify(config, () => false), { id: 'archive', name: 'Archive' });
  });

  it('contain the address of the service of version 0.1, which has one secret', async () => {
    const record = await readServiceRecord(version01.getServiceFolder(values.storage));
    assert.deepEqual(record, {
      address: 'http://127.0.0.1:1',
      token: 'a-token-that-opens-nothing',
      pid: 2_147_483_646,
      host: hostname(),
      version: '0.1.0',
      namespaces: undefined,
      start: undefined,
    });
  });

  it('show that a key was saved, even if the editor has lost it', async () => {
    const markerFolder = join(values.storage, 'saved-keys');
    const secrets = new LossySecretStorage();
    const keys = new ApiKeys({ secrets, markerFolder, environment: {} });
    const connection = { id: version01.savedConnectionId, name: 'DTS prototype', server };
    assert.equal((await keys.find(connection)).reason?.kind, 'keyGone');
    const value = JSON.stringify({ origin: server, key: 'a-made-up-key' });
    await secrets.store(`dataTransfer.apiKey.${connection.id}`, value);
    assert.deepEqual(await keys.find(connection), { key: 'a-made-up-key' });
    keys.dispose();
  });

  it('are complemented by the values that it stored in the state of the editor', async () => {
    const state = new Map(Object.entries(await version01.readGlobalState(values)));
    const editorState = {
      get: (name: string): unknown => state.get(name),
      update: (name: string): Promise<void> => Promise.resolve().then(() => void state.delete(name)),
    };
    const stateFolder = join(values.storage, 'state');
    const memory = new Memory(new StateFiles({ folder: stateFolder, editorState, clock: systemClock, log }));
    assert.equal(await memory.getLastConnectionId(), `local@${version01.machine}`);
    assert.equal(await memory.getLastDestination(), 'Received Files');
    assert.equal(await memory.getLastDescription(), 'A long copy');
    assert.deepEqual(await memory.getLastInstructions(), { text: '{"type":"assembly"}' });
    const searches = await memory.getRecentSearches(version01.savedConnectionId);
    assert.deepEqual(
      searches.map(({ database, query }) => [database, query]),
      [
        ['JGI Data Portal', 'JDP:00005'],
        ['JGI Data Portal', 'JDP'],
      ],
    );
    const dialects = new ServerDialects(await memory.getServerDialects());
    assert.deepEqual(dialects.toJSON(), {
      [server]: { version: '0.12.1', dialect: { idsWanted: true, metadataForm: 'post' } },
    });
  });

  it('restore the page of a transfer', async () => {
    const state = await version01.readTransferPageState(values);
    assert.ok(isTransferPageState(state));
    const ended = await openLedger().loadEnded();
    assert.ok(ended.some(({ key }) => key === state.key));
  });
});
