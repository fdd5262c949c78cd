import assert from 'node:assert/strict';
import {
  filterSameDestination,
  findReceivedFiles,
  findRepeatedFiles,
  getPlaceKeys,
  omitFiles,
} from '../../../src/core/duplicates/equalFiles.ts';
import type { Transfer, TransferFile, TransferOrder } from '../../../src/core/model/transferModel.ts';
import { order, submittingTransfer } from './specimens.ts';

const file = (id: string, digit: string, sizeBytes = 5): TransferFile => {
  return { id, name: id, sizeBytes, hash: digit.repeat(64) };
};
const ended = (key: string, at: number, files: readonly TransferFile[], more: Partial<Transfer> = {}): Transfer => ({
  ...submittingTransfer,
  key,
  order: { ...order, files },
  state: 'succeeded',
  changes: [{ state: 'succeeded', at }],
  ...more,
});
const ids = (files: Iterable<TransferFile>): readonly string[] => [...files].map(({ id }) => id);

describe('Received files', () => {
  const planned = [file('1', 'a'), file('2', 'b'), file('3', 'c'), { id: '4', name: '4', sizeBytes: 5 }];
  const find = (transfers: readonly Transfer[], ...verified: Parameters<typeof findReceivedFiles>[2]) =>
    [...findReceivedFiles(planned, transfers, verified)].map(([{ id }, at]) => [id, at]);

  it('are those with equal path, hash and size in completed transfers, with the time of the last (D60)', () => {
    const transfers = [
      ended('newest', 3000, [{ ...file('other', 'b'), path: 'other/2' }]),
      ended('new', 2000, [{ ...file('other id', 'a'), path: '1' }]),
      ended('old', 1000, [file('1', 'a'), file('2', 'b'), file('3', 'c', 6)]),
    ];
    assert.deepEqual(find(transfers), [
      ['1', 2000],
      ['2', 1000],
    ]);
  });

  it("don't include files under another path, even with the same ID or in another transfer's folder", () => {
    const [one, other] = ['11111111', '22222222'].map((start) => `dts-${start}-1111-4111-8111-111111111111/s.json`);
    const placed = (id: string, path: string): TransferFile => ({ ...file(id, 'a'), path });
    const received = ended('t', 1, [placed('x', one ?? ''), placed('declared', 'old/a.txt')]);
    const moved = [placed('y', other ?? ''), placed('declared', 'new/a.txt'), placed('z', one ?? '')];
    assert.deepEqual(ids(findReceivedFiles(moved, [received], []).keys()), ['z']);
  });

  it('include those of a record without paths by their IDs', () => {
    const planned = { ...file('declared', 'a'), path: 'new/a.txt' };
    assert.deepEqual(ids(findReceivedFiles([planned], [ended('t', 1, [file('declared', 'a')])], []).keys()), [
      'declared',
    ]);
  });

  it("don't include files with the same ID whose hash the record doesn't have", () => {
    assert.deepEqual(find([ended('t', 1, [{ id: '1', name: '1', sizeBytes: 5 }])]), []);
  });

  it("don't include files of a transfer that did not move all its files", () => {
    const status = { status: 'succeeded', fileCount: 2, movedFileCount: 1 };
    assert.deepEqual(find([ended('t', 1, [file('1', 'a'), file('2', 'b')], { status })]), []);
  });

  it('include only the intact files of a verified transfer', () => {
    const transfer = ended('t', 1, [file('1', 'a'), file('2', 'b')]);
    const intact = { path: '2', hash: `sha256:${'b'.repeat(64)}`, sizeBytes: 5 };
    assert.deepEqual(find([transfer], { key: 't', files: [intact] }), [['2', 1]]);
    assert.deepEqual(find([transfer], { key: 't', files: [] }), []);
  });

  it('include the intact files of a verified transfer with damaged files, or without hashes in its record', () => {
    const status = { status: 'succeeded', fileCount: 2, movedFileCount: 1 };
    const transfer = ended('t', 1, [{ id: '1', name: '1' }], { status });
    const intact = { path: '1', hash: 'a'.repeat(64), sizeBytes: 5 };
    assert.deepEqual(find([transfer], { key: 't', files: [intact] }), [['1', 1]]);
  });

  it('count transfers of the same user only', () => {
    const transfer = ended('t', 1, [file('1', 'a')]);
    const service = new Set([transfer.order.connectionId]);
    const elsewhere = { ...transfer.order, orcid: '0000-0001-5109-3700' };
    assert.deepEqual(filterSameDestination([transfer], transfer.order, service), [transfer]);
    assert.deepEqual(filterSameDestination([transfer], elsewhere, service), []);
  });

  it('count transfers to the same destination only', () => {
    const to = (key: string, more: Partial<TransferOrder>): Transfer =>
      ended(key, 1, [], { order: { ...order, ...more } });
    const transfers = [
      to('same', { source: 'Z' }),
      to('other', { destination: 'Z' }),
      to('service', { connectionId: 'z' }),
      { ...to('address', { connectionId: 'z' }), addressId: 'a' },
      ended('failed', 1, [], { state: 'failed' }),
    ];
    assert.deepEqual(
      filterSameDestination(transfers, order, new Set([order.connectionId, 'a'])).map(({ key }) => key),
      ['same', 'address'],
    );
  });
});

describe('Planned files', () => {
  it('are repeated if a file of an earlier source has the same path, hash and size', () => {
    const placed = (id: string, path: string): TransferFile => ({ ...file(id, 'a'), path });
    const orders = [
      { ...order, files: [file('1', 'a'), file('1b', 'a'), file('2', 'b')] },
      { ...order, source: 'C', files: [placed('x', '1'), placed('v', '9'), file('y', 'c'), { id: 'z', name: '2' }] },
      { ...order, source: 'D', files: [{ ...file('d', 'c'), path: 'y' }] },
    ];
    const repeated = findRepeatedFiles(orders, getPlaceKeys);
    assert.deepEqual(ids(repeated), ['x', 'd']);
    const rest = omitFiles(orders, repeated);
    assert.deepEqual(
      rest.map(({ source, files }) => [source, ids(files)]),
      [
        ['A', ['1', '1b', '2']],
        ['C', ['v', 'y', 'z']],
      ],
    );
  });
});
