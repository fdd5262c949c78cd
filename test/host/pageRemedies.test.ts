import type { ContentFlow } from '../../src/core/search/contentFlow.ts';
import { FilePreviews } from '../../src/extension/features/files/filePreviews.ts';
import assert from 'node:assert/strict';
import { EventEmitter, Uri, type WebviewPanel } from 'vscode';
import { CopyIndex } from '../../src/core/duplicates/copyIndex.ts';
import type { Reason } from '../../src/core/model/reason.ts';
import { SearchStore } from '../../src/core/search/searchStore.ts';
import { TransferStore } from '../../src/core/transfers/transferStore.ts';
import { MetadataPage } from '../../src/extension/features/files/metadataPanel.ts';
import { TransferPage } from '../../src/extension/features/transfers/transferPanel.ts';
import { ManualClock } from '../support/manualClock.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { noFileStates, noPlaces, transfer } from './specimens.ts';

/** A webview panel without a page. It stores posted messages and lets the test send messages in place of the page. */
class SilentPanel {
  readonly posted: Record<string, unknown>[] = [];
  readonly messages = new EventEmitter<unknown>();
  readonly panel: WebviewPanel;

  constructor() {
    const webview = {
      onDidReceiveMessage: this.messages.event,
      asWebviewUri: (uri: Uri) => uri,
      cspSource: '',
      postMessage: (message: Record<string, unknown>) => {
        this.posted.push(message);
        return Promise.resolve(true);
      },
    };
    this.panel = { webview, title: '' } as unknown as WebviewPanel;
  }

  /** The last snapshot sent to the page. */
  get snapshot(): Record<string, unknown> {
    return this.posted.at(-1)?.['snapshot'] as Record<string, unknown>;
  }
}

const setKey = ['dataTransfer.setApiKey', { kind: 'connection', id: 'c' }];

/** Those of services that don't return the content of files. */
const noPreviews = new FilePreviews({ canRead: () => false } as unknown as ContentFlow);

describe('A page about a file', () => {
  it('shows different messages for an unexpected error and a response without metadata', async () => {
    const silent = new SilentPanel();
    const log = new MemoryLog();
    let isBroken = true;
    const page = new MetadataPage(
      silent.panel,
      {
        extensionUri: Uri.file('/extension'),
        log,
        run: () => undefined,
        clock: new ManualClock(),
        onDidConnect: () => ({ dispose: () => undefined }),
        getStaging: () => undefined,
        copies: new CopyIndex(new SearchStore()),
        isConnected: () => true,
        previews: noPreviews,
        fetchFile: async () => {
          if (isBroken) throw new Error('a bug');
          return {};
        },
      },
      { ref: { connectionId: 'c', database: 'Alpha', id: 'f', name: 'f.csv' }, kept: false, loading: false },
    );
    silent.messages.fire({ type: 'ready' });
    await page.fetch();
    assert.equal(silent.snapshot['problem'], 'Unexpected error. See the log.');
    assert.equal(log.lines.length, 1);
    isBroken = false;
    await page.fetch();
    assert.equal(silent.snapshot['problem'], 'Alpha returned no metadata for f.csv.');
    page.dispose();
  });
});

describe('A page about a rejected sign-in (D44)', () => {
  let silent: SilentPanel;
  let runs: unknown[];
  const parts = (): {
    extensionUri: Uri;
    log: MemoryLog;
    run: (...run: readonly unknown[]) => void;
  } => ({
    extensionUri: Uri.file('/extension'),
    log: new MemoryLog(),
    run: (...run) => runs.push(run),
  });

  beforeEach(() => {
    silent = new SilentPanel();
    runs = [];
  });

  it('offers a fix for a refused transfer, and applies it to its connection', () => {
    const transfers = new TransferStore();
    const problem: Reason = { kind: 'unauthorized', status: 401, signIn: 'orcid', detail: "invalid ORCID 'x'" };
    transfers.put([transfer('k', { state: 'refused', problem })]);
    const page = new TransferPage(
      silent.panel,
      {
        ...parts(),
        transfers,
        clock: new ManualClock(),
        flow: { loadFinished: async () => undefined, refreshFollowUp: async () => undefined },
        getEstimate: () => undefined,
        reveal: () => undefined,
        places: noPlaces,
        fileStates: noFileStates,
      },
      'k',
    );
    silent.messages.fire({ type: 'ready' });
    const shown = silent.snapshot['transfer'] as Record<string, unknown>;
    assert.deepEqual(
      [shown['problem'], shown['remedy']],
      ["the service rejected the ORCID iD: invalid ORCID 'x'", 'orcid'],
    );
    silent.messages.fire({ type: 'remedy' });
    transfers.put([transfer('k', { state: 'refused', problem: { ...problem, signIn: 'key' } })]);
    silent.messages.fire({ type: 'remedy' });
    transfers.put([transfer('k', { state: 'refused', problem: { kind: 'timeout' } })]);
    silent.messages.fire({ type: 'remedy' });
    assert.deepEqual(runs, [['dataTransfer.setOrcid', undefined], setKey]);
    page.dispose();
  });

  it('offers a fix for a file that could not be fetched, until it is fetched', async () => {
    let reason: Reason | undefined = { kind: 'unauthorized', status: 401, signIn: 'key', keyWorked: true };
    const ref = { connectionId: 'c', database: 'Alpha', id: 'f', name: 'f.csv' };
    const page = new MetadataPage(
      silent.panel,
      {
        ...parts(),
        clock: new ManualClock(),
        onDidConnect: () => ({ dispose: () => undefined }),
        getStaging: () => undefined,
        copies: new CopyIndex(new SearchStore()),
        isConnected: () => true,
        previews: noPreviews,
        fetchFile: async () => (reason ? { reason } : { file: { kind: 'unreadable', text: 'x' } }),
      },
      { ref, kept: false, loading: false },
    );
    silent.messages.fire({ type: 'ready' });
    await page.fetch();
    const problem = 'Could not fetch the metadata for f.csv: the service rejected the sign-in (401).';
    assert.deepEqual([silent.snapshot['problem'], silent.snapshot['remedy']], [problem, 'key']);
    silent.messages.fire({ type: 'remedy' });
    assert.deepEqual(runs, [setKey]);
    reason = { kind: 'unauthorized', status: 401, signIn: 'outage' };
    await page.fetch();
    assert.equal(silent.snapshot['remedy'], undefined);
    reason = undefined;
    await page.fetch();
    assert.deepEqual([silent.snapshot['problem'], silent.snapshot['remedy']], [undefined, undefined]);
    page.dispose();
  });
});
