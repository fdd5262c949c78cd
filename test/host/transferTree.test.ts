import assert from 'node:assert/strict';
import { ThemeIcon, TreeItemCollapsibleState, type TreeItem } from 'vscode';
import type { Transfer, TransferState } from '../../src/core/model/transfer.ts';
import { TransferStore } from '../../src/core/store/transferStore.ts';
import type { TransferTreeNode } from '../../src/views/nodes.ts';
import { TransferTree } from '../../src/views/transferTree.ts';
import { ManualClock } from '../support/manualClock.ts';
import { textOf, transfer, wordsOf } from './specimens.ts';

const running = { kind: 'group', group: 'running' } as const;
const finished = { kind: 'group', group: 'finished' } as const;

describe('The tree of transfers', () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1, 12));
  let store: TransferStore;
  let tree: TransferTree;
  let loads: number;
  let estimate: string | undefined;
  beforeEach(() => {
    store = new TransferStore();
    loads = 0;
    estimate = undefined;
    const loadFinished = (): Promise<void> => {
      loads += 1;
      return Promise.resolve();
    };
    tree = new TransferTree({ store, clock, loadFinished, estimate: () => estimate });
  });
  afterEach(() => tree.dispose());

  const items = (parent?: TransferTreeNode): TreeItem[] =>
    tree.getChildren(parent).map((node) => tree.getTreeItem(node));
  const rows = (parent?: TransferTreeNode): string[] => items(parent).map(wordsOf);
  const row = (given: Transfer): TreeItem => {
    store.put([given]);
    const node = tree.node(given.key);
    assert.ok(node);
    return tree.getTreeItem(node);
  };

  it('is empty without a transfer, so that the welcome is seen', () => {
    assert.deepEqual(rows(), []);
  });

  it('shows running transfers first, newest first, and how many there are', () => {
    const states = ['succeeded', 'active', 'staging', 'failed'] as const;
    store.put(states.map((state, index) => transfer(`t${index}`, { state, createdAt: index }, { destination: state })));
    assert.deepEqual(rows(), ['Running | 2', 'Finished | 2']);
    assert.deepEqual(rows(running), ['2 files to staging | staging', '2 files to active | active']);
    assert.deepEqual(rows(finished), ['2 files to failed | failed', '2 files to succeeded | succeeded']);
    const [first, second] = items();
    assert.equal(first?.collapsibleState, TreeItemCollapsibleState.Expanded);
    assert.equal(second?.collapsibleState, TreeItemCollapsibleState.Collapsed);
  });

  it('draws a row again only when it looks different, so that its menu stays open', () => {
    const drawn: unknown[] = [];
    const given = transfer('one', { state: 'active', askedAt: clock.now() });
    row(given);
    rows();
    rows(running);
    tree.onDidChangeTreeData((node) => drawn.push(node));
    store.put([{ ...given, askedAt: clock.now() + 1 }]);
    assert.deepEqual(drawn, []);
    store.put([{ ...given, status: { status: 'active', fileCount: 2, movedFileCount: 1 } }]);
    assert.deepEqual(drawn, [{ kind: 'transfer', key: 'one' }]);
  });

  const states: Readonly<Record<TransferState, readonly [words: string, context: string]>> = {
    submitting: ['submitting', 'transfer.running'],
    notConfirmed: ['not confirmed', 'transfer.notConfirmed'],
    refused: ['refused', 'transfer.ended'],
    accepted: ['accepted', 'transfer.running'],
    staging: ['staging', 'transfer.running'],
    active: ['active', 'transfer.running'],
    finalizing: ['finalizing', 'transfer.running'],
    inactive: ['inactive', 'transfer.running'],
    unknown: ['unknown', 'transfer.running'],
    running: ['running', 'transfer.running'],
    succeeded: ['succeeded', 'transfer.ended'],
    failed: ['failed', 'transfer.ended'],
    cancelled: ['cancelled', 'transfer.ended'],
    expired: ['expired', 'transfer.ended'],
  };
  for (const [state, [words, context]] of Object.entries(states)) {
    it(`shows a transfer that is ${words} with an icon, a word, and what can be done with it`, () => {
      const item = row(transfer('t', { state: state as TransferState }));
      assert.equal(item.description, words);
      assert.equal(item.contextValue, context);
      assert.ok(item.iconPath);
      assert.equal(item.command?.command, 'dataTransfer.showTransferProgress');
    });
  }

  it('offers no cancel for a transfer without an id, or one that is being cancelled', () => {
    const { id: none, ...unconfirmed } = transfer('t', { state: 'notConfirmed' });
    assert.ok(none);
    assert.equal(row(unconfirmed).contextValue, 'transfer.notConfirmed');
    const cancelling = row(transfer('u', { cancelAcceptedAt: 1 }));
    assert.equal(cancelling.contextValue, 'transfer.waiting');
    assert.equal(cancelling.description, 'cancelling');
  });

  it('says when the server does not follow a cancel (D13)', () => {
    const item = row(transfer('t', { state: 'staging', cancelAcceptedAt: 1, cancelUnheeded: true }));
    assert.equal(item.description, 'cancel accepted, the server still says staging');
    assert.equal(item.contextValue, 'transfer.unheeded', 'it may be removed: its end may never come');
  });

  it('shows a word that it does not know as it came (D10)', () => {
    assert.equal(row(transfer('t', { state: 'running', status: { status: 'warming up' } })).description, 'warming up');
  });

  it('leaves room for the state beside a long destination, which the tooltip has in full', () => {
    const destination = 'National Microbiome Data Collaborative 🧬';
    const item = row(transfer('t', {}, { destination }));
    assert.equal(item.label, '2 files to National Microbio…');
    assert.match(textOf(item.tooltip), /Alpha → National Microbiome Data Collaborative 🧬/);
    const cut = row(transfer('u', {}, { destination: `${'x'.repeat(16)}🧬 and more` }));
    assert.equal(cut.label, `2 files to ${'x'.repeat(16)}…`, 'no half of a character');
  });

  it('shows how many files have moved, and from when that is while nobody answers', () => {
    const status = { status: 'active', fileCount: 3, movedFileCount: 2 };
    assert.equal(row(transfer('t', { status })).description, 'active · 2 of 3 files');
    const unheard = transfer('t', { status, askedAt: clock.now(), problem: { kind: 'timeout' } });
    assert.match(String(row(unheard).description), /^active · 2 of 3 files · as of \d/);
  });

  it('says how long it will still take, where that can be said', () => {
    estimate = '4–7 min, from 3 earlier transfers';
    const item = row(transfer('t', { status: { status: 'active', fileCount: 3, movedFileCount: 2 } }));
    assert.equal(item.description, 'active · 2 of 3 files · 4–7 min, from 3 earlier transfers');
    assert.match(textOf(item.tooltip), /active · 2 of 3 files · 4–7 min, from 3 earlier transfers\n/);
  });

  it('shows what moved of an ended transfer, and warns where that is not all (D39)', () => {
    const of = (state: TransferState, moved: number, files = 2): TreeItem =>
      row(transfer('t', { state, status: { status: state, fileCount: files, movedFileCount: moved } }));
    assert.equal(wordsOf(of('succeeded', 2)), '2 files to Beta | succeeded · 2 of 2 files');
    assert.equal(wordsOf(of('failed', 1)), '2 files to Beta | failed · 1 of 2 files');
    const none = of('succeeded', 0, 0);
    assert.equal(wordsOf(none), '0 of 2 files to Beta | completed: 0 of 2 files transferred');
    assert.ok(none.iconPath instanceof ThemeIcon);
    assert.equal(none.iconPath.id, 'warning');
    assert.match(textOf(none.tooltip), /\ncompleted: 0 of 2 files transferred\n/);
  });

  it('shows that a transfer is paused while the local service is stopped, and offers to start it', () => {
    const status = { status: 'active', fileCount: 5000, movedFileCount: 2304 };
    const item = row(transfer('t', { status, problem: { kind: 'serviceStopped' } }));
    assert.equal(item.description, 'paused: the local service is stopped · 2,304 of 5,000 files');
    assert.equal(item.contextValue, 'transfer.paused');
    assert.ok(item.iconPath instanceof ThemeIcon);
    assert.equal(item.iconPath.id, 'debug-pause');
    assert.match(textOf(item.tooltip), /paused: the local service is stopped · 2,304 of 5,000 files/);
  });

  it('tells everything in the tooltip', () => {
    const status = { status: 'failed', message: 'disk full', fileCount: 2, movedFileCount: 1 };
    const { tooltip } = row(transfer('t', { state: 'failed', status, askedAt: clock.now() }));
    for (const part of [
      'Alpha → Beta',
      'failed · 1 of 2 files',
      'disk full',
      'Started: ',
      'Last updated: ',
      'Id: id-t',
    ]) {
      assert.ok(textOf(tooltip).includes(part), part);
    }
  });

  it('brings in the transfers of earlier sessions when the person looks at them', () => {
    store.setHasEarlier(true);
    assert.deepEqual(rows(), ['Finished']);
    assert.equal(loads, 0);
    assert.deepEqual(rows(finished), ['Loading…']);
    assert.equal(loads, 1);
  });

  it('draws a row alone while it stays in its group, and the groups when it moves', () => {
    store.put([transfer('t')]);
    tree.getChildren(running);
    const drawn: (TransferTreeNode | undefined)[] = [];
    const subscription = tree.onDidChangeTreeData((node) => drawn.push(node));
    store.put([transfer('t', { state: 'finalizing' })]);
    store.put([transfer('t', { state: 'succeeded' })]);
    subscription.dispose();
    assert.deepEqual(drawn, [{ kind: 'transfer', key: 't' }, undefined]);
  });

  it('keeps the id of a row whose transfer has just gone, until the row goes too', () => {
    store.put([transfer('t')]);
    const node = tree.node('t');
    assert.ok(node);
    store.remove(['t']);
    assert.equal(tree.getTreeItem(node).id, 't');
  });

  it('knows the group of a transfer, so that it can be shown', () => {
    store.put([transfer('t'), transfer('u', { state: 'failed' })]);
    assert.deepEqual(
      ['t', 'u'].map((key) => tree.getParent({ kind: 'transfer', key })),
      [running, finished],
    );
    assert.equal(tree.node('gone'), undefined);
  });
});
