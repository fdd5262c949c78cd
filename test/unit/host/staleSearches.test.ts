import assert from 'node:assert/strict';
import { ConnectionStore } from '../../../src/core/connections/connectionStore.ts';
import type { StoreListing } from '../../../src/core/model/databaseModel.ts';
import type { Reason } from '../../../src/core/model/reason.ts';
import type { SavedSearch } from '../../../src/core/model/savedSearch.ts';
import { SearchStore } from '../../../src/core/search/searchStore.ts';
import { Emitter } from '../../../src/core/util/lifetime.ts';
import { StaleSearches } from '../../../src/extension/features/search/staleSearches.ts';

describe('A search of an earlier window is requested again (D59)', () => {
  let store: SearchStore;
  let visibility: Emitter<unknown>;
  let sessions: Emitter<void>;
  let databases: ConnectionStore;
  let view: { visible: boolean; onDidChangeVisibility: never };
  let session: { readonly connection: { readonly id: string } } | undefined;
  let requested: string[];
  let release: (() => void)[];
  /** Called when the databases are to be listed again. */
  let listAgain: () => Promise<Reason | undefined>;
  let watch: StaleSearches;

  beforeEach(() => {
    store = new SearchStore();
    visibility = new Emitter();
    sessions = new Emitter();
    view = { visible: false, onDidChangeVisibility: visibility.event as never };
    session = undefined;
    requested = [];
    release = [];
    const refresh = async (key: string): Promise<void> => {
      requested.push(key);
      store.update(key, { isLoading: true });
      await new Promise<void>((resolve) => release.push(resolve));
      store.update(key, { isLoading: false });
    };
    const getSession = (): typeof session => session;
    databases = new ConnectionStore();
    listAgain = async () => await new Promise(() => undefined);
    const refreshDatabases = async (): Promise<Reason | undefined> => await listAgain();
    const shared = { store, connectionStore: databases, view, getSession, refresh, refreshDatabases };
    watch = new StaleSearches({ ...shared, onDidChangeSession: sessions.event });
  });
  afterEach(() => watch.dispose());

  const restore = (...keys: string[]): void => {
    const state = { order: 'relevance', isCollapsed: false, mayHaveMore: false, files: [], checked: [] } as const;
    const query = { database: 'Alpha', query: '', pageSize: 5 };
    store.restoreSaved(keys.map((key): SavedSearch => ({ key, connectionId: 'c', query, ...state, unknownIds: [] })));
  };
  const show = (): void => {
    view.visible = true;
    visibility.fire(undefined);
  };
  const connect = (id = 'c'): void => {
    session = { connection: { id } };
    sessions.fire();
  };

  it('only when its view is visible, its row expanded, and its connection the active one', () => {
    restore('a', 'b');
    store.setCollapsed('b', true);
    connect();
    assert.deepEqual(requested, []);
    session = undefined;
    show();
    assert.deepEqual(requested, []);
    connect('another');
    assert.deepEqual(requested, []);
    connect();
    assert.deepEqual(requested, ['a']);
    store.setCollapsed('b', false);
    assert.deepEqual(requested, ['a', 'b']);
  });

  describe('after a scan of the store', () => {
    const list = (state: StoreListing['state']): void => {
      const found = { id: 'a', name: 'Alpha', organization: '', url: 'rclone:lab:', listing: { state, files: 1 } };
      databases.setListing({ databases: [found], isLoading: false });
    };
    const search = (key: string, state: StoreListing['state']): void => {
      store.open(key, 'c', { database: 'Alpha', query: '', pageSize: 5 });
      store.update(key, { isLoading: false, listing: { state, files: 1 } });
    };

    it('that was running when it was requested, each time', async () => {
      connect();
      show();
      search('during', 'scanning');
      search('after', 'listed');
      for (const times of [1, 2]) {
        list('scanning');
        assert.equal(requested.length, times - 1);
        list('listed');
        assert.deepEqual(requested, Array<string>(times).fill('during'));
        store.update('during', { isStale: false });
        release.shift()?.();
        await new Promise(setImmediate);
      }
    });

    it('but not if the scan failed, which shows why', () => {
      connect();
      show();
      search('during', 'scanning');
      list('scanning');
      list('failed');
      assert.deepEqual([requested, store.get('during')?.listing?.state], [[], 'failed']);
    });

    it('that the search itself started, whether it is still running or has ended when the databases are listed', async () => {
      for (const state of ['scanning', 'listed'] as const) {
        const key = `started, then ${state}`;
        let times = 0;
        listAgain = async () => {
          times += 1;
          list(state);
          return await Promise.resolve<Reason | undefined>(undefined);
        };
        connect();
        show();
        list('listed');
        search(key, 'scanning');
        await new Promise(setImmediate);
        if (state === 'scanning') list('listed');
        assert.deepEqual([times, requested.splice(0)], [1, [key]]);
        store.update(key, { isStale: false });
        release.shift()?.();
        await new Promise(setImmediate);
        store.dismiss([key]);
      }
    });

    it('that the search itself started, but not if the databases cannot be listed', async () => {
      let times = 0;
      listAgain = async () => {
        times += 1;
        list('listed');
        return await Promise.resolve({ kind: 'unreachable' });
      };
      connect();
      show();
      search('during', 'scanning');
      await new Promise(setImmediate);
      assert.deepEqual([times, requested], [1, []]);
    });

    it('but not because an earlier list of databases knew of no scan', () => {
      connect();
      show();
      list('listed');
      search('during', 'scanning');
      list('listed');
      assert.deepEqual(requested, []);
    });
  });

  it('four at a time', async () => {
    restore('a', 'b', 'c', 'd', 'e', 'f');
    show();
    connect();
    assert.deepEqual(requested, ['a', 'b', 'c', 'd']);
    release.shift()?.();
    await new Promise(setImmediate);
    assert.deepEqual(requested, ['a', 'b', 'c', 'd', 'e']);
  });

  it('once each time the connection is opened, even if the request fails', async () => {
    restore('a');
    show();
    connect();
    release.shift()?.();
    await new Promise(setImmediate);
    visibility.fire(undefined);
    assert.deepEqual(requested, ['a']);
    connect();
    assert.deepEqual(requested, ['a', 'a']);
  });
});
