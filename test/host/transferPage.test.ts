import assert from 'node:assert/strict';
import { env, extensions } from 'vscode';
import type { Reason } from '../../src/core/model/reason.ts';
import type { Transfer } from '../../src/core/model/transferModel.ts';
import type { FileOverview } from '../../src/core/transfers/fileStateFlow.ts';
import { TransferStore } from '../../src/core/transfers/transferStore.ts';
import type { TransferredFolder } from '../../src/core/verification/transferredFolder.ts';
import type { CommandId } from '../../src/extension/editor/contributions.ts';
import { describeStatus } from '../../src/extension/words/transferWords.ts';
import type { TransferIntent, TransferSnapshot } from '../../src/webviews/messages/transferMessages.ts';
import { TransferPage, TransferPanels } from '../../src/extension/features/transfers/transferPanel.ts';
import type { PollingServices } from '../../src/extension/features/transfers/watchedPanel.ts';
import { ManualClock } from '../support/manualClock.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { SilentPanel } from './silentPanel.ts';
import { noFileStates, noPlaces, transfer } from './specimens.ts';
import { extensionId } from './stage.ts';

interface Posted {
  readonly snapshot: TransferSnapshot;
  readonly states?: Readonly<Record<string, string>>;
}

describe('The page of a transfer', () => {
  let silent: SilentPanel<Posted, TransferIntent>;
  let store: TransferStore;
  let page: TransferPage;
  let dependencies: ConstructorParameters<typeof TransferPage>[1];
  let run: CommandId[];
  let found: TransferredFolder | undefined;
  let overview: FileOverview | Promise<FileOverview | undefined> | undefined;
  let asked: number[];

  beforeEach(() => {
    store = new TransferStore();
    [silent, run] = [new SilentPanel(), []];
    [found, overview, asked] = [undefined, undefined, []];
    const extensionUri = extensions.getExtension(extensionId)?.extensionUri;
    assert.ok(extensionUri);
    dependencies = {
      extensionUri,
      log: new MemoryLog(),
      run: (id) => run.push(id),
      transfers: store,
      flow: { loadFinished: () => Promise.resolve(), refreshFollowUp: () => Promise.resolve() },
      getEstimate: () => undefined,
      reveal: () => undefined,
      places: { ...noPlaces, locateFiles: async () => found },
      fileStates: {
        ...noFileStates,
        getOverview: async (_, limit) => {
          asked.push(limit);
          return await overview;
        },
      },
      clock: new ManualClock(),
    };
    page = new TransferPage(silent.panel, dependencies, 't', true);
    store.put([transfer('t')]);
    silent.send({ type: 'ready' });
  });
  afterEach(() => page.dispose());

  it('shares its tab until it is kept', () => {
    assert.deepEqual([page.isPinned, silent.posted.at(-1)?.snapshot.shared], [false, true]);
    silent.send({ type: 'keep' });
    assert.deepEqual([page.isPinned, silent.posted.at(-1)?.snapshot.shared], [true, false]);
  });

  const shown = (given: Partial<Transfer>): TransferSnapshot['transfer'] & object => {
    store.put([transfer('t', given)]);
    page.update();
    const last = silent.posted.at(-1)?.snapshot.transfer;
    assert.ok(last);
    return last;
  };

  it('starts with the words for all states', () => {
    const { states = {} } = silent.posted.find((message) => message.states) ?? {};
    assert.equal(Object.keys(states).length, 14);
    assert.deepEqual([states['notConfirmed'], states['cancelled']], ['not confirmed', 'canceled']);
  });

  const cases: readonly (readonly [words: string, given: Partial<Transfer>])[] = [
    ['active', {}],
    ['canceling', { cancelAcceptedAt: 1 }],
    [
      'cancellation accepted, but the server still reports staging',
      { state: 'staging', cancelAcceptedAt: 1, cancelUnheeded: true },
    ],
    ['warming up', { state: 'running', status: { status: 'warming up' } }],
    ['paused', { state: 'inactive', status: { status: 'inactive', isPaused: true } }],
    ['paused: the local service is stopped', { problem: { kind: 'serviceStopped' } }],
    [
      'incomplete: 0 of 2 files transferred',
      { state: 'succeeded', status: { status: 'succeeded', fileCount: 0, movedFileCount: 0 } },
    ],
  ];
  for (const [words, given] of cases) {
    it(`shows the same status as the row: "${words}"`, () => {
      assert.equal(shown(given).statusText, words);
      assert.equal(describeStatus(transfer('t', given)), words);
    });
  }

  it('sends the facts that the tooltip shows, and never shows an order that was not sent as submitted', () => {
    const labels = (given: Partial<Transfer>): readonly string[] => shown(given).facts.map(({ label }) => label);
    const requestedBy = { agent: 'An Agent', plan: 'p' };
    const all = ['Submitted', 'Ended', 'Requested by', 'Last checked', 'Transfer ID'];
    assert.deepEqual(labels({ state: 'succeeded', askedAt: 5, requestedBy }), all);
    assert.deepEqual(labels({ state: 'expired' }), ['Submitted', 'Transfer ID']);
    assert.deepEqual(labels({ startedElsewhere: true }), ['Tracked since', 'Transfer ID']);
    assert.deepEqual(labels({ state: 'submitting' }), ['Submission started', 'Transfer ID']);
    assert.deepEqual(labels({ state: 'refused', problem: { kind: 'notConnected' } }), ['Ended', 'Transfer ID']);
    assert.deepEqual(shown({ requestedBy }).facts[1], { label: 'Requested by', text: 'An Agent, confirmed by you' });
  });

  it('counts the files by license, links known licenses and warns about those that forbid redistribution', () => {
    const stated = [[{ name: 'CC-BY-4.0' }], [{ name: 'CC-BY-4.0' }], [{ name: 'All rights reserved' }], []];
    const files = stated.map((licenses, index) => ({ id: String(index), name: 'a', licenses }));
    const { order } = transfer('t', {}, { files: [...files, { id: 'unknown', name: 'b' }] });
    const warning = 'The license of 1 file forbids redistribution: All rights reserved';
    assert.deepEqual(shown({ order }).licenses, [
      { name: 'CC-BY-4.0', files: '2 files', url: 'https://spdx.org/licenses/CC-BY-4.0.html' },
      { name: 'All rights reserved', files: '1 file', warning },
      { name: 'Not stated', files: '1 file' },
      { name: 'Unknown', files: '1 file' },
    ]);
  });

  it('shows no licenses if none is known', () => {
    const files = [{ id: 'a', name: 'a', licenses: [] }];
    assert.equal(shown({ order: transfer('t', {}, { files }).order }).licenses, undefined);
  });

  it('distinguishes transfers that were not sent from rejected ones', () => {
    const cases: readonly (readonly [Reason, ...(string | undefined)[]])[] = [
      [{ kind: 'notConnected' }, 'not sent', 'unsent', 'not connected to the service'],
      [
        { kind: 'lookupFailed', cause: { kind: 'timeout' } },
        'not sent',
        'unsent',
        "the files couldn't be looked up: the service didn't respond in time",
      ],
      [{ kind: 'unreachable', code: 'X' }, 'not sent', 'unsent', "the service can't be reached (X)"],
      [{ kind: 'proxy', status: 403 }, 'not sent', 'unsent', 'the proxy rejected the request (403)'],
      [{ kind: 'refused', status: 400, detail: 'no' }, 'refused', undefined, 'the service refused the request: no'],
    ];
    for (const [problem, ...expected] of cases) {
      const { statusText, problemKind, problem: text } = shown({ state: 'refused', problem });
      assert.deepEqual([statusText, problemKind, text], expected);
    }
  });

  it('does not show a replaced transfer as not sent, because it may have been sent', () => {
    const problem = { kind: 'timeout', maybeDone: true } as const;
    assert.equal(shown({ state: 'refused', problem, replacedBy: 'another' }).problemKind, undefined);
  });

  it('marks a status request that waits for a submission as queued (D34)', () => {
    assert.equal(shown({ problem: { kind: 'queued' } }).problemKind, 'queued');
  });

  it('offers to start the local service while it is stopped, and no Cancel button', () => {
    const paused = shown({ problem: { kind: 'serviceStopped' } });
    assert.deepEqual([paused.paused, paused.canCancel, paused.problem], [true, false, undefined]);
    silent.send({ type: 'startService' });
    assert.deepEqual(run, ['dataTransfer.startLocalService']);
  });

  it('offers to pause a transfer, and to resume it (D70)', () => {
    const status = { status: 'active', isPaused: false };
    const given = [{}, { status }, { status: { ...status, isPaused: true } }].map(shown);
    assert.deepEqual(
      given.map(({ pauseChange }) => pauseChange),
      [undefined, 'pause', 'resume'],
    );
    silent.send({ type: 'pause' });
    silent.send({ type: 'resume' });
    assert.deepEqual(run, ['dataTransfer.pauseTransfer', 'dataTransfer.resumeTransfer']);
  });

  it('shows the files that failed, with the reason, and counts those that are not shown (D71)', async () => {
    const problem = 'could not read it: permission denied';
    const failed = { id: 'a', path: 'x/a.csv', state: 'failed', sizeBytes: 2000, failedAttempts: 5, problem } as const;
    const rest = { position: 1, id: 'b', path: 'b', state: 'unfinished' } as const;
    overview = { files: [{ position: 0, ...failed }, rest], counts: { failed: 1, unfinished: 1200, transferred: 12 } };
    shown({ state: 'failed' });
    await page.updateFileStates();
    assert.deepEqual(silent.posted.at(-1)?.snapshot.transfer?.fileStates, {
      summary: '1 failed to arrive, 1,200 not begun or stopped, 12 arrived',
      rows: [
        { path: 'x/a.csv', look: 'failed', state: 'failed', size: '2 kB', problem: `${problem} (failed attempts: 5)` },
        { path: 'b', look: 'stopped', state: 'not begun or stopped' },
      ],
      more: '1,199 more files',
    });
    assert.deepEqual(new Set(asked), new Set([10]));
  });

  it('asks for the states of the files once at a time, again after a change, and not after success (D71)', async () => {
    await page.updateFileStates();
    asked = [];
    let answer = (_: FileOverview | undefined): void => undefined;
    overview = new Promise((resolve) => (answer = resolve));
    for (const movedFileCount of [1, 2, 3]) shown({ status: { movedFileCount } });
    assert.equal(asked.length, 1);
    answer({ files: [], counts: { transferred: 1 } });
    await page.updateFileStates();
    assert.deepEqual([asked.length, silent.posted.at(-1)?.snapshot.transfer?.fileStates], [2, undefined]);
    shown({ state: 'succeeded' });
    await page.updateFileStates();
    assert.equal(asked.length, 2);
  });

  it('shows the folder name at the destination if the files are not on this machine', async () => {
    shown({ state: 'active' });
    assert.equal(shown({ state: 'failed' }).place, undefined);
    shown({ state: 'succeeded' });
    await page.updatePlace();
    assert.deepEqual(shown({ state: 'succeeded' }).place, { folder: 'dts-id-t' });
    silent.send({ type: 'copyFolder' });
    assert.equal(await env.clipboard.readText(), 'dts-id-t');
  });

  it('shows the folder of the files, with buttons that open, verify and cite them', async () => {
    found = { folder: '/data/dts-id-t' };
    shown({ state: 'succeeded' });
    await page.updatePlace();
    const { place } = shown({ state: 'succeeded' });
    assert.deepEqual(place, { folder: '/data/dts-id-t', revealLabel: 'Open Folder in New Window' });
    silent.send({ type: 'showFiles' });
    silent.send({ type: 'verifyFiles' });
    silent.send({ type: 'cite' });
    assert.deepEqual(run, ['dataTransfer.revealLandedFiles', 'dataTransfer.verifyLandedFiles', 'dataTransfer.cite']);
  });

  describe('in the tab that transfers share', () => {
    let panels: TransferPanels;
    beforeEach(() => {
      const polling = { transfers: store, clock: dependencies.clock } as unknown as PollingServices;
      panels = new TransferPanels(dependencies, polling);
      store.put([transfer('a'), transfer('b')]);
    });
    afterEach(() => panels.dispose());

    const restore = (key: string): typeof silent => {
      const restored: typeof silent = new SilentPanel();
      panels.restore(restored.panel, { key, shared: true });
      restored.send({ type: 'ready' });
      return restored;
    };

    it('is not shown again by a late response, once the tab shows the next one', async () => {
      let answer = (_: FileOverview | undefined): void => undefined;
      overview = new Promise((resolve) => (answer = resolve));
      const shared = restore('a');
      const request = panels['pages'].get('a')?.updateFileStates() ?? assert.fail();
      panels.show('b');
      shared.send({ type: 'ready' });
      const before = shared.posted.length;
      answer({ files: [{ position: 0, id: 'a', path: 'a', state: 'failed' }], counts: { failed: 1 } });
      await request;
      await panels['pages'].get('b')?.updateFileStates();
      const keys = shared.posted.slice(before).map(({ snapshot }) => snapshot.key);
      assert.deepEqual(new Set(keys), new Set(['b']));
    });

    it('is not changed by a button that was pressed for the transfer before', () => {
      const shared = restore('a');
      panels.show('b');
      shared.send({ type: 'cancel' });
      assert.deepEqual(run, []);
      shared.send({ type: 'ready' });
      shared.send({ type: 'cancel' });
      assert.deepEqual(run, ['dataTransfer.cancelTransfer']);
    });

    it('keeps its tab if another one is restored as the shared tab first', () => {
      const shared = [restore('a'), restore('b')].map(({ posted }) => posted.at(-1)?.snapshot.shared);
      assert.deepEqual(shared, [true, false]);
    });
  });
});
