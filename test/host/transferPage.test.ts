import assert from 'node:assert/strict';
import { EventEmitter, extensions, type Uri, type Webview, type WebviewPanel } from 'vscode';
import type { Transfer } from '../../src/core/model/transfer.ts';
import { TransferStore } from '../../src/core/store/transferStore.ts';
import type { CommandId } from '../../src/host/contributions.ts';
import { standingText } from '../../src/host/words.ts';
import type { TransferIntent, TransferSnapshot } from '../../src/messages/transferMessages.ts';
import { TransferPage } from '../../src/panels/transferPage.ts';
import { ManualClock } from '../support/manualClock.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { transfer } from './specimens.ts';
import { extensionId } from './stage.ts';

describe('The page of a transfer', () => {
  const received = new EventEmitter<unknown>();
  let store: TransferStore;
  let page: TransferPage;
  let sent: { readonly snapshot: TransferSnapshot }[];
  let run: CommandId[];

  beforeEach(() => {
    store = new TransferStore();
    [sent, run] = [[], []];
    const extensionUri = extensions.getExtension(extensionId)?.extensionUri;
    assert.ok(extensionUri);
    const webview: Partial<Webview> = {
      onDidReceiveMessage: received.event,
      asWebviewUri: (uri: Uri) => uri,
      postMessage: (message: (typeof sent)[number]) => {
        sent.push(message);
        return Promise.resolve(true);
      },
    };
    page = new TransferPage(
      { webview } as WebviewPanel,
      {
        extensionUri,
        log: new MemoryLog(),
        run: (id) => run.push(id),
        transfers: store,
        loadFinished: () => Promise.resolve(),
        estimateOf: () => undefined,
        reveal: () => undefined,
        clock: new ManualClock(),
      },
      't',
    );
    store.put([transfer('t')]);
    received.fire({ type: 'ready' } satisfies TransferIntent);
  });
  afterEach(() => page.dispose());

  const shown = (given: Partial<Transfer>): TransferSnapshot['transfer'] & object => {
    store.put([transfer('t', given)]);
    page.update();
    const last = sent.at(-1)?.snapshot.transfer;
    assert.ok(last);
    return last;
  };

  const cases: readonly (readonly [words: string, given: Partial<Transfer>])[] = [
    ['active', {}],
    ['cancelling', { cancelAcceptedAt: 1 }],
    ['cancel accepted, the server still says staging', { state: 'staging', cancelAcceptedAt: 1, cancelUnheeded: true }],
    ['warming up', { state: 'running', status: { status: 'warming up' } }],
    ['paused: the local service is stopped', { problem: { kind: 'serviceStopped' } }],
    [
      'completed: 0 of 2 files transferred',
      { state: 'succeeded', status: { status: 'succeeded', fileCount: 0, movedFileCount: 0 } },
    ],
  ];
  for (const [words, given] of cases) {
    it(`says "${words}" where the row says it`, () => {
      assert.equal(shown(given).statusText, words);
      assert.equal(standingText(transfer('t', given)), words);
    });
  }

  it('offers to start the local service, and no cancel, while that is stopped', () => {
    const paused = shown({ problem: { kind: 'serviceStopped' } });
    assert.deepEqual([paused.paused, paused.canCancel, paused.problem], [true, false, undefined]);
    received.fire({ type: 'startService' } satisfies TransferIntent);
    assert.deepEqual(run, ['dataTransfer.startLocalService']);
  });
});
