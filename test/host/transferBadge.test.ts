import assert from 'node:assert/strict';
import { window, type TreeView, type ViewBadge } from 'vscode';
import type { TransferPlan } from '../../src/core/agents/transferPlan.ts';
import { CopyIndex } from '../../src/core/duplicates/copyIndex.ts';
import { ConnectionStore } from '../../src/core/connections/connectionStore.ts';
import { ParameterStore, SearchabilityStore } from '../../src/core/search/searchabilityStore.ts';
import { SearchStore } from '../../src/core/search/searchStore.ts';
import { TransferStore } from '../../src/core/transfers/transferStore.ts';
import { Emitter } from '../../src/core/util/lifetime.ts';
import { viewIds } from '../../src/extension/editor/contributions.ts';
import { SideBar } from '../../src/extension/views/sideBar.ts';
import { TreeViews } from '../../src/extension/views/treeViews.ts';
import { ManualClock } from '../support/manualClock.ts';
import { noPlans, transfer, noVerifications } from './specimens.ts';

describe('The badge of the transfers', () => {
  it('counts running and proposed transfers, and is hidden if there are none', () => {
    const views = new Map<string, Partial<TreeView<unknown>>>();
    const { createTreeView } = window;
    const createFakeView = (id: string): Partial<TreeView<unknown>> => {
      const none = (): { dispose(): void } => ({ dispose: () => undefined });
      const toggles = { onDidCollapseElement: none, onDidExpandElement: none };
      const events = { ...toggles, onDidChangeCheckboxState: none, onDidChangeSelection: none };
      const view = { ...events, onDidChangeVisibility: none, visible: false, dispose: none };
      views.set(id, view);
      return view;
    };
    Object.assign(window, { createTreeView: createFakeView });
    const store = new TransferStore();
    let proposed: readonly TransferPlan[] = [];
    const plansChanged = new Emitter<void>();
    const plans = { ...noPlans, getAll: () => proposed, onDidChange: plansChanged.event };
    const loadFinished = (): Promise<void> => Promise.resolve();
    const loads = { loadFinished, loadLastFinished: loadFinished };
    const transfers = {
      store,
      clock: new ManualClock(),
      ...loads,
      plans,
      estimate: () => undefined,
      verifications: noVerifications,
    };
    const sideBar = new SideBar(() => Promise.resolve());
    const searchStore = new SearchStore();
    const treeViews = new TreeViews(sideBar, {
      databases: {
        store: new ConnectionStore(),
        parameters: new ParameterStore(),
        searchability: new SearchabilityStore(),
        loadParameters: () => undefined,
        isSaved: () => false,
      },
      searchStore,
      copies: new CopyIndex(searchStore),
      getConnectionName: () => '',
      transfers,
    });
    Object.assign(window, { createTreeView });
    const badge = (): ViewBadge | undefined => views.get(viewIds.transfers)?.badge;
    store.put([transfer('one'), transfer('two', { state: 'succeeded' })]);
    assert.deepEqual(badge(), { value: 1, tooltip: '1 transfer is running or paused' });
    store.put([transfer('three')]);
    assert.deepEqual(badge(), { value: 2, tooltip: '2 transfers are running or paused' });
    store.put([transfer('one', { state: 'failed' }), transfer('three', { state: 'cancelled' })]);
    assert.equal(badge(), undefined);
    proposed = [{ id: 'aaaaaaaaaaaa' } as TransferPlan];
    plansChanged.fire();
    assert.deepEqual(badge(), { value: 1, tooltip: '1 transfer has been proposed by an agent' });
    store.put([transfer('four')]);
    assert.deepEqual(badge(), {
      value: 2,
      tooltip: '1 transfer is running or paused, 1 transfer has been proposed by an agent',
    });
    treeViews.dispose();
    sideBar.dispose();
  });
});
