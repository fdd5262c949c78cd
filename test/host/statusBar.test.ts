import assert from 'node:assert/strict';
import { MarkdownString, ThemeColor, window, type StatusBarItem } from 'vscode';
import type { Reason } from '../../src/core/model/reason.ts';
import { TransferStore } from '../../src/core/transfers/transferStore.ts';
import { TransferStatusBar } from '../../src/extension/features/transfers/transferStatusBar.ts';
import { ManualClock } from '../support/manualClock.ts';
import { hostileTexts, transfer } from './specimens.ts';

describe('The status bar', () => {
  let store: TransferStore;
  let clock: ManualClock;
  let bar: TransferStatusBar;
  let item: WatchedItem;
  let connected: boolean;
  let rejection: Reason | undefined;

  beforeEach(() => {
    store = new TransferStore();
    clock = new ManualClock();
    connected = true;
    item = watchNextItem();
    rejection = undefined;
    bar = new TransferStatusBar({
      store,
      clock,
      isConnected: () => connected,
      keyRejection: () => rejection,
      estimate: () => 'about 4 min',
    });
  });
  afterEach(() => bar.dispose());

  it('is hidden without transfers', () => {
    assert.equal(item.shown(), undefined);
    store.put([transfer('old', { state: 'failed' })]);
    assert.equal(item.shown(), undefined, 'a transfer that ended in an earlier session is not shown');
  });

  it('shows that transfers wait for the sign-in, without reporting a retried key as rejected (D28)', () => {
    store.put([transfer('one')]);
    rejection = { kind: 'unauthorized', signIn: 'key', detail: 'KBase Auth error: 401', keyWorked: true };
    bar.draw();
    assert.equal(item.shown(), '$(key) Data Transfer: waiting for sign-in');
    const tooltip = (): unknown => item.real().tooltip;
    const retried = "The service rejected the sign-in. Your key worked before, so it's being retried.";
    assert.equal(tooltip(), retried);
    rejection = { kind: 'unauthorized', signIn: 'outage', detail: 'KBase Auth error: 500', keyWorked: true };
    bar.draw();
    assert.equal(tooltip(), "The service couldn't check the API key. Your key worked before, so it's being retried.");
    rejection = { kind: 'unauthorized', signIn: 'key', detail: 'KBase Auth error: 401' };
    bar.draw();
    const refused = "Transfer status can't be checked without a valid API key: the service rejected the API key";
    assert.equal(tooltip(), `${refused}: KBase Auth error: 401`);
    rejection = undefined;
    bar.draw();
    assert.match(item.shown() ?? '', /1 transfer/);
  });

  it('shows the number of running transfers and the share of transferred files', () => {
    const half = { status: 'active', fileCount: 4, movedFileCount: 2 };
    store.put([transfer('one', { status: half })]);
    assert.equal(item.shown(), '$(sync~spin) 1 transfer · 50%');
    store.put([transfer('two', { status: { fileCount: 4, movedFileCount: 3 } })]);
    assert.equal(item.shown(), '$(sync~spin) 2 transfers · 62%');
  });

  it('lists each transfer in a table with a link to its page, and opens the list on a click', () => {
    const status = { status: 'active', fileCount: 4, movedFileCount: 2 };
    store.put([transfer('one', { status }), transfer('two', { state: 'staging' }, { destination: 'Gamma' })]);
    const [head, , ...rows] = readTable(item);
    assert.equal(head, '| Transfer | Status | Done | Time left |');
    const link = (key: string): string =>
      `command:dataTransfer.showTransferProgress?${encodeURIComponent(JSON.stringify([{ kind: 'transfer', key }]))}`;
    assert.deepEqual(rows.sort(), [
      `| [2 files to Beta](${link('one')}) | active | 2 of 4 files | about 4 min |`,
      `| [2 files to Gamma](${link('two')}) | staging | | about 4 min |`,
    ]);
    assert.equal(item.real().command, 'dataTransfer.showRunningTransfers');
    const before = item.real().tooltip;
    store.put([transfer('one', { status }, { source: 'Not shown' })]);
    assert.equal(item.real().tooltip, before, 'an unchanged tooltip stays open');
    store.put([transfer('one', { state: 'inactive', status })]);
    assert.match(readTable(item).join('\n'), /inactive/);
  });

  it('limits the transfers in the tooltip', () => {
    store.put([...Array(25).keys()].map((index) => transfer(`t${index}`)));
    const lines = readTable(item);
    assert.deepEqual([lines.length, lines.at(-1)], [13, 'and 15 more']);
  });

  it('shows server text as plain text, and links only to pages', () => {
    for (const text of Object.values(hostileTexts)) {
      store.put([transfer('one', { state: 'running', status: { status: text } }, { destination: text })]);
      const { tooltip } = item.real();
      assert.ok(tooltip instanceof MarkdownString);
      assert.deepEqual(tooltip.isTrusted, { enabledCommands: ['dataTransfer.showTransferProgress'] });
      assert.ok(!tooltip.supportHtml && !tooltip.supportThemeIcons);
      assert.equal(tooltip.value.split('\n').length, 3, 'one row');
      const [title = '', state = ''] = tooltip.value.split('\n')[2]?.split('&nbsp;&nbsp; | ') ?? [];
      const shown = title.replace(/^\| \[/, '').replace(/\]\([^()]*\)$/, '');
      for (const cell of [shown, state]) assert.match(cell, /^(?:[\p{L}\p{N} ]|&#\d+;)*$/u);
    }
  });

  it('has an accessible label without icon names, which follows the state', () => {
    const getAccessibleLabel = (): string | undefined => item.real().accessibilityInformation?.label;
    store.put([transfer('one')]);
    assert.equal(getAccessibleLabel(), '1 transfer · 0%');
    assert.equal(item.real().accessibilityInformation?.role, 'button');
    connected = false;
    bar.draw();
    assert.equal(getAccessibleLabel(), 'Data Transfer: not connected');
    store.put([transfer('one', { state: 'failed' })]);
    assert.equal(getAccessibleLabel(), '1 transfer failed');
  });

  it('shows finished transfers for a minute', async () => {
    store.put([transfer('one')]);
    store.put([transfer('one', { state: 'succeeded' })]);
    assert.equal(item.shown(), '$(check) All transfers finished');
    await clock.pass(59_000);
    assert.equal(item.shown(), '$(check) All transfers finished');
    await clock.pass(1_000);
    assert.equal(item.shown(), undefined);
  });

  it('shows an incomplete transfer until the user acknowledges it (D39)', () => {
    const none = { status: 'succeeded', fileCount: 0, movedFileCount: 0 };
    store.put([transfer('one'), transfer('two')]);
    store.put([transfer('one', { state: 'succeeded', status: none }), transfer('two', { state: 'cancelled' })]);
    assert.equal(item.shown(), '$(warning) 0 of 2 files transferred');
    assert.deepEqual(item.real().backgroundColor, new ThemeColor('statusBarItem.warningBackground'));
    store.put([transfer('three'), transfer('four')]);
    store.put([transfer('three', { state: 'succeeded', status: none }), transfer('four', { state: 'failed' })]);
    assert.equal(item.shown(), '$(error) 1 transfer failed, 2 incomplete');
    bar.acknowledge();
    assert.equal(item.shown(), undefined);
  });

  it('omits a transfer whose cancellation the server ignores, and shows other failures (D13)', () => {
    const ignored = { cancelAcceptedAt: 1, cancelUnheeded: true, state: 'staging' } as const;
    store.put([transfer('one', { state: 'staging' }), transfer('two')]);
    store.put([transfer('one', ignored)]);
    assert.equal(item.shown(), '$(sync~spin) 1 transfer · 0%');
    store.put([transfer('two', { state: 'failed' })]);
    assert.equal(item.shown(), '$(error) 1 transfer failed');
    bar.acknowledge();
    assert.equal(item.shown(), undefined);
  });

  it('shows that transfers are paused while the local service is stopped, with a Start link', () => {
    store.put([transfer('one', { problem: { kind: 'serviceStopped' } })]);
    connected = false;
    bar.draw();
    assert.equal(item.shown(), '$(debug-pause) 1 transfer paused');
    const { tooltip } = item.real();
    assert.ok(tooltip instanceof MarkdownString);
    const start = '[Start](command:dataTransfer.startLocalService)';
    assert.equal(tooltip.value, `paused: the local service is stopped · ${start}`);
    assert.deepEqual(tooltip.isTrusted, { enabledCommands: ['dataTransfer.startLocalService'] });
    connected = true;
    store.put([transfer('one')]);
    assert.equal(item.shown(), '$(sync~spin) 1 transfer · 0%');
  });

  it('counts a transfer that the user has paused as paused, without a warning (D70)', () => {
    const paused = { state: 'inactive', status: { status: 'inactive', isPaused: true } } as const;
    store.put([transfer('one', paused), transfer('two')]);
    assert.equal(item.shown(), '$(sync~spin) 1 transfer · 0%');
    store.put([transfer('two', { state: 'succeeded' })]);
    assert.equal(item.shown(), '$(debug-pause) 1 transfer paused');
    assert.equal(item.real().backgroundColor, undefined);
    assert.match(readTable(item).join('\n'), /\| paused/);
  });

  it("limits the length of a server's state word in the table", () => {
    store.put([transfer('one', { state: 'running', status: { status: 'warming '.repeat(50) } })]);
    const row = readTable(item)[2] ?? '';
    assert.equal(row.split('|')[2]?.trim().length, 40);
  });

  it('shows failed transfers until the user acknowledges them', async () => {
    store.put([transfer('one'), transfer('two')]);
    store.put([transfer('one', { state: 'failed' })]);
    assert.equal(item.shown(), '$(sync~spin) 1 transfer · 0% · $(error) 1 transfer failed');
    assert.deepEqual(item.real().backgroundColor, new ThemeColor('statusBarItem.errorBackground'));
    store.put([transfer('two', { state: 'failed' })]);
    assert.equal(item.shown(), '$(error) 2 transfers failed');
    // A notification counts only the transfers that ended together.
    assert.equal(item.real().tooltip, 'New since you last looked at the transfers. Select to show them.');
    assert.deepEqual(item.real().backgroundColor, new ThemeColor('statusBarItem.errorBackground'));
    await clock.pass(24 * 3_600_000);
    assert.equal(item.shown(), '$(error) 2 transfers failed');
    bar.acknowledge();
    assert.equal(item.shown(), undefined);
    store.put([transfer('three')]);
    assert.equal(item.real().backgroundColor, undefined);
  });

  it('shows a transfer that is not confirmed until the user acknowledges or resolves it (D12)', () => {
    const unconfirmed = transfer('one', { state: 'notConfirmed' });
    store.put([transfer('one'), transfer('two')]);
    store.put([unconfirmed]);
    assert.equal(item.shown(), '$(sync~spin) 1 transfer · 0% · $(question) 1 transfer not confirmed');
    assert.deepEqual(item.real().backgroundColor, new ThemeColor('statusBarItem.warningBackground'));
    store.put([transfer('two', { state: 'failed' })]);
    assert.equal(item.shown(), '$(error) 1 transfer failed, 1 not confirmed');
    store.put([transfer('one', { state: 'refused' })]);
    assert.equal(item.shown(), '$(error) 2 transfers failed');
    store.put([unconfirmed, transfer('three')]);
    bar.acknowledge();
    assert.equal(item.shown(), '$(sync~spin) 1 transfer · 0%');
    store.put([transfer('four')]);
    store.put([transfer('four', { state: 'notConfirmed' })]);
    store.remove(['four']);
    assert.equal(item.shown(), '$(sync~spin) 1 transfer · 0%');
  });

  it('shows transfers that need attention beside running ones, even without a connection', () => {
    const half = { status: 'succeeded', fileCount: 2, movedFileCount: 1 };
    store.put([transfer('one'), transfer('two')]);
    store.put([transfer('one', { state: 'succeeded', status: half })]);
    assert.equal(item.shown(), '$(sync~spin) 1 transfer · 0% · $(warning) 1 transfer incomplete');
    assert.deepEqual(bar.unacknowledged, ['one']);
    connected = false;
    bar.draw();
    assert.equal(item.shown(), '$(plug) Data Transfer: not connected · $(warning) 1 transfer incomplete');
    assert.equal(item.real().tooltip, "Transfer status can't be checked without a connection.");
  });

  it('does not show finished transfers after the user has acknowledged failed ones', () => {
    store.put([transfer('one'), transfer('two')]);
    store.put([transfer('one', { state: 'failed' }), transfer('two', { state: 'succeeded' })]);
    assert.equal(item.shown(), '$(error) 1 transfer failed');
    bar.acknowledge();
    assert.equal(item.shown(), undefined);
  });

  it('does not show an expired transfer as failed (D11)', () => {
    store.put([transfer('one'), transfer('two')]);
    store.put([transfer('one', { state: 'expired' }), transfer('two', { state: 'expired' })]);
    assert.equal(item.shown(), '$(history) 2 transfers expired');
    assert.deepEqual(item.real().backgroundColor, new ThemeColor('statusBarItem.warningBackground'));
    store.put([transfer('three')]);
    store.put([transfer('three', { state: 'failed' })]);
    assert.equal(item.shown(), '$(error) 1 transfer failed, 2 expired');
  });

  it('does not report a cancellation by the user', () => {
    store.put([transfer('one')]);
    store.put([transfer('one', { state: 'cancelled' })]);
    assert.equal(item.shown(), undefined);
  });

  it('shows that transfers wait for a connection until it is open', () => {
    connected = false;
    store.put([transfer('one')]);
    assert.equal(item.shown(), '$(plug) Data Transfer: not connected');
    assert.equal(item.real().tooltip, "Transfer status can't be checked without a connection.");
    connected = true;
    bar.draw();
    assert.equal(item.shown(), '$(sync~spin) 1 transfer · 0%');
  });
});

/** Returns the nonempty lines of the tooltip's Markdown, with character references decoded. */
function readTable(item: WatchedItem): string[] {
  const { tooltip } = item.real();
  assert.ok(tooltip instanceof MarkdownString);
  const shown = tooltip.value.replace(/&#(\d+);/g, (_whole, code) => String.fromCodePoint(Number(code)));
  return shown
    .replaceAll('&nbsp;', '')
    .replaceAll(/ +/g, ' ')
    .split('\n')
    .filter((line) => line !== '');
}

interface WatchedItem {
  /** Returns the visible text; undefined if the item is hidden. */
  shown(): string | undefined;
  real(): StatusBarItem;
}

/** Observes the next status bar item that is created, because the API can't report whether an item is hidden. */
function watchNextItem(): WatchedItem {
  const { createStatusBarItem } = window;
  let item: StatusBarItem | undefined;
  let isVisible = false;
  const watched = (...args: Parameters<typeof createStatusBarItem>): StatusBarItem => {
    item = createStatusBarItem(...args);
    const { show, hide } = item;
    item.show = () => {
      isVisible = true;
      show.call(item);
    };
    item.hide = () => {
      isVisible = false;
      hide.call(item);
    };
    Object.assign(window, { createStatusBarItem });
    return item;
  };
  Object.assign(window, { createStatusBarItem: watched });
  const real = (): StatusBarItem => {
    assert.ok(item, 'an item was created');
    return item;
  };
  return { real, shown: () => (isVisible ? real().text : undefined) };
}
