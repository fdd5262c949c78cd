import assert from 'node:assert/strict';
import type { StoreClient } from '../../../src/service/stores/storeClient.ts';
import { StoreError } from '../../../src/service/stores/storeError.ts';
import { claimStoreFolder, isOwnStoreFolder } from '../../../src/service/transfers/storeClaim.ts';
import { TransferFailure } from '../../../src/service/transfers/transferErrors.ts';

const one = '2c1d5e0a-0000-4000-8000-000000000001';
const other = '2c1d5e0a-0000-4000-8000-000000000002';
const taken = new TransferFailure('could not write run: it already exists at the destination');

describe('The claim of a folder in a store (D24)', () => {
  let objects: Map<string, string>;
  /** Numbers of the upcoming listings that fail, counted from 1. */
  let failing: Set<number>;
  let listings: number;

  beforeEach(() => {
    objects = new Map();
    failing = new Set();
    listings = 0;
  });

  const client = {
    stat: async (_remote: string, path: string) => await Promise.resolve(objects.has(path) ? { path } : undefined),
    list: async () => {
      if (failing.has(++listings)) throw new StoreError('broken', 'the connection was closed');
      return await Promise.resolve([...objects.keys()].map((path) => ({ path })));
    },
    read: async function* (_remote: string, path: string) {
      yield await Promise.resolve(Buffer.from(objects.get(path) ?? ''));
    },
    write: async (
      _remote: string,
      { folder, name }: { folder: string; name: string },
      pieces: AsyncIterable<Buffer>,
    ) => {
      for await (const piece of pieces) objects.set(`${folder}/${name}`, piece.toString());
    },
    remove: async (_remote: string, path: string) => await Promise.resolve(void objects.delete(path)),
  } as unknown as StoreClient;

  const folderOf = (transferId: string) => ({ remote: 'lab:to', transferId, folderName: 'run' });
  const claim = async (transferId: string): Promise<void> => await claimStoreFolder(client, folderOf(transferId));
  const isOwn = async (transferId: string): Promise<boolean> => await isOwnStoreFolder(client, folderOf(transferId));

  it("is one transfer's, also after an interruption, and refused to another one", async () => {
    await claim(one);
    await claim(one);
    await assert.rejects(claim(other), taken);
    assert.deepEqual([await isOwn(one), await isOwn(other), [...objects.keys()]], [true, false, [`run/.part-${one}`]]);
  });

  it('is continued by the transfer whose look for others failed, if there are none', async () => {
    failing.add(2);
    await assert.rejects(claim(one), StoreError);
    assert.equal(await isOwn(one), false);
    await claim(one);
    assert.equal(await isOwn(one), true);
  });

  it("gives no transfer another one's objects whose look for others failed", async () => {
    await claim(one);
    const [mark] = [...objects];
    objects.clear();
    failing.add(listings + 2);
    await assert.rejects(claim(other), StoreError);
    // The mark of the first transfer was written when the second one had looked for others.
    if (mark !== undefined) objects.set(...mark);
    objects.set('run/a.txt', 'alpha');
    objects.delete(`run/.part-${one}`);
    await assert.rejects(claim(other), taken);
    assert.equal(await isOwn(other), false);
  });

  it('stays that of the first transfer beside the mark that an interrupted one left', async () => {
    await claim(one);
    objects.set(`run/.part-${other}`, 'claiming');
    await claim(one);
    assert.equal(await isOwn(one), true);
  });
});
