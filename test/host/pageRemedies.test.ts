import type { ContentFlow } from '../../src/core/search/contentFlow.ts';
import { FilePreviews } from '../../src/extension/features/files/filePreviews.ts';
import assert from 'node:assert/strict';
import { Uri } from 'vscode';
import { CopyIndex } from '../../src/core/duplicates/copyIndex.ts';
import type { Reason } from '../../src/core/model/reason.ts';
import { SearchStore } from '../../src/core/search/searchStore.ts';
import { TransferStore } from '../../src/core/transfers/transferStore.ts';
import { MetadataPage } from '../../src/extension/features/files/metadataPanel.ts';
import { TransferPage } from '../../src/extension/features/transfers/transferPanel.ts';
import { ManualClock } from '../support/manualClock.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { SilentPanel } from './silentPanel.ts';
import { noFileStates, noPlaces, transfer } from './specimens.ts';

type Snapshot = Readonly<Record<string, unknown>>;

/** A panel that receives a snapshot with each message. */
class SnapshotPanel extends SilentPanel<{ readonly snapshot: Snapshot }, { readonly type: 'ready' | 'remedy' }> {
  get snapshot(): Snapshot {
    return this.posted.at(-1)?.snapshot ?? assert.fail('no snapshot');
  }
}

const setKey = ['dataTransfer.setApiKey', { kind: 'connection', id: 'c' }];

/** Those of services that don't return the content of files. */
const noPreviews = new FilePreviews({ canRead: () => false } as unknown as ContentFlow);

describe('A page about a file', () => {
  it('shows different messages for an unexpected error and a response without metadata', async () => {
    const silent = new SnapshotPanel();
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
    silent.send({ type: 'ready' });
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
  let silent: SnapshotPanel;
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
    silent = new SnapshotPanel();
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
    silent.send({ type: 'ready' });
    const shown = silent.snapshot['transfer'] as Record<string, unknown>;
    assert.deepEqual(
      [shown['problem'], shown['remedy']],
      ["the service rejected the ORCID iD: invalid ORCID 'x'", 'orcid'],
    );
    silent.send({ type: 'remedy' });
    transfers.put([transfer('k', { state: 'refused', problem: { ...problem, signIn: 'key' } })]);
    silent.send({ type: 'remedy' });
    transfers.put([transfer('k', { state: 'refused', problem: { kind: 'timeout' } })]);
    silent.send({ type: 'remedy' });
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
    silent.send({ type: 'ready' });
    await page.fetch();
    const problem = 'Could not fetch the metadata for f.csv: the service rejected the sign-in (401).';
    assert.deepEqual([silent.snapshot['problem'], silent.snapshot['remedy']], [problem, 'key']);
    silent.send({ type: 'remedy' });
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
