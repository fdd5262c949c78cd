import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TransferLedger } from '../../../src/core/transfers/transferLedger.ts';
import { isLinkTarget, parseLink } from '../../../src/core/model/link.ts';
import { isWaitingToBeSent, type Transfer } from '../../../src/core/model/transferModel.ts';
import { parseRecipe } from '../../../src/core/recipes/parseRecipe.ts';
import { readLock } from '../../../src/core/recipes/recipeLock.ts';
import { SearchStore } from '../../../src/core/search/searchStore.ts';
import { systemClock as clock } from '../../../src/core/util/clock.ts';
import { ApiKeys } from '../../../src/extension/editor/apiKeys.ts';
import { Memory } from '../../../src/extension/editor/memory.ts';
import { SavedSearches } from '../../../src/extension/editor/savedSearches.ts';
import { StateFiles, VerificationHistory } from '../../../src/extension/editor/stateFiles.ts';
import { readServiceRecord } from '../../../src/extension/localService/serviceRecord.ts';
import { KnownFolders } from '../../../src/service/databases/knownFolders.ts';
import { TransferJournal } from '../../../src/service/transfers/journal.ts';
import { repositoryRoot } from '../../support/editor/places.ts';
import { listFields } from '../../support/jsonFields.ts';
import { LossySecretStorage } from '../../support/lossySecretStorage.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { Version02 } from '../../support/version02.ts';

