import assert from 'node:assert/strict';
import type { Transfer, TransferOrder } from '../../../src/core/model/transferModel.ts';
import { TransferSearch } from '../../../src/core/model/transferSearch.ts';

const transfer = (key: string, order: Partial<TransferOrder> = {}, more: Partial<Transfer> = {}): Transfer => ({
  key,
  order: { connectionId: 'c', orcid: 'o', source: 'Alpha', destination: 'Beta', files: [], ...order },
  createdAt: 0,
  state: 'succeeded',
  changes: [],
  ...more,
});

describe('Searching the history', () => {
  const files = [
    { id: 'JDP:1', name: 'Penguins.csv' },
    { id: 'JDP:2', name: 'species.json' },
  ];
  const search = new TransferSearch([
    transfer('files', { files }),
    transfer('described', { description: 'For the winter survey' }),
    transfer('ided', {}, { id: '123e4567-e89b-42d3-a456-426614174000' }),
    transfer('placed', { destination: 'Gamma' }, { status: { message: 'disk full' } }),
  ]);
  const found = (text: string): readonly string[] => search.find(text, 10).map((one) => one.transfer.key);

  for (const [text, keys] of [
    ['', ['files', 'described', 'ided', 'placed']],
    ['penguins', ['files']],
    ['jdp:2', ['files']],
    ['WINTER', ['described']],
    ['426614174000', ['ided']],
    ['gamma', ['placed']],
    ['full', ['placed']],
    ['beta penguins', ['files']],
    ['penguins species', ['files']],
    ['gamma penguins', []],
    ['.*', []],
  ] as const) {
    it(`finds ${keys.join(', ') || 'nothing'} by "${text}"`, () => {
      assert.deepEqual(found(text), keys);
    });
  }

  it('returns the file that matches the words, and none if they match something else', () => {
    assert.equal(search.find('beta species', 1)[0]?.file, 'species.json');
    assert.equal(search.find('winter', 1)[0]?.file, undefined);
  });

  it('returns at most the requested number, the first ones', () => {
    assert.deepEqual(
      search.find('', 2).map((one) => one.transfer.key),
      ['files', 'described'],
    );
  });
});
