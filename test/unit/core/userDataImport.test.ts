import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransferLedger } from '../../../src/core/ledger/transferLedger.ts';
import { withState, type Transfer } from '../../../src/core/model/transferModel.ts';
import { compareConnections, selectConnection } from '../../../src/core/userData/compareConnections.ts';
import { compareHistory, type HistoryComparison } from '../../../src/core/userData/compareHistory.ts';
import { importHistory } from '../../../src/core/userData/historyImport.ts';
import { readHistory, type RecordWork } from '../../../src/core/userData/historyRecords.ts';
import { runSteps } from '../../../src/core/util/steps.ts';
import { fillDisk } from '../../support/fullDisk.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { createRecord } from './userDataSpecimens.ts';

const noIds = new Map<string, string>();
const compareAll = (...given: Parameters<typeof compareHistory>): HistoryComparison =>
  runSteps(compareHistory(...given));
const saveNothing = async (): Promise<void> => undefined;

describe('The import of user data (D65)', () => {
  let ledgerFolder: string;
  let ledger: TransferLedger;
  let work: RecordWork;
  let controller: AbortController;
  const reported: string[] = [];

  beforeEach(async () => {
    ledgerFolder = await mkdtemp(join(tmpdir(), 'moving-'));
    controller = new AbortController();
    reported.length = 0;
    const log = new MemoryLog();
    const onProgress = (done: number, total: number): void => void reported.push(`${String(done)} of ${String(total)}`);
    work = { ledgerFolder, log, signal: controller.signal, onProgress };
    ledger = new TransferLedger(ledgerFolder, log);
  });
  afterEach(() => rm(ledgerFolder, { recursive: true, force: true }));

  const listKeys = async (folder: 'running' | 'ended'): Promise<readonly string[]> =>
    (await ledger.keys(folder)).toSorted();
  const readAll = async (): Promise<readonly Transfer[]> => {
    const { transfers } = await readHistory(['running', 'ended'], work);
    return transfers.toSorted((one, other) => one.createdAt - other.createdAt);
  };
  /** Imports transfers and returns those that were added, in the order of their creation. */
  const addAll = async (created: readonly Transfer[]): Promise<readonly Transfer[]> => {
    const added = await importHistory({ created, updated: [] }, work, saveNothing);
    return added.toSorted((one, other) => one.createdAt - other.createdAt);
  };
  const finished = [createRecord(1), createRecord(2, { state: 'failed' })];
  const unconfirmed = createRecord(3, { state: 'notConfirmed', id: undefined });

  it('adds ended and unfinished transfers to their folders, with the time of their last change', async () => {
    assert.deepEqual(await addAll([...finished, unconfirmed]), [...finished, unconfirmed]);
    assert.deepEqual(
      await listKeys('ended'),
      finished.map(({ key }) => key),
    );
    assert.deepEqual(await listKeys('running'), [unconfirmed.key]);
    assert.deepEqual(await readAll(), [...finished, unconfirmed]);
    const { mtimeMs } = await stat(join(ledgerFolder, 'ended', `${createRecord(1).key}.json`));
    assert.equal(Math.round(mtimeMs), createRecord(1).createdAt);
    assert.deepEqual((await readdir(ledgerFolder)).sort(), ['ended', 'running']);
  });

  it('adds nothing twice, in sequence or at the same time', async () => {
    const added = await Promise.all([addAll(finished), addAll(finished)]);
    assert.deepEqual(added.map(({ length }) => length).sort(), [0, 2]);
    assert.deepEqual(await addAll(finished), []);
    assert.deepEqual(await readAll(), finished);
  });

  it('leaves the history unchanged if the disk is full', async () => {
    await ledger.write(createRecord(7));
    const emptyDisk = fillDisk(join(ledgerFolder, 'importing'));
    try {
      await assert.rejects(importHistory({ created: finished, updated: [] }, work, saveNothing), /ENOSPC/);
    } finally {
      emptyDisk();
    }
    assert.deepEqual(await readAll(), [createRecord(7)]);
    assert.deepEqual((await readdir(ledgerFolder)).sort(), ['ended', 'locks']);
  });

  it('leaves the history unchanged if the settings cannot be saved', async () => {
    const fail = (): Promise<void> => Promise.reject(new Error('read-only settings'));
    await assert.rejects(importHistory({ created: finished, updated: [] }, work, fail), /read-only settings/);
    assert.deepEqual(await readAll(), []);
  });

  it('leaves history and settings unchanged if it is canceled while it runs', async () => {
    let saved = false;
    const created = Array.from({ length: 1200 }, (_, number) => createRecord(number + 1));
    const onProgress = (): void => controller.abort(new Error('canceled'));
    const importing = importHistory({ created, updated: [] }, { ...work, onProgress }, async () => void (saved = true));
    await assert.rejects(importing, /canceled/);
    assert.deepEqual([saved, await listKeys('ended')], [false, []]);
    assert.deepEqual(await readdir(ledgerFolder), []);
  });

  it('reports its progress', async () => {
    const created = Array.from({ length: 1200 }, (_, number) => createRecord(number + 1));
    await importHistory({ created, updated: [] }, work, saveNothing);
    assert.deepEqual(reported.slice(0, 2), ['500 of 1200', '1000 of 1200']);
    reported.length = 0;
    assert.equal((await readAll()).length, 1200);
    assert.deepEqual(reported, ['500 of 1200', '1000 of 1200']);
  });

  it('restores a transfer that was removed here, with all its data', async () => {
    const [known] = finished;
    assert.ok(known);
    await ledger.write({ ...known, movement: [{ at: 1, moved: 1 }] });
    await ledger.remove([known.key]);
    await importHistory({ created: [known], updated: [] }, work, saveNothing);
    assert.deepEqual(await ledger.loadEnded(), [{ ...known, movement: [{ at: 1, moved: 1 }] }]);
    assert.deepEqual(await ledger.loadRemoved(), []);
  });

  it('leaves the records of a later version unchanged, and does not report them as added', async () => {
    const text = '{"version":2}';
    const folders = ['ended', 'removed'] as const;
    for (const [index, folder] of folders.entries()) {
      await mkdir(join(ledgerFolder, folder));
      await writeFile(join(ledgerFolder, folder, `${createRecord(index + 1).key}.json`), text);
    }
    assert.deepEqual(await addAll([...finished, unconfirmed]), [unconfirmed]);
    for (const [index, folder] of folders.entries())
      assert.equal(await readFile(join(ledgerFolder, folder, `${createRecord(index + 1).key}.json`), 'utf8'), text);
    assert.deepEqual(await readAll(), [unconfirmed]);
  });

  it('adds a transfer that was removed here if its record is damaged', async () => {
    const [known] = finished;
    assert.ok(known);
    await mkdir(join(ledgerFolder, 'removed'));
    await writeFile(join(ledgerFolder, 'removed', `${known.key}.json`), '{');
    assert.deepEqual(await addAll([known]), [known]);
    assert.deepEqual(await readAll(), [known]);
  });

  it('replaces the files of an import whose window was killed', async () => {
    const killed = importHistory({ created: finished, updated: [] }, work, async () => {
      assert.equal((await readdir(join(ledgerFolder, 'importing'))).length, 2);
      throw new Error('killed');
    });
    await assert.rejects(killed, /killed/);
    await importHistory({ created: [unconfirmed], updated: [] }, work, saveNothing);
    assert.deepEqual(await readAll(), [unconfirmed]);
  });

  it('writes a record in the format of the ledger', async () => {
    await importHistory({ created: finished, updated: [] }, work, saveNothing);
    const text = await readFile(join(ledgerFolder, 'ended', `${createRecord(1).key}.json`), 'utf8');
    assert.deepEqual(JSON.parse(text), { version: 1, transfer: createRecord(1) });
  });

  it('merges a later status only if it is selected, and never reverts an end (D48)', async () => {
    const [one, two] = [createRecord(1, { state: 'active', askedAt: 5 }), createRecord(2)];
    await ledger.write(one);
    await ledger.write(two);
    const ended = { ...withState(one, 'succeeded', one.createdAt + 1), askedAt: 9 };
    const again = {
      ...createRecord(2, { state: 'active', changes: [{ state: 'active', at: 1 }] }),
      createdAt: two.createdAt,
    };
    const { finished: created, updates, knownCount } = compareAll([ended, again], await readAll(), noIds);
    assert.deepEqual([created, updates.map(({ key }) => key)], [[], [one.key, two.key]]);
    assert.equal(knownCount, 0);
    await importHistory({ created: [], updated: updates }, work, saveNothing);
    assert.deepEqual(
      (await readAll()).map(({ state }) => state),
      ['succeeded', 'succeeded'],
    );
    assert.deepEqual(compareAll([ended, again], await readAll(), noIds).updates, []);
  });

  it('never replaces the order of a record, such as its connection on this machine', () => {
    const here = createRecord(1, { state: 'active' });
    const later = { ...withState(here, 'succeeded', here.createdAt + 1), createdAt: 5 };
    const there = { ...later, order: { ...here.order, connectionId: 'elsewhere', destination: 'C', files: [] } };
    const [update] = compareAll([there], [here], noIds).updates;
    assert.deepEqual([update?.state, update?.order, update?.createdAt], ['succeeded', here.order, here.createdAt]);
  });

  it('recognizes a transfer by its connection and ID, where it was tracked (D65)', () => {
    const here = createRecord(1, { id: 'same' });
    const there = createRecord(2, { id: 'same', createdAt: here.createdAt, changes: here.changes });
    const ids = new Map([['old', 'kbase']]);
    const moved = { ...there, order: { ...there.order, connectionId: 'old' } };
    assert.equal(compareAll([moved], [here], ids).finished.length, 0);
    assert.equal(compareAll([moved], [here], noIds).finished.length, 1);
  });
});

