import assert from 'node:assert/strict';
import { readDatabases, readStatus } from '../../../src/core/client/responseReaders.ts';
import { findCluster } from '../../../src/core/model/databaseModel.ts';

const offer = { tasks: 8, partition: 'xfer', minBytes: 1_000, minFiles: 3 };

function read(...clusters: readonly unknown[]) {
  return readDatabases(clusters.map((cluster, index) => ({ id: `d${index}`, name: `D${index}`, cluster })));
}

describe('The cluster on which a transfer runs', () => {
  it('is known before the transfer is submitted, from its size and both databases', () => {
    const [one, other, store] = read(offer, offer, undefined);
    const place = { tasks: 8, partition: 'xfer' };
    assert.deepEqual(findCluster(one, other, [{ sizeBytes: 999 }, { sizeBytes: 1 }]), place);
    assert.deepEqual(findCluster(one, other, [{}, {}, {}]), place);
    assert.equal(findCluster(one, other, [{ sizeBytes: 999 }, {}]), undefined);
    assert.equal(findCluster(one, store, [{ sizeBytes: 1_000 }]), undefined);
    assert.equal(findCluster(store, one, [{ sizeBytes: 1_000 }]), undefined);
    assert.equal(findCluster(undefined, one, [{ sizeBytes: 1_000 }]), undefined);
  });

  it('is not read from anything else of that name (D15)', () => {
    const others = [
      'yes',
      {},
      { ...offer, tasks: '8' },
      { ...offer, partition: 1 },
      { ...offer, minFiles: 'many' },
      null,
    ];
    assert.deepEqual(
      read(...others).map(({ cluster }) => cluster),
      others.map(() => undefined),
    );
  });

  it('is in a status of the local service only (D15)', () => {
    const status = { status: 'active', cluster: { tasks: 4 } };
    assert.deepEqual(readStatus(status, true).cluster, { tasks: 4 });
    assert.equal(readStatus(status).cluster, undefined);
    assert.equal(readStatus({ status: 'active', cluster: 'lab' }, true).cluster, undefined);
  });
});
