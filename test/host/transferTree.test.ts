import assert from 'node:assert/strict';
import { ThemeIcon, TreeItemCollapsibleState, type TreeItem, type Uri } from 'vscode';
import type { Estimate, Transfer, TransferState } from '../../src/core/model/transferModel.ts';
import { TransferStore } from '../../src/core/transfers/transferStore.ts';
import type { TransferTreeNode } from '../../src/extension/views/nodes.ts';
import { TransferTree } from '../../src/extension/features/transfers/transferTree.ts';
import { formatTime } from '../../src/extension/words/localeFormats.ts';
import { Emitter } from '../../src/core/util/lifetime.ts';
import type { PastVerification } from '../../src/core/verification/pastVerification.ts';
import { ManualClock } from '../support/manualClock.ts';
import { noPlans, getText, transfer, formatRow } from './specimens.ts';

const running = { kind: 'group', group: 'running' } as const;
const finished = { kind: 'group', group: 'finished' } as const;

describe('The transfer tree', () => {
  let clock: ManualClock;
  let store: TransferStore;
  let tree: TransferTree;
  let loads: string[];
  let estimate: Estimate | undefined;
  let verified: Map<string, PastVerification>;
  let verification: Emitter<void>;
  beforeEach(() => {
    store = new TransferStore();
    clock = new ManualClock(new Date(2026, 0, 1, 12).getTime());
    loads = [];
    estimate = undefined;
    verified = new Map();
    verification = new Emitter();
    const load = async (which: string): Promise<void> => void loads.push(which);
    tree = new TransferTree({
      store,
      clock,
      loadFinished: () => load('all'),
      loadLastFinished: () => load('last'),
      plans: noPlans,
      estimate: () => estimate,
      verifications: { getAll: async () => new Map(verified), onDidChange: verification.event },
    });
  });
  afterEach(() => tree.dispose());

  const items = (parent?: TransferTreeNode): TreeItem[] =>
    tree.getChildren(parent).map((node) => tree.getTreeItem(node));
  const rows = (parent?: TransferTreeNode): string[] => items(parent).map(formatRow);
  const row = (given: Transfer): TreeItem => {
    store.put([given]);
    const node = tree.getNode(given.key);
    assert.ok(node);
    return tree.getTreeItem(node);
  };

  it('is empty without a transfer, so that the welcome view is visible', () => {
    assert.deepEqual(rows(), []);
  });

  it('shows running transfers first, newest first, and their count', () => {
    const states = ['succeeded', 'active', 'staging', 'failed'] as const;
    store.put(states.map((state, index) => transfer(`t${index}`, { state, createdAt: index }, { destination: state })));
    assert.deepEqual(rows(), ['Running | 2', 'Finished | 2']);
    assert.deepEqual(rows(running), ['Alpha → staging | 2 files', 'Alpha → active | 2 files']);
    assert.deepEqual(rows(finished), ['→ failed | 2 files', '→ succeeded | 2 files']);
    const [first, second] = items();
    assert.equal(first?.collapsibleState, TreeItemCollapsibleState.Expanded);
    assert.equal(second?.collapsibleState, TreeItemCollapsibleState.Expanded);
  });

  /** Adds a transfer that ended `hoursAgo` hours before noon on January 1, 2026, a Thursday. */
  const ends = (key: string, hoursAgo: number, more: Partial<Transfer> = {}, files = 1): void => {
    const at = new Date(2026, 0, 1, 12 - hoursAgo).getTime();
    const order = { files: Array.from({ length: files }, () => ({ id: key, name: key })), destination: key };
    store.put([transfer(key, { state: 'succeeded', changes: [{ state: 'succeeded', at }], ...more }, order)]);
  };

  it('shows the five newest finished transfers directly, and groups the others by the day they ended', () => {
    for (const [index, hoursAgo] of [1, 2, 3, 4, 5, 6, 20, 60, 90].entries()) ends(`t${index}`, hoursAgo);
    assert.deepEqual(rows(), ['Finished | 9']);
    const shown = ['t0', 't1', 't2', 't3', 't4'].map((key) => `→ ${key} | 1 file`);
    assert.deepEqual(rows(finished), [...shown, 'Earlier today | 1', 'Yesterday | 1', 'This week | 1', 'Earlier | 1']);
    const groups = tree.getChildren(finished).filter((node) => node.kind === 'group');
    assert.deepEqual(
      groups.flatMap(rows),
      ['t5', 't6', 't7', 't8'].map((key) => `→ ${key} | 1 file`),
    );
    assert.ok(groups.every((node) => tree.getTreeItem(node).collapsibleState === TreeItemCollapsibleState.Collapsed));
    const parents = ['t4', 't6'].map((key) => tree.getParent({ kind: 'transfer', key }));
    assert.deepEqual(parents, [finished, { kind: 'group', group: 'yesterday' }]);
    assert.deepEqual(
      groups.map((node) => tree.getParent(node)),
      Array(4).fill(finished),
    );
  });

  it('moves transfers to the group of the previous day at midnight', async () => {
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) ends(key, 1);
    assert.deepEqual(rows(finished).slice(5), ['Earlier today | 1']);
    const drawn: unknown[] = [];
    tree.onDidChangeTreeData((node) => drawn.push(node));
    await clock.pass(24 * 3_600_000);
    assert.deepEqual(drawn, [undefined]);
    assert.deepEqual(rows(finished).slice(5), ['Yesterday | 1']);
  });

  it('adds time and source to ended rows that would otherwise look the same', () => {
    const at = clock.now() - 60_000;
    const changes = [{ state: 'succeeded', at }] as const;
    const state = 'succeeded';
    store.put([
      transfer('t', { state, changes }),
      transfer('u', { state, changes }, { source: 'National Microbiome Data' }),
      transfer('v', { state, changes }, { destination: 'Gamma' }),
    ]);
    const time = formatTime(at, clock.now());
    assert.deepEqual(rows(finished), [
      `→ Beta | ${time} · Alpha`,
      `→ Beta | ${time} · National Microbio…`,
      '→ Gamma | 2 files',
    ]);
    store.remove(['u']);
    assert.deepEqual(rows(finished), ['→ Beta | 2 files', '→ Gamma | 2 files']);
  });

  it('redraws a row only when its appearance changes, so that its menu stays open', () => {
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
    succeeded: ['succeeded', 'transfer.ended.withFiles'],
    failed: ['failed', 'transfer.ended'],
    cancelled: ['canceled', 'transfer.ended'],
    expired: ['expired', 'transfer.ended.withFiles'],
  };
  it('offers the folder of a failed or canceled transfer only if files arrived', () => {
    for (const state of ['failed', 'cancelled'] as const) {
      const context = (movedFileCount: number): string | undefined =>
        row(transfer('t', { state, status: { status: state, fileCount: 2, movedFileCount } })).contextValue;
      assert.deepEqual([context(0), context(1)], ['transfer.ended', 'transfer.ended.withFiles']);
    }
    const none = { status: 'succeeded', fileCount: 2, movedFileCount: 0 };
    assert.equal(row(transfer('t', { state: 'succeeded', status: none })).contextValue, 'transfer.ended');
  });

  for (const [state, [words, context]] of Object.entries(states)) {
    it(`shows a transfer with the state "${words}" by an icon, and speaks the word`, () => {
      const item = row(transfer('t', { state: state as TransferState }));
      const isRunning = /^transfer\.running/.test(context);
      const label = isRunning ? 'Alpha → Beta' : '→ Beta';
      assert.equal(formatRow(item), `${label} | 2 files`);
      assert.equal(item.accessibilityInformation?.label, `${label}, ${words}, 2 files`);
      assert.equal(item.contextValue, context);
      assert.ok(item.iconPath);
      assert.equal(item.command?.command, 'dataTransfer.showTransferProgress');
    });
  }

  it('offers no Cancel command for a transfer without an ID, or one that is being canceled', () => {
    const { id: none, ...unconfirmed } = transfer('t', { state: 'notConfirmed' });
    assert.ok(none);
    assert.equal(row(unconfirmed).contextValue, 'transfer.notConfirmed');
    const cancelling = row(transfer('u', { cancelAcceptedAt: 1 }));
    assert.equal(cancelling.contextValue, 'transfer.waiting');
    assert.equal(formatRow(cancelling), 'Alpha → Beta | canceling');
  });

  it('shows that the server ignores a cancellation (D13)', () => {
    const item = row(transfer('t', { state: 'staging', cancelAcceptedAt: 1, cancelUnheeded: true }));
    assert.equal(formatRow(item), 'Alpha → Beta | cancellation ignored');
    assert.match(getText(item.tooltip), /cancellation accepted, but the server still reports staging/);
    assert.equal(item.contextValue, 'transfer.unheeded', 'it may be removed, because it may never end');
  });

  it('shows an unknown state unchanged until there is progress (D10)', () => {
    const of = (status: string, counts = {}): TreeItem =>
      row(transfer('t', { state: 'running', status: { status, ...counts } }));
    assert.equal(formatRow(of('warming up')), 'Alpha → Beta | warming up');
    const waiting = of('waiting for an endpoint to wake up');
    assert.equal(formatRow(waiting), 'Alpha → Beta | waiting for an en…');
    assert.match(
      waiting.accessibilityInformation?.label ?? '',
      /^Alpha → Beta, waiting for an endpoint to wake up, 2 files, /,
    );
    assert.equal(formatRow(of('verifying', { fileCount: 4, movedFileCount: 2 })), 'Alpha → Beta | 50%');
  });

  it('shortens long names, and shows them in full in the tooltip', () => {
    const destination = 'National Microbiome Data Collaborative 🧬';
    const item = row(transfer('t', {}, { destination }));
    assert.equal(item.label, 'Alpha → National Micr…');
    assert.match(getText(item.tooltip), /Alpha → National Microbiome Data Collaborative 🧬/);
    const far = row(transfer('v', {}, { source: 'Observatory Archive', destination: 'Cluster' }));
    assert.equal(far.label, 'Observ… → Cluster', 'the progress fits beside it');
    const state = 'succeeded';
    assert.equal(row(transfer('w', { state }, { destination })).label, '→ National Microbio…');
    const cut = row(transfer('u', { state }, { destination: `${'x'.repeat(16)}🧬 and more` }));
    assert.equal(cut.label, `→ ${'x'.repeat(16)}…`, 'no character is split');
  });

  it('shows the progress, and the time of that status while the service does not respond', () => {
    const status = { status: 'active', fileCount: 3, movedFileCount: 2 };
    assert.equal(row(transfer('t', { status })).description, '66%');
    const unheard = transfer('t', { status, askedAt: clock.now(), problem: { kind: 'timeout' } });
    assert.match(String(row(unheard).description), /^66% · as of \d/);
  });

  it('shows the progress inside large files in the row, its tooltip and its accessible name', () => {
    const of = (fileCount: number, total: number): TreeItem => {
      const bytes = { total, staged: total, copied: total / 16, verified: 0 };
      return row(transfer('t', { status: { status: 'active', fileCount, movedFileCount: 0, bytes } }));
    };
    const [one, few, many] = [of(1, 200e9), of(2, 200e9), of(5_000, 1e9)];
    assert.deepEqual(
      [one, few, many].map(({ description }) => description),
      ['6%', '6%', '6%'],
    );
    assert.match(getText(few.tooltip), /active · 0 of 2 files · 12 of 200 GB\n/);
    assert.equal(few.accessibilityInformation?.label, 'Alpha → Beta, active, 2 files, 6%');
    const bytes = { total: 200e9, staged: 150e9, copied: 0, verified: 0 };
    const staging = { status: 'staging', fileCount: 1, movedFileCount: 0, bytes };
    assert.equal(row(transfer('t', { state: 'staging', status: staging })).description, '75%');
  });

  it('shows an estimate if available', () => {
    estimate = { kind: 'range', lowMs: 4 * 60_000, highMs: 7 * 60_000, basis: 'earlier', count: 3 };
    const item = row(transfer('t', { status: { status: 'active', fileCount: 3, movedFileCount: 2 } }));
    assert.equal(item.description, '66% · 4–7 min');
    assert.match(getText(item.tooltip), /active · 2 of 3 files · 4–7 min, based on 3 earlier transfers\n/);
  });

  it('shows how many files were transferred only if files are missing, and warns (D39)', () => {
    const of = (state: TransferState, moved: number, files = 2): TreeItem =>
      row(transfer('t', { state, status: { status: state, fileCount: files, movedFileCount: moved } }));
    assert.equal(formatRow(of('succeeded', 2)), '→ Beta | 2 files');
    assert.equal(formatRow(of('failed', 1)), '→ Beta | 1 of 2 files');
    const none = of('succeeded', 0, 0);
    assert.equal(formatRow(none), '→ Beta | 0 of 2 files');
    assert.ok(none.iconPath instanceof ThemeIcon);
    assert.equal(none.iconPath.id, 'warning');
    assert.match(getText(none.tooltip), /\nincomplete: 0 of 2 files transferred\n/);
  });

  it('shows that a transfer is paused while the local service is stopped, and offers to start it', () => {
    const status = { status: 'active', fileCount: 5000, movedFileCount: 2304 };
    const item = row(transfer('t', { status, problem: { kind: 'serviceStopped' } }));
    assert.equal(formatRow(item), 'Alpha → Beta | the local service is stopped · 46%');
    assert.equal(item.contextValue, 'transfer.paused');
    assert.ok(item.iconPath instanceof ThemeIcon);
    assert.equal(item.iconPath.id, 'debug-pause');
    assert.match(getText(item.tooltip), /paused: the local service is stopped · 2,304 of 5,000 files/);
  });

  it('offers to pause a transfer of a service that can pause it, and to resume a paused one (D70)', () => {
    const status = { status: 'active', fileCount: 5, movedFileCount: 2, isPaused: false };
    assert.equal(row(transfer('t', { status })).contextValue, 'transfer.running.pause');
    const paused = { ...status, status: 'inactive', isPaused: true };
    const item = row(transfer('t', { state: 'inactive', status: paused }));
    assert.equal(formatRow(item), 'Alpha → Beta | 40%');
    assert.equal(item.contextValue, 'transfer.running.resume');
    assert.ok(item.iconPath instanceof ThemeIcon);
    assert.deepEqual([item.iconPath.id, item.iconPath.color], ['debug-pause', undefined]);
    assert.match(getText(item.tooltip), /\npaused · 2 of 5 files\n/);
    const stopped = row(transfer('t', { state: 'inactive', status: paused, problem: { kind: 'serviceStopped' } }));
    assert.equal(stopped.contextValue, 'transfer.paused');
    const canceling = row(transfer('t', { state: 'inactive', status: paused, cancelAcceptedAt: 1 }));
    assert.equal(canceling.contextValue, 'transfer.waiting');
  });

  it('shows why a transfer failed, in its first words', () => {
    const failed = { status: 'failed', message: 'No space left\non the device', fileCount: 2, movedFileCount: 1 };
    const shown = row(transfer('t', { state: 'failed', status: failed }));
    assert.equal(formatRow(shown), '→ Beta | No space left on the device · 1 of 2 files');
    assert.equal(
      shown.accessibilityInformation?.label,
      '→ Beta, failed, 2 files, No space left on the device · 1 of 2 files',
    );
    const named = { ...failed, message: 'Transfer id-n: failed (could not reach the disk)' };
    assert.match(
      formatRow(row(transfer('n', { state: 'failed', status: named }))),
      /^→ Beta \| could not reach the disk · /,
    );
    const sentences = [
      ['abc', 'permission denied for /data (transfer abc)'],
      ['abc', 'Quota exceeded; see abc.log'],
      ['17', 'No space on node17: 3 files lost'],
      ['17', '17 files lost'],
      ['17', 'Transfer 17'],
      ['17', '17: 3 files lost', '3 files lost'],
    ] as const;
    for (const [id, message, words = message] of sentences) {
      const item = row(transfer('m', { id, state: 'failed', status: { ...failed, message } }));
      assert.equal(formatRow(item), `→ Beta | ${words} · 1 of 2 files`);
    }
    const refused = row(transfer('u', { state: 'refused', problem: { kind: 'timeout' } }));
    assert.match(formatRow(refused), /^→ Beta \| .*time/);
    const replaced = row(transfer('v', { state: 'refused', replacedBy: 't' }));
    assert.equal(formatRow(replaced), '→ Beta | submitted again');
    assert.equal(replaced.accessibilityInformation?.label, '→ Beta, not started, 2 files, submitted again');
  });

  it('shows that a transfer was verified, and warns if files are not intact', async () => {
    const given = transfer('t', { state: 'succeeded' });
    assert.equal(formatRow(row(given)), '→ Beta | 2 files');
    const drawn: unknown[] = [];
    tree.onDidChangeTreeData((node) => drawn.push(node));
    const verify = async (intactCount: number): Promise<void> => {
      verified.set('t', { at: 1, fileCount: 2, intactCount });
      verification.fire();
      await clock.pass(0);
    };
    await verify(2);
    assert.deepEqual(drawn, [{ kind: 'transfer', key: 't' }]);
    assert.equal(formatRow(row(given)), '→ Beta | verified');
    await verify(1);
    const damaged = row(given);
    assert.equal(formatRow(damaged), '→ Beta | 1 of 2 verified');
    assert.ok(damaged.iconPath instanceof ThemeIcon);
    assert.equal(damaged.iconPath.id, 'warning');
  });

  const verifications: [
    what: string,
    state: TransferState,
    counts: Partial<PastVerification>,
    row: string,
    icon: string,
  ][] = [
    ['files without a usable hash', 'succeeded', { intactCount: 4, unverifiedCount: 6 }, '4 of 10 verified', 'pass'],
    ['a damaged file beside them', 'succeeded', { intactCount: 4, unverifiedCount: 5 }, '4 of 10 verified', 'warning'],
    ['no intact file', 'succeeded', { intactCount: 0, unverifiedCount: 10 }, '0 of 10 verified', 'warning'],
    ['a manifest without files', 'succeeded', { intactCount: 0, fileCount: 0 }, '0 of 0 verified', 'warning'],
    ['files of a failed transfer', 'failed', { intactCount: 4 }, '2 files', 'error'],
  ];
  for (const [what, state, counts, text, icon] of verifications)
    it(`shows the icon that fits the verification of ${what}`, async () => {
      verified.set('t', { at: 1, fileCount: 10, intactCount: 0, ...counts });
      verification.fire();
      await clock.pass(0);
      const item = row(transfer('t', { state }));
      assert.equal(formatRow(item), `→ Beta | ${text}`);
      assert.ok(item.iconPath instanceof ThemeIcon);
      assert.equal(item.iconPath.id, icon);
    });

  it('tells verified transfers to one destination apart, also one that was verified before', async () => {
    const [early, late] = [clock.now() - 120_000, clock.now() - 60_000];
    const end = (key: string, at: number, count: number): Transfer => {
      const files = Array.from({ length: count }, () => ({ id: key, name: key }));
      return transfer(key, { state: 'succeeded', changes: [{ state: 'succeeded', at }] }, { files });
    };
    store.put([end('t', late, 2), end('u', early, 1)]);
    assert.deepEqual(rows(finished), ['→ Beta | 2 files', '→ Beta | 1 file']);
    const drawn: string[] = [];
    tree.onDidChangeTreeData((node) => {
      if (node) drawn.push(formatRow(tree.getTreeItem(node)));
    });
    const verify = async (key: string): Promise<void> => {
      verified.set(key, { at: 1, fileCount: 1, intactCount: 1 });
      verification.fire();
      await clock.pass(0);
    };
    await verify('t');
    assert.deepEqual(drawn.splice(0), ['→ Beta | verified']);
    await verify('u');
    const times = [late, early].map((at) => formatTime(at, clock.now()));
    assert.deepEqual(
      drawn,
      times.map((time) => `→ Beta | verified · ${time} · Alpha`),
    );
  });

  it('draws the progress as a ring in 20 steps for light and dark themes, and a stall in another color', () => {
    const draw = (moved: number, state: TransferState = 'active'): unknown => {
      const { iconPath } = row(
        transfer('t', { state, status: { status: state, fileCount: 100, movedFileCount: moved } }),
      );
      return iconPath;
    };
    assert.deepEqual(draw(0), new ThemeIcon('sync~spin'));
    assert.deepEqual(draw(41), draw(44), 'a step is five percent');
    assert.notDeepEqual(draw(44), draw(45));
    assert.deepEqual(draw(50, 'staging'), new ThemeIcon('cloud-download'), 'its files are not there yet');
    const readRing = (theme: 'light' | 'dark'): string => {
      const icon = draw(50) as Readonly<Record<string, Uri>>;
      return Buffer.from(icon[theme]?.path.replace('image/svg+xml;base64,', '') ?? '', 'base64').toString();
    };
    for (const theme of ['light', 'dark'] as const) assert.match(readRing(theme), /^<svg .*stroke-dasharray="10 20"/);
    const [moving, dark] = [readRing('light'), readRing('dark')];
    assert.notEqual(moving, dark);
    estimate = { kind: 'stalled', sinceMs: 40 * 60_000 };
    assert.notEqual(readRing('light'), moving);
    assert.equal(row(transfer('t')).description, 'no progress for 40 min');
  });

  it('shows all details in the tooltip', () => {
    const status = { status: 'failed', message: 'disk full', fileCount: 2, movedFileCount: 1 };
    const { tooltip } = row(transfer('t', { state: 'failed', status, askedAt: clock.now() }));
    const parts = [
      'Alpha → Beta',
      'failed · 1 of 2 files',
      'disk full',
      'Submitted: ',
      'Last checked: ',
      'Transfer ID: id-t',
    ];
    for (const part of parts) assert.ok(getText(tooltip).includes(part), part);
  });

  it('shows only a transfer that was sent as submitted', () => {
    const { id = '', ...unsent } = transfer('t', { state: 'cancelled' });
    assert.match(getText(row({ ...unsent, id }).tooltip), /Submitted: /);
    assert.doesNotMatch(getText(row(unsent).tooltip), /Submitted: /);
    assert.match(getText(row({ ...unsent, state: 'submitting' }).tooltip), /^Submission started: (?!.*Submitted)/ms);
  });

  it('loads the last transfers of earlier sessions first, and all of them when the group is expanded', async () => {
    store.setHasEarlier(true);
    assert.deepEqual(rows(), ['Finished']);
    assert.deepEqual(loads, []);
    assert.deepEqual(rows(finished), ['Loading…']);
    ends('t', 1);
    assert.deepEqual(rows(finished), ['→ t | 1 file', 'Loading…']);
    await clock.pass(0);
    assert.deepEqual(rows(finished), ['→ t | 1 file', 'Earlier']);
    assert.deepEqual(loads, ['last']);
    assert.deepEqual(rows({ kind: 'group', group: 'earlier' }), ['Loading…']);
    assert.deepEqual(loads, ['last', 'all']);
  });

  it('shows that the transfers of earlier sessions could not be read', async () => {
    store.setHasEarlier(true);
    tree.getChildren({ kind: 'group', group: 'earlier' });
    await clock.pass(0);
    assert.deepEqual(rows({ kind: 'group', group: 'earlier' }), ["Some transfers couldn't be read. See the log."]);
  });

  it('redraws only the row if it stays in its group, and the groups if it moves', () => {
    store.put([transfer('t')]);
    tree.getChildren(running);
    const drawn: (TransferTreeNode | undefined)[] = [];
    const subscription = tree.onDidChangeTreeData((node) => drawn.push(node));
    store.put([transfer('t', { state: 'finalizing' })]);
    store.put([transfer('t', { state: 'succeeded' })]);
    subscription.dispose();
    assert.deepEqual(drawn, [{ kind: 'transfer', key: 't' }, undefined]);
  });

  it("keeps the ID of a removed transfer's row until the editor removes the row", () => {
    store.put([transfer('t')]);
    const node = tree.getNode('t');
    assert.ok(node);
    store.remove(['t']);
    assert.equal(tree.getTreeItem(node).id, 't');
  });

  it('returns the group of a transfer, so that the transfer can be revealed', () => {
    store.put([transfer('t'), transfer('u', { state: 'failed' })]);
    assert.deepEqual(
      ['t', 'u'].map((key) => tree.getParent({ kind: 'transfer', key })),
      [running, finished],
    );
    assert.equal(tree.getNode('gone'), undefined);
  });
});