describe('The comparison of connections (D65)', () => {
  const saved = { id: 'a', name: 'KBase', server: 'https://dts.example.org', allowInsecureHttp: true };
  const compare = (...given: Parameters<typeof compareConnections>[0][number][]) => compareConnections(given, [saved]);

  it('recognizes a connection by its address, and keeps its ID and permissions', () => {
    const [same] = compare({ id: 'b', name: 'KBase', server: 'https://dts.example.org/' });
    assert.deepEqual([same?.fileId, same?.connection.id, same?.isDifferent], ['b', 'a', false]);
    assert.equal(same?.connection.allowInsecureHttp, true);
  });

  it('does not pass permissions and variables on to another address', () => {
    const [other] = compareConnections(
      [{ id: 'a', name: 'KBase', server: 'http://evil.example' }],
      [{ ...saved, apiKeyVariable: 'DTS_KEY' }],
    );
    assert.deepEqual(other?.connection, { id: 'a', name: 'KBase', server: 'http://evil.example' });
    assert.equal(other.isDifferent, true);
  });

  it('returns the variable of a key, which is saved only if it is selected', () => {
    const [one] = compare({ id: 'c', name: 'KBase', server: 'https://other.example', apiKeyVariable: 'AWS_SECRET' });
    assert.deepEqual(one?.connection, { id: 'c', name: 'KBase (other.example)', server: 'https://other.example' });
    assert.equal(one.variable, 'AWS_SECRET');
  });

  it('gives each new connection a name of its own', () => {
    const create = (name: string, port: number) => ({ id: `${port}`, name, server: 'https://other.example', port });
    const given = [create('KBase', 1), create('KBase', 2), create('DTS', 3), { ...saved, name: 'DTS' }];
    assert.deepEqual(
      compare(...given).map(({ connection }) => connection.name),
      ['KBase (other.example:1)', 'KBase (other.example:2)', 'DTS (other.example:3)', 'DTS'],
    );
  });

  it('applies a variable alone only if its service has the address that was shown', () => {
    const given = { id: 'a', name: 'KBase', server: 'https://other.example', apiKeyVariable: 'DTS_KEY' };
    const [moved] = compare(given);
    const [same] = compare({ ...given, server: saved.server });
    const [created] = compareConnections([given], []);
    assert.ok(moved && same && created);
    const variable = { isVariableSelected: true, isConnectionSelected: false };
    assert.equal(selectConnection(moved, variable), undefined);
    assert.equal(selectConnection(created, variable), undefined);
    assert.deepEqual(selectConnection(same, variable), { ...saved, apiKeyVariable: 'DTS_KEY' });
    const both = { isVariableSelected: true, isConnectionSelected: true };
    assert.deepEqual(selectConnection(moved, both), given);
    const connection = { isVariableSelected: false, isConnectionSelected: true };
    assert.deepEqual(selectConnection(moved, connection), { id: 'a', name: 'KBase', server: 'https://other.example' });
  });
});
