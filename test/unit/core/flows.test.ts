import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localServiceName } from '../../../src/contract/contract.ts';
import { withFollowUp } from '../../../src/core/model/transferModel.ts';
import type { Search } from '../../../src/core/search/searchStore.ts';
import { dropBeforeAnswer, html, json, problem, silence } from '../../support/faultBehaviors.ts';
import { Rig, until } from './rig.ts';

const file = (id: string): object => ({ id, name: id, path: `data/${id}.csv`, bytes: 5 });
const page = (...ids: string[]): ReturnType<typeof json> => json({ resources: ids.map(file) });

describe('The flows', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
  });
  afterEach(() => rig.end());

  describe('connecting (D6)', () => {
    it('shows the databases once the listing has proved the key', async () => {
      await rig.connect();
      const { state, listing } = rig.explorer.connectionStore;
      assert.equal(state.kind, 'connected');
      assert.deepEqual(
        listing.databases.map(({ name }) => name),
        ['Alpha', 'Beta'],
      );
    });

    it('fails with the reason if only the root responds', async () => {
      rig.server.on('GET /api/v1/databases', problem(401, 'no such token'));
      await rig.explorer.connectFlow.open(rig.connection, 'wrong');
      const { state } = rig.explorer.connectionStore;
      assert.equal(state.kind === 'failed' && state.reason.kind, 'unauthorized');
      assert.equal(rig.explorer.sessions.active, undefined);
    });

    for (const [what, connection, kind] of [
      ['no server listens', { server: 'http://127.0.0.1:9' }, 'unreachable'],
      ['the address has no scheme', { server: 'dts.example.org' }, 'badAddress'],
      ['the key would be sent unencrypted', { server: 'http://dts.example.org' }, 'insecureAddress'],
      ['the port is out of range', { server: 'http://127.0.0.1', port: 70_000 }, 'badArgument'],
    ] as const) {
      it(`fails with the reason if ${what}`, async () => {
        await rig.advanceUntilSettled(rig.explorer.connectFlow.open({ id: 'x', name: 'X', ...connection }, 'the-key'));
        const { state } = rig.explorer.connectionStore;
        assert.equal(state.kind === 'failed' && state.reason.kind, kind);
      });
    }

    it('fails with the reason if the response is a web page', async () => {
      rig.server.on('GET /', html(200, 'Welcome'));
      await rig.explorer.connectFlow.open(rig.connection, 'the-key');
      const { state } = rig.explorer.connectionStore;
      assert.equal(state.kind === 'failed' && state.reason.kind, 'unreadable');
    });

    it('is superseded by a later call, whatever the earlier one does then', async () => {
      rig.server.on('GET /', silence(), json({ name: 'Second', version: '2' }));
      const first = rig.explorer.connectFlow.open({ ...rig.connection, id: 'first' }, 'the-key');
      await rig.server.received(1);
      await rig.explorer.connectFlow.open(rig.connection, 'the-key');
      await first;
      const { state } = rig.explorer.connectionStore;
      assert.equal(state.kind === 'connected' && state.service.name, 'Second');
    });

    it('changes nothing if a connection is only tested', async () => {
      const attempt = await rig.explorer.connectFlow.attempt(rig.connection, 'the-key');
      attempt.session?.client.dispose();
      assert.equal(attempt.session?.service.version, '1.2.3');
      assert.equal(rig.explorer.connectionStore.state.kind, 'disconnected');
    });

    it('keeps the databases of the last listing if the next one fails', async () => {
      await rig.connect();
      rig.server.on('GET /api/v1/databases', problem(400, 'not now'));
      await rig.explorer.connectFlow.refreshDatabases();
      const { listing } = rig.explorer.connectionStore;
      assert.deepEqual([listing.databases.length, listing.reason?.detail], [2, 'not now']);
    });
  });

  describe('searching (D9)', () => {
    const query = { database: 'Alpha', query: 'x', pageSize: 2 };
    const ids = (search: Search | undefined): string[] =>
      (search?.files ?? []).map((found) => (found.kind === 'file' ? found.id : 'unreadable'));

    async function run(): Promise<() => Search | undefined> {
      const key = await rig.explorer.searchFlow.run(await rig.connect(), query);
      return () => rig.explorer.searchStore.get(key);
    }

    it('always sends limit with offset, and offset as a multiple of limit', async () => {
      rig.server.on('POST /api/v1/files', page('1', '2', '3'), page('4'), page());
      const search = await run();
      await rig.explorer.searchFlow.loadMore(search()?.key ?? '');
      await rig.explorer.searchFlow.loadMore(search()?.key ?? '');
      const sent = rig.server
        .requestsTo('POST /api/v1/files')
        .map(({ body }) => JSON.parse(body) as { offset?: number });
      assert.deepEqual(
        sent.map((body) => [body.offset, 'limit' in body && body.limit]),
        [
          [undefined, 2],
          [2, 2],
          [4, 2],
        ],
      );
    });

    it('shows every file once, and ends with a page without a new file', async () => {
      rig.server.on('POST /api/v1/files', page('1', '2'), page('2', '3'), page('3', '1'));
      const search = await run();
      await rig.explorer.searchFlow.loadMore(search()?.key ?? '');
      assert.deepEqual([ids(search()), search()?.mayHaveMore], [['1', '2', '3'], true]);
      await rig.explorer.searchFlow.loadMore(search()?.key ?? '');
      assert.deepEqual([ids(search()), search()?.mayHaveMore], [['1', '2', '3'], false]);
    });

    it('treats a short page as the last one only if pages are exact (D21)', async () => {
      rig.server.on('POST /api/v1/files', page('1'));
      assert.equal((await run())()?.mayHaveMore, true);
      rig.server.on('GET /', json({ name: localServiceName, version: '1' }));
      assert.equal((await run())()?.mayHaveMore, false);
    });

    it('keeps earlier pages if a later one fails, and continues there', async () => {
      rig.server.on('POST /api/v1/files', page('1', '2'), problem(400, 'odd'), page('3', '4'));
      const search = await run();
      await rig.explorer.searchFlow.loadMore(search()?.key ?? '');
      assert.deepEqual([ids(search()), search()?.reason?.detail], [['1', '2'], 'odd']);
      await rig.explorer.searchFlow.loadMore(search()?.key ?? '');
      assert.deepEqual([ids(search()), search()?.reason], [['1', '2', '3', '4'], undefined]);
    });

    it('keeps a broken file in its place without losing the others (D15)', async () => {
      rig.server.on('POST /api/v1/files', json({ resources: [{ id: 7 }, file('1')] }));
      assert.deepEqual(ids((await run())()), ['unreadable', '1']);
    });

    it('ends when it is dismissed, and stores nothing afterwards', async () => {
      rig.server.on('POST /api/v1/files', silence());
      const session = await rig.connect();
      const running = rig.explorer.searchFlow.run(session, query);
      const [search] = rig.explorer.searchStore.getAll();
      rig.explorer.searchFlow.dismiss([search?.key ?? '']);
      await running;
      assert.deepEqual(rig.explorer.searchStore.getAll(), []);
    });

    it('reports that there is no connection if it was closed meanwhile', async () => {
      rig.server.on('POST /api/v1/files', page('1', '2'));
      const search = await run();
      rig.explorer.connectFlow.disconnect();
      await rig.explorer.searchFlow.loadMore(search()?.key ?? '');
      assert.equal(search()?.reason?.kind, 'notConnected');
    });
  });

  describe('submitting', () => {
    const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';

    it('writes the intent before the request is sent', async () => {
      await rig.connect();
      rig.server.on('POST /api/v1/transfers', silence());
      void rig.explorer.transferFlow.submit(rig.order);
      await rig.server.received(3);
      rig.restart();
      await rig.explorer.transferFlow.resume();
      const [transfer] = rig.explorer.transferStore.getAll();
      assert.deepEqual([transfer?.state, transfer?.order], ['notConfirmed', rig.order]);
    });

    it('stores the ID that the service returned', async () => {
      await rig.connect();
      rig.server.on('POST /api/v1/transfers', json({ id }, 201));
      rig.server.on('GET /api/v1/transfers/*', silence());
      await rig.explorer.transferFlow.submit(rig.order);
      rig.restart();
      await rig.explorer.transferFlow.resume();
      assert.equal(rig.explorer.transferStore.getRunning()[0]?.id, id);
    });

    it('resolves with the result of the submission, even if the transfer has progressed by then', async () => {
      await rig.connect();
      rig.server.on('POST /api/v1/transfers', json({ id }, 201));
      rig.server.on(
        'GET /api/v1/transfers/*',
        json({ id, status: 'succeeded', num_files: 1, num_files_transferred: 1 }),
      );
      assert.equal((await rig.explorer.transferFlow.submit(rig.order)).state, 'accepted');
    });

    it('is rejected with the reason of the service', async () => {
      await rig.connect();
      rig.server.on('POST /api/v1/transfers', problem(404, 'no database Beta'));
      const transfer = await rig.explorer.transferFlow.submit(rig.order);
      assert.deepEqual([transfer.state, transfer.problem?.detail], ['refused', 'no database Beta']);
    });

    it('sends nothing that is to be started afterwards to a service that may not know it (D72)', async () => {
      await rig.connect();
      const followUp = { kind: 'program', path: '/a' } as const;
      const transfer = await rig.explorer.transferFlow.submit(withFollowUp(rig.order, followUp));
      assert.deepEqual([transfer.state, transfer.problem], ['refused', { kind: 'noFollowUp' }]);
      assert.equal(rig.server.requestsTo('POST /api/v1/transfers').length, 0);
    });

    it('is not confirmed, and not sent again, if the response never came (D12)', async () => {
      await rig.connect();
      rig.server.on('POST /api/v1/transfers', dropBeforeAnswer());
      const transfer = await rig.explorer.transferFlow.submit(rig.order);
      assert.equal(transfer.state, 'notConfirmed');
      assert.equal(rig.server.requestsTo('POST /api/v1/transfers').length, 1);
    });

    it('sends no chosen folder to a service that may not know it (D24)', async () => {
      await rig.connect();
      const transfer = await rig.explorer.transferFlow.submit({ ...rig.order, folder: 'run-42' });
      assert.deepEqual([transfer.state, transfer.problem], ['refused', { kind: 'noFolderChoice' }]);
      assert.equal(rig.server.requestsTo('POST /api/v1/transfers').length, 0);
    });

    it('sends a chosen folder as one of the instructions, and stores the one that is reported (D24)', async () => {
      rig.server.on('GET /', json({ name: localServiceName, version: '1', features: ['instructions.folder'] }));
      await rig.connect();
      rig.server.on('POST /api/v1/transfers', json({ id }, 201));
      rig.server.on('GET /api/v1/transfers/*', json({ id, status: 'active', folder: 'run-42' }));
      const order = { ...rig.order, instructions: { type: 'assembly' }, folder: 'run-42' };
      const { key } = await rig.explorer.transferFlow.submit(order);
      const [request] = rig.server.requestsTo('POST /api/v1/transfers');
      const { instructions } = JSON.parse(request?.body ?? '') as { readonly instructions: unknown };
      assert.deepEqual(instructions, { type: 'assembly', folder: 'run-42' });
      const { transferStore } = rig.explorer;
      await until(transferStore.onDidChange, () => transferStore.get(key)?.status?.folder === 'run-42');
    });

    it('stores the folder of the instructions as that of the order if the service knows the field (D24)', async () => {
      const order = { ...rig.order, instructions: { folder: 'run-42' } };
      rig.server.on('GET /', json({ name: localServiceName, version: '1', features: ['instructions.folder'] }));
      await rig.connect();
      rig.server.on('POST /api/v1/transfers', json({ id }, 201));
      const submitted = await rig.explorer.transferFlow.submit(order);
      assert.deepEqual(submitted.order, { ...rig.order, folder: 'run-42' });
      const [request] = rig.server.requestsTo('POST /api/v1/transfers');
      assert.deepEqual((JSON.parse(request?.body ?? '') as { instructions: unknown }).instructions, {
        folder: 'run-42',
      });
    });

    it("leaves another service's instructions as they are", async () => {
      await rig.connect();
      rig.server.on('POST /api/v1/transfers', json({ id }, 201));
      const order = { ...rig.order, instructions: { folder: 'run-42' } };
      assert.deepEqual((await rig.explorer.transferFlow.submit(order)).order, order);
    });

    it('sends nothing if the ledger cannot be written', async () => {
      await rig.connect();
      await writeFile(join(rig.folder, 'transfers'), 'a file where the folder should be');
      await assert.rejects(rig.explorer.transferFlow.submit(rig.order));
      assert.equal(rig.server.requestsTo('POST /api/v1/transfers').length, 0);
    });

    it("cancels with the submitter's ORCID iD (§4.7), and shows that it waits for the end (D13)", async () => {
      await rig.connect();
      rig.server.on('POST /api/v1/transfers', json({ id }, 201));
      rig.server.on('GET /api/v1/transfers/*', json({ id, status: 'active' }));
      rig.server.on('DELETE /api/v1/transfers/*', json({}, 202));
      const { key } = await rig.explorer.transferFlow.submit(rig.order);
      assert.equal(await rig.explorer.transferFlow.cancel(key), undefined);
      assert.equal(rig.server.requestsTo('DELETE /api/v1/transfers/*')[0]?.query.get('orcid'), rig.order.orcid);
      assert.equal(rig.explorer.transferStore.get(key)?.cancelAcceptedAt, rig.clock.now());
    });

    it('continues without the ledger if it cannot be read, and logs that', async () => {
      await writeFile(join(rig.folder, 'transfers'), 'a file where the folder should be');
      await rig.explorer.transferFlow.resume();
      assert.deepEqual(rig.explorer.transferStore.getAll(), []);
      assert.match(rig.log.lines.join(), /error The records of transfers could not be read/);
    });

    it('loads transfers that ended earlier only on request', async () => {
      await rig.connect();
      rig.server.on('POST /api/v1/transfers', problem(400, 'no'));
      await rig.explorer.transferFlow.submit(rig.order);
      rig.restart();
      await rig.explorer.transferFlow.resume();
      const { transferStore, transferFlow } = rig.explorer;
      assert.deepEqual([transferStore.getAll().length, transferStore.hasEarlier], [0, true]);
      await transferFlow.loadFinished();
      assert.deepEqual([transferStore.getFinished().length, transferStore.hasEarlier], [1, false]);
    });
  });

  it('fetch the metadata of one file, or report why there is none', async () => {
    await rig.connect();
    rig.server.on('GET /api/v1/files/by-id', json({ resources: [file('1')] }), problem(400, 'gone'));
    const name = { connectionId: 'c', database: 'Alpha', id: '1' };
    const { file: found } = await rig.explorer.metadataFlow.fetchFile(name);
    assert.equal(found?.kind === 'file' && found.name, '1.csv');
    assert.equal((await rig.explorer.metadataFlow.fetchFile(name)).reason?.detail, 'gone');
    assert.equal(
      (await rig.explorer.metadataFlow.fetchFile({ ...name, connectionId: 'z' })).reason?.kind,
      'notConnected',
    );
  });

  it('keep the checked files of each connection separate, and clear them after a restart (§4.5)', async () => {
    const session = await rig.connect();
    rig.server.on('POST /api/v1/files', page('1'));
    const { searchStore, searchFlow } = rig.explorer;
    const key = await searchFlow.run(session, { database: 'Alpha', query: '', pageSize: 10 });
    const [found] = searchStore.get(key)?.files ?? [];
    assert.ok(found?.kind === 'file');
    searchStore.open('elsewhere', 'another connection', { database: 'Alpha', query: '', pageSize: 10 });
    for (const search of [key, 'elsewhere']) searchStore.setChecked(search, [found], true);
    assert.deepEqual(
      searchStore.getCheckedFiles().map(({ connectionId }) => connectionId),
      ['c', 'another connection'],
    );
    await searchFlow.restart(key);
    assert.equal(searchStore.getCheckedFiles().length, 1);
  });

  it('report a search twice: its start and its result', async () => {
    const session = await rig.connect();
    rig.server.on('POST /api/v1/files', page('1'));
    const { searchStore, searchFlow } = rig.explorer;
    const changes: (readonly string[])[] = [];
    searchStore.onDidChange((keys) => changes.push(keys));
    const key = await searchFlow.run(session, { database: 'Alpha', query: '', pageSize: 10 });
    assert.deepEqual(changes, [[key], [key]]);
  });

  it('report every change of the store', async () => {
    const session = await rig.connect();
    rig.server.on('POST /api/v1/files', page('1'));
    const { searchStore, searchFlow } = rig.explorer;
    void searchFlow.run(session, { database: 'Alpha', query: '', pageSize: 10 });
    await until(searchStore.onDidChange, () => searchStore.getAll()[0]?.files.length === 1);
    assert.equal(searchStore.getAll()[0]?.isLoading, false);
  });
});
