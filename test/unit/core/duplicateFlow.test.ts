import assert from 'node:assert/strict';
import { localServiceName } from '../../../src/contract/contract.ts';
import type { KnownCopies } from '../../../src/core/transfers/duplicateFlow.ts';
import type { Transfer, TransferFile, TransferOrder } from '../../../src/core/model/transferModel.ts';
import { json, problem, silence, type Behavior } from '../../support/faultBehaviors.ts';
import { Rig } from './rig.ts';

const file = (id: string, digit: string, sizeBytes = 5): TransferFile => {
  return { id, name: id, sizeBytes, hash: digit.repeat(64) };
};
const folder = 'dts-11111111-1111-4111-8111-111111111111';
/** Returns a file at the destination, where it is in the folder of a transfer. */
const resource = (path: string, digit: string, bytes = 5): object => {
  return { id: `${folder}/${path}`, path: `${folder}/${path}`, bytes, hash: `sha256:${digit.repeat(64)}` };
};
const page = (...resources: object[]): Behavior => json({ resources });
const readVerified = (): Promise<[]> => Promise.resolve([]);

describe('Checking the destination for planned files', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
  });
  afterEach(() => rig.end());

  /** Connects to a service that can be searched by size, like the local service. */
  const connect = async (): Promise<void> => {
    rig.server.on('GET /', json({ name: localServiceName, version: '1.2.3' }));
    await rig.connect();
  };
  const find = async (files: readonly TransferFile[], signal?: AbortSignal): Promise<KnownCopies> => {
    const order: TransferOrder = { ...rig.order, files };
    const options = { readVerified, ...(signal && { signal }) };
    return await rig.explorer.duplicateFlow.findKnownCopies([order], options);
  };
  const summarize = ({ atDestination, isComplete }: KnownCopies): unknown => [
    [...atDestination].map(({ id }) => id),
    isComplete,
  ];
  const queries = (): unknown[] =>
    rig.server.requestsTo('POST /api/v1/files').map(({ body }) => JSON.parse(body) as unknown);

  it('requests files of the same sizes, and compares their hashes (D60: same content)', async () => {
    rig.server.on('POST /api/v1/files', page(resource('1', 'a'), resource('y', 'c')));
    await connect();
    assert.deepEqual(summarize(await find([file('1', 'a'), file('2', 'b'), file('3', 'b', 7)])), [['1'], true]);
    const [{ database, query }] = queries() as [{ database: string; query: string }];
    assert.deepEqual([database, query, queries().length], ['Beta', 'bytes:=5 | bytes:=7', 1]);
  });

  it('searches while the history is loaded', async () => {
    rig.server.on('POST /api/v1/files', page(resource('1', 'a')));
    await connect();
    const { transferFlow } = rig.explorer;
    let endLoading: () => void = () => undefined;
    const loading = new Promise<void>((resolve) => (endLoading = resolve));
    transferFlow.loadFinished = async () => await loading;
    const requested = rig.server.received(rig.server.requests.length + 1);
    const finding = find([file('1', 'a')]);
    await requested;
    endLoading();
    assert.deepEqual(summarize(await finding), [['1'], true]);
  });

  it('finds a file only under its own path; equal content elsewhere is reported on its own', async () => {
    const [own, other] = ['sub-01/bold.json', 'sub-02/bold.json'];
    const direct = { id: 'x', path: other, bytes: 5, hash: `sha256:${'b'.repeat(64)}` };
    rig.server.on('POST /api/v1/files', page(resource(own, 'a'), direct));
    await connect();
    const found = await find([file(own, 'a'), file(other, 'a'), file(other, 'b'), file('3', 'c')]);
    const list = (files: Iterable<TransferFile>): unknown => [...files].map(({ id, hash }) => [id, hash?.[0]]);
    assert.deepEqual(list(found.atDestination), [
      [own, 'a'],
      [other, 'b'],
    ]);
    assert.deepEqual(list(found.elsewhere), [[other, 'a']]);
  });

  it('is incomplete if a planned or found file has no hash, or another algorithm', async () => {
    rig.server.on(
      'POST /api/v1/files',
      page(resource('1', 'a')),
      page(resource('1', 'a'), { id: 'y', bytes: 5 }),
      page(resource('1', 'a'), { id: 'y', bytes: 5, hash: 'a'.repeat(32) }),
    );
    await connect();
    const unknown = { id: '2', name: '2', sizeBytes: 5 };
    assert.deepEqual(summarize(await find([file('1', 'a'), unknown])), [['1'], false]);
    assert.deepEqual(summarize(await find([file('1', 'a')])), [['1'], false]);
    assert.deepEqual(summarize(await find([file('1', 'a')])), [['1'], false]);
  });

  it('sends four requests at most, and is incomplete if there are more sizes', async () => {
    rig.server.on('POST /api/v1/files', page());
    await connect();
    const files = Array.from({ length: 450 }, (_, index) => file(`${index}`, 'a', index + 1));
    assert.deepEqual(summarize(await find(files)), [[], false]);
    assert.equal(queries().length, 4);
  });

  it('finds nothing after a failure, and is incomplete', async () => {
    rig.server.on('POST /api/v1/files', problem(400, 'odd'));
    await connect();
    assert.deepEqual(summarize(await find([file('1', 'a')])), [[], false]);
  });

  it('ends after two seconds with the results so far, and cancels the request', async () => {
    rig.server.on('POST /api/v1/files', silence());
    await connect();
    const requested = rig.server.received(rig.server.requests.length + 1);
    const finding = find([file('1', 'a')]);
    await requested;
    const before = rig.clock.now();
    assert.deepEqual(summarize(await rig.advanceUntilSettled(finding)), [[], false]);
    assert.ok(rig.clock.now() - before <= 3_000);
  });

  it('ends when it is canceled', async () => {
    rig.server.on('POST /api/v1/files', silence());
    await connect();
    const cancellation = new AbortController();
    const requested = rig.server.received(rig.server.requests.length + 1);
    const finding = find([file('1', 'a')], cancellation.signal);
    await requested;
    cancellation.abort();
    assert.deepEqual(summarize(await finding), [[], false]);
  });

  it('sends no request to a service that cannot be searched by size, and uses loaded search results instead', async () => {
    rig.server.on('POST /api/v1/files', page(resource('1', 'a')));
    const session = await rig.connect();
    await rig.explorer.searchFlow.run(session, { database: 'Beta', query: 'x', pageSize: 2 });
    const before = queries().length;
    assert.deepEqual(summarize(await find([file('1', 'a'), file('2', 'b')])), [['1'], false]);
    assert.equal(queries().length, before);
  });

  it('does not claim another path for content whose path the destination does not state', async () => {
    const unplaced = { id: 'x', bytes: 5, hash: `sha256:${'a'.repeat(64)}` };
    rig.server.on('POST /api/v1/files', page(unplaced, resource('y', 'b'), { ...resource('y', 'b'), path: null }));
    const session = await rig.connect();
    await rig.explorer.searchFlow.run(session, { database: 'Beta', query: 'x', pageSize: 9 });
    const found = await find([file('1', 'a'), file('2', 'b'), file('3', 'c')]);
    const list = (files: Iterable<TransferFile>): unknown => [...files].map(({ id }) => id);
    assert.deepEqual([list(found.elsewhere), list(found.unplaced)], [['2'], ['1']]);
  });

  it('prefers a complete search of the destination to results that were loaded before', async () => {
    rig.server.on('POST /api/v1/files', page(resource('1', 'a')), page());
    rig.server.on('GET /', json({ name: localServiceName, version: '1.2.3' }));
    const session = await rig.connect();
    await rig.explorer.searchFlow.run(session, { database: 'Beta', query: 'x', pageSize: 2 });
    assert.deepEqual(summarize(await find([file('1', 'a')])), [[], true]);
  });

  const trackEarlier = (): Promise<Transfer> =>
    rig.explorer.transferFlow.track({
      key: 'earlier',
      order: { ...rig.order, files: [file('1', 'a')] },
      createdAt: 1,
      state: 'succeeded',
      changes: [{ state: 'succeeded', at: 1000 }],
    });

  it('forgets files of earlier transfers that a complete search of the destination does not find (D60)', async () => {
    rig.server.on('POST /api/v1/files', page(), page(resource('1', 'a')));
    await connect();
    await trackEarlier();
    const gone = await find([file('1', 'a')]);
    assert.deepEqual([gone.isComplete, gone.received.size], [true, 0]);
    assert.equal((await find([file('1', 'a')])).received.size, 1);
  });

  it('finds files that an earlier transfer wrote there', async () => {
    await rig.connect();
    const transfer = await trackEarlier();
    rig.restart();
    await rig.connect();
    await rig.explorer.transferFlow.resume();
    const { received } = await find([file('1', 'a'), file('2', 'b')]);
    assert.deepEqual(
      [...received].map(([{ id }, at]) => [id, at]),
      [['1', 1000]],
      transfer.key,
    );
  });

  it('finds files in a folder with a chosen name of an earlier transfer to the same destination only (D24)', async () => {
    const placed = ['run/1', 'elsewhere/2'].map((path, index) => {
      return { id: path, path, bytes: 5, hash: `sha256:${'ab'.charAt(index).repeat(64)}` };
    });
    rig.server.on('POST /api/v1/files', page(...placed));
    await connect();
    const { transferFlow } = rig.explorer;
    const transfer = await trackEarlier();
    await transferFlow.save({ ...transfer, order: { ...transfer.order, folder: 'run' } });
    const order = { ...transfer.order, destination: 'other', folder: 'elsewhere' };
    await transferFlow.save({ ...transfer, key: '2c1d5e0a-0000-4000-8000-000000000002', order });
    const { atDestination } = await find([file('1', 'a'), file('2', 'b')]);
    assert.deepEqual(
      [...atDestination].map(({ id }) => id),
      ['1'],
    );
  });

  it('finds files in a folder with a chosen name of another connection to the service', async () => {
    const placed = { id: 'run/1', path: 'run/1', bytes: 5, hash: `sha256:${'a'.repeat(64)}` };
    rig.server.on('POST /api/v1/files', page(placed));
    await connect();
    const { transferFlow } = rig.explorer;
    const transfer = await trackEarlier();
    const { addressId } = rig.explorer.sessions.describe(transfer.order.connectionId);
    const order = { ...transfer.order, connectionId: 'other', folder: 'run' };
    await transferFlow.save({ ...transfer, ...(addressId !== undefined && { addressId }), order });
    assert.equal((await find([file('1', 'a')])).atDestination.size, 1);
  });
});
