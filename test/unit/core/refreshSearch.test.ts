import assert from 'node:assert/strict';
import { localServiceName } from '../../../src/contract/contract.ts';
import type { FileEntry } from '../../../src/core/model/fileEntry.ts';
import type { SearchQuery } from '../../../src/core/model/searchModel.ts';
import type { Search } from '../../../src/core/search/searchStore.ts';
import { json, problem, silence, type Behavior } from '../../support/faultBehaviors.ts';
import { Rig } from './rig.ts';

const page = (...ids: string[]): Behavior => json({ resources: ids.map((id) => ({ id, bytes: 5 })) });
const query: SearchQuery = { database: 'Alpha', query: 'x', pageSize: 2 };

describe('Refreshing the search of an earlier window (D59)', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
  });
  afterEach(() => rig.end());

  const ids = (search: Search | undefined): string[] =>
    (search?.files ?? []).flatMap((file) => (file.kind === 'file' ? [file.id] : []));
  const all = (): readonly Search[] => rig.explorer.searchStore.getAll();

  const fileIn = (id: string): FileEntry => {
    return { kind: 'file', id, database: 'Alpha', name: id, resource: {}, isSummary: true };
  };
  const restore = (...found: string[]): void => {
    const saved = { key: 's', connectionId: 'c', query, order: 'relevance', isCollapsed: false } as const;
    const files = found.map(fileIn);
    const checked = ['1', 'gone'].map(fileIn);
    rig.explorer.searchStore.restoreSaved([{ ...saved, mayHaveMore: true, files, checked, unknownIds: [] }]);
  };
  const shown = (): unknown => [ids(all()[0]), all()[0]?.isStale, all()[0]?.isLoading];

  it('replaces the files by the same number, and keeps all checked files, found or not', async () => {
    rig.server.on('POST /api/v1/files', page('9', '1'), page('2', '3'), page('4', '5'));
    await rig.connect();
    restore('1', '2', 'gone');
    assert.deepEqual(shown(), [['1', '2', 'gone'], true, false]);
    const refreshing = rig.explorer.searchFlow.refresh('s');
    assert.deepEqual(shown(), [['1', '2', 'gone'], true, true]);
    await refreshing;
    assert.deepEqual(shown(), [['9', '1', '2', '3'], false, false]);
    const { searchStore } = rig.explorer;
    assert.deepEqual(
      searchStore.getUnlistedChecks('s').map(({ id }) => id),
      ['gone'],
    );
    assert.deepEqual([searchStore.getCheckedCount('s'), searchStore.checked.sizeBytes], [2, 5]);
    assert.equal(searchStore.getChecked('s').find(({ id }) => id === '1')?.isSummary, undefined);
    assert.equal(all()[0]?.loadedAt, rig.clock.now());
  });

  it('still knows the end of the results (D9)', async () => {
    rig.server.on('POST /api/v1/files', page('1', '2'), page('3', '4'), page());
    const session = await rig.connect();
    const { searchFlow, searchStore } = rig.explorer;
    const key = await searchFlow.run(session, query);
    await searchFlow.loadUpTo(key, Number.POSITIVE_INFINITY);
    assert.equal(all()[0]?.mayHaveMore, false);
    rig.server.on('POST /api/v1/files', page('1', '2'), page('3', '4'), page());
    searchStore.update(key, { isStale: true });
    await searchFlow.refresh(key);
    assert.deepEqual(shown(), [['1', '2', '3', '4'], false, false]);
    assert.equal(all()[0]?.mayHaveMore, false);
  });

  it('continues after the refreshed files at the first "Load More"', async () => {
    rig.server.on('POST /api/v1/files', page('1', '2'), page('3', '4'), page('5', '6'));
    await rig.connect();
    restore('1', '2');
    await rig.explorer.searchFlow.loadMore('s');
    assert.deepEqual(shown(), [['1', '2', '3', '4'], false, false]);
    await rig.explorer.searchFlow.loadMore('s');
    assert.deepEqual(shown(), [['1', '2', '3', '4', '5', '6'], false, false]);
  });

  it('keeps nothing that an earlier response said of the listing', async () => {
    const listing = { state: 'failed', files: 2, asOf: '2026-11-03T10:00:00.000Z', problem: 'p' };
    const outdated = json({ resources: [{ id: '1' }], leftOut: { hidden: 1 }, listing });
    rig.server.on('GET /', json({ name: localServiceName, version: '1.0.0' }));
    rig.server.on('POST /api/v1/files', outdated, page('1'), outdated, page('1'));
    const session = await rig.connect();
    const { searchFlow } = rig.explorer;
    const key = await searchFlow.run(session, query);
    const said = (): unknown => [all()[0]?.leftOut, all()[0]?.listing];
    for (const again of [() => searchFlow.refresh(key), () => searchFlow.restart(key)]) {
      assert.deepEqual(said(), [{ hidden: 1 }, listing]);
      await again();
      assert.deepEqual(said(), [undefined, undefined]);
      await searchFlow.refresh(key);
    }
  });

  it('keeps the files when the service fails or is not connected, and reports the reason', async () => {
    restore('1', '2');
    await rig.explorer.searchFlow.refresh('s');
    assert.deepEqual([shown(), all()[0]?.reason?.kind], [[['1', '2'], true, false], 'notConnected']);
    rig.server.on('POST /api/v1/files', page('1', '2'), problem(400, 'odd'));
    await rig.connect();
    restore('1', '2');
    await rig.explorer.searchFlow.loadUpTo('s', 4);
    assert.deepEqual([shown(), all()[0]?.reason?.detail], [[['1', '2'], true, false], 'odd']);
    assert.equal(rig.explorer.searchStore.getCheckedCount('s'), 2);
  });

  it('leaves the files unchanged when it is stopped, or the search is removed', async () => {
    rig.server.on('POST /api/v1/files', silence());
    await rig.connect();
    restore('1');
    const refreshing = rig.explorer.searchFlow.refresh('s');
    rig.explorer.searchFlow.stop(['s']);
    await refreshing;
    assert.deepEqual(shown(), [['1'], true, false]);
    const again = rig.explorer.searchFlow.refresh('s');
    rig.explorer.searchFlow.dismiss(['s']);
    await again;
    assert.deepEqual(all(), []);
  });
});