describe('A window with the files of version 0.2', () => {
  let copy: Version02;
  let log: MemoryLog;

  beforeEach(async () => {
    log = new MemoryLog();
    copy = await Version02.install(repositoryRoot);
  });
  afterEach(() => copy.remove());

  const openLedger = (): TransferLedger => new TransferLedger(copy.ledger, log, clock);
  const countStates = (transfers: readonly Transfer[]): Readonly<Record<string, number>> => {
    const states = transfers.map(({ state }) => state).sort();
    return Object.fromEntries(states.map((state) => [state, states.filter((one) => one === state).length]));
  };
  const openState = (): StateFiles => {
    const editorState = { get: () => undefined, update: () => Promise.resolve() };
    return new StateFiles({ folder: join(copy.storage, 'state'), editorState, clock, log });
  };

  it('has each transfer with its state', async () => {
    const running = await openLedger().loadRunning();
    assert.deepEqual(countStates(running), { active: 1, notConfirmed: 1, staging: 2, submitting: 1 });
    const ended = await openLedger().loadEnded();
    assert.deepEqual(countStates(ended), { cancelled: 2, expired: 1, failed: 2, refused: 1, succeeded: 11 });
    assert.deepEqual(countStates(await openLedger().loadRemoved()), { succeeded: 1 });
    assert.deepEqual(log.lines, []);
  });

  it('has the other facts of a transfer', async () => {
    const transfers = [...(await openLedger().loadRunning()), ...(await openLedger().loadEnded())];
    const find = (isIt: (transfer: Transfer) => unknown): Transfer => {
      const [found, more] = transfers.filter(isIt);
      assert.ok(found && !more, String(isIt));
      return found;
    };
    const copied = find(({ order }) => order.description === 'A copy of two files');
    assert.deepEqual([copied.service, copied.order.instructions], ['Lab', { type: 'assembly' }]);
    assert.deepEqual(
      copied.order.files.map(({ id, sizeBytes }) => [id, sizeBytes]),
      [
        ['a.csv', 1],
        ['b/c.txt', 5],
      ],
    );
    assert.equal(find(({ requestedBy }) => requestedBy).requestedBy?.agent, 'test-agent');
    assert.ok(find(({ cancelUnheeded }) => cancelUnheeded).cancelAcceptedAt);
    assert.equal(find(({ startedElsewhere }) => startedElsewhere).status?.fileCount, 3);
    assert.equal(find(({ state }) => state === 'refused').problem?.kind, 'unauthorized');
    // Version 0.2 didn't record whether the submission of a killed command was sent, so that it may have started (D12).
    const interrupted = find(({ state }) => state === 'submitting');
    assert.equal(isWaitingToBeSent(interrupted), false);
  });

  it('has the recent inputs, learned facts and last verification (D45)', async () => {
    const memory = new Memory(openState());
    const connectionId = (await memory.getLastConnectionId()) ?? '';
    assert.match(connectionId, /^[\da-f]{16}$/);
    assert.equal(await memory.getLastDestination(), 'KBase Workspace Service (KSS)');
    assert.equal(await memory.getLastDescription(), 'The one that is on its way');
    assert.deepEqual(await memory.getLastCitation(), { format: 'bibtex', action: 'copy' });
    assert.match((await memory.getLastIdFile()) ?? '', /study\.csv$/);
    const searches = await memory.getRecentSearches(connectionId);
    assert.ok(searches.some(({ database, query }) => database === 'JGI Data Portal' && query === 'JDP:00005'));
    assert.deepEqual(Object.values((await memory.getServerDialects()) as object).at(-1), {
      version: '0.12.1',
      dialect: { idsWanted: true },
    });
    const verified = (await openLedger().loadEnded()).find(
      ({ order }) => order.description === 'A copy of the archive',
    );
    const verification = await new VerificationHistory(openState()).get(verified?.key ?? '');
    assert.deepEqual([verification?.fileCount, verification?.intactCount, verification?.damaged], [1, 1, []]);
    assert.deepEqual(log.lines, []);
  });

  it('has the searches and their checked files (D59)', async () => {
    const store = new SearchStore();
    const saved = new SavedSearches({ folder: copy.searches, store, clock, log });
    await saved.restore();
    const searches = store
      .getAll()
      .map(({ query, files }) => `${query.database}: ${query.ids?.join() ?? query.query}: ${files.length}`);
    for (const search of ['JGI Data Portal: JDP:00005: 10', 'Archive: csv: 2', 'Archive: table.csv: 1'])
      assert.ok(searches.includes(search), searches.join('\n'));
    assert.deepEqual(
      store
        .getCheckedFiles()
        .map(({ file }) => file.id)
        .sort(),
      ['JDP:000047', 'JDP:000048'],
    );
    saved.dispose();
    assert.deepEqual(log.lines, []);
  });

  it('knows that a key was saved, and reads it', async () => {
    const secrets = new LossySecretStorage();
    const keys = new ApiKeys({ secrets, markerFolder: join(copy.storage, 'saved-keys'), environment: {} });
    const settings = JSON.parse(await copy.read('machine-settings.json')) as Readonly<Record<string, unknown>>;
    const [connection] = settings['dataTransfer.connections'] as Parameters<ApiKeys['find']>;
    assert.equal((await keys.find(connection)).reason?.kind, 'keyGone');
    const marker = await readFile(join(copy.storage, 'saved-keys', await copy.findMarker()), 'utf8');
    const stored = { origin: new URL(connection.server).origin, key: 'a-made-up-key', marker };
    await secrets.store(`dataTransfer.apiKey.${connection.id}`, JSON.stringify(stored));
    assert.deepEqual(await keys.find(connection), { key: 'a-made-up-key' });
    keys.dispose();
  });

  it('opens its links', async () => {
    const links = JSON.parse(await copy.read('links.json')) as Readonly<Record<string, string>>;
    const targets = Object.values(links).map((link) => {
      const { pathname, search } = new URL(link);
      const target = parseLink(pathname.replace(/^\/\/[^/]*/, ''), decodeURIComponent(search.slice(1)));
      assert.ok(isLinkTarget(target), link);
      return [target.kind, target.service];
    });
    const address = 'http://127.0.0.1:9';
    assert.deepEqual(targets, [
      ['file', 'local'],
      ['file', address],
      ['search', address],
      ['transfer', address],
    ]);
  });

  it('reads the recipe that it saved, and the lock of its run (D61)', async () => {
    const file = join(copy.home, 'project', 'monthly.transfer.json');
    const { recipe, problems } = parseRecipe(await readFile(file, 'utf8'));
    assert.deepEqual(problems, []);
    assert.deepEqual([recipe?.from.database, recipe?.to?.database], ['Archive', 'Received Files']);
    const read = await readLock(file);
    assert.ok(read.kind === 'valid', read.kind);
    assert.deepEqual(read.lock.files, [{ id: 'deep/other.csv', path: 'deep/other.csv', bytes: 9 }]);
  });

  it('finds the local service, its databases and its transfers (D25, D29)', async () => {
    const record = await readServiceRecord(copy.serviceFolder);
    assert.deepEqual([record?.version, typeof record?.sharingToken], ['0.2.0', 'string']);
    const known = await KnownFolders.open({ file: join(copy.serviceFolder, 'databases.json'), clock, logger: log });
    const archive = { name: 'Archive', folder: join(copy.home, 'archive') };
    assert.deepEqual(await known.identify(archive, () => false), { id: 'archive', name: 'Archive' });
    const store = { name: 'Cluster', remote: 'sftp:runs' };
    assert.deepEqual(await known.identify(store, () => false), { id: 'cluster', name: 'Cluster' });
    const journal = new TransferJournal(join(copy.serviceFolder, 'journal.db'));
    const local = (await openLedger().loadEnded()).filter(({ order }) => order.connectionId.startsWith('local@'));
    assert.equal(local.length, 2);
    for (const { id = '' } of local) assert.equal(journal.get(id)?.status, 'succeeded');
    journal.close();
    assert.deepEqual(log.lines, []);
  });

  it('writes records with all fields of the earlier ones', async () => {
    const before = await openLedger().loadEnded();
    assert.equal(before.length, 17);
    for (const transfer of before) await openLedger().write({ ...transfer, askedAt: transfer.createdAt });
    const after = new Map((await openLedger().loadEnded()).map((transfer) => [transfer.key, transfer]));
    for (const transfer of before)
      assert.deepEqual(listFields(after.get(transfer.key)), listFields({ ...transfer, askedAt: 1 }));
  });
});
