import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Explorer } from '../../src/core/explorer.ts';
import { TransferLedger } from '../../src/core/transfers/transferLedger.ts';
import { systemClock } from '../../src/core/util/clock.ts';
import { TransferTree } from '../../src/extension/features/transfers/transferTree.ts';
import { silence } from '../support/faultBehaviors.ts';
import { publicLike, type PublicState } from '../support/faultPersonality.ts';
import { eventually } from '../support/eventually.ts';
import { FaultServer } from '../support/faultServer.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { createExplorerDependencies } from '../support/explorerDependencies.ts';
import { untilIdle } from '../support/untilIdle.ts';
import { until } from '../unit/core/rig.ts';
import { noPlans, transfer, formatRow, noVerifications } from './specimens.ts';
import { ledgerFolder, orcid, Stage } from './stage.ts';

const connection = (server: FaultServer): { id: string; name: string; server: string } => ({
  id: 'c',
  name: 'Test',
  server: server.address,
});

describe('After a restart', () => {
  let folder: string;
  let server: FaultServer;
  let service: PublicState;
  let explorer: Explorer;

  const newExplorer = (): Explorer =>
    new Explorer(createExplorerDependencies({ log: new MemoryLog(), clock: systemClock, ledgerFolder: folder }));

  /** Disposes of the core, as a closing window does, and starts a new one with the same folder. */
  const restart = async (): Promise<void> => {
    explorer.dispose();
    explorer = newExplorer();
    await explorer.transferFlow.resume();
  };

  const submit = async (): Promise<void> => {
    const { session } = await explorer.connectFlow.open(connection(server), 'the-key');
    assert.ok(session);
    await explorer.searchFlow.run(session, { database: 'JGI Data Portal', query: 'JDP:000001', pageSize: 5 });
    const files = [{ id: 'JDP:000001', name: 'one.csv' }];
    const databases = { source: 'JGI Data Portal', destination: 'KBase Workspace Service (KSS)' };
    await explorer.transferFlow.submit({ connectionId: 'c', orcid, files, ...databases });
  };

  const rows = (): string[] => {
    const { transferStore: store, transferFlow } = explorer;
    const tree = new TransferTree({
      store,
      clock: systemClock,
      loadFinished: () => transferFlow.loadFinished(),
      loadLastFinished: () => transferFlow.loadLastFinished(),
      plans: noPlans,
      estimate: () => undefined,
      verifications: noVerifications,
    });
    const nodes = tree.getChildren().flatMap((node) => [node, ...tree.getChildren(node)]);
    const words = nodes.map((node) => formatRow(tree.getTreeItem(node)));
    tree.dispose();
    return words;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledger-'));
    server = await FaultServer.start();
    service = publicLike(server, 'the-key');
    explorer = newExplorer();
  });
  afterEach(async () => {
    explorer.dispose();
    await server.stop();
    // What a disposed core is still writing would create the folder again.
    await untilIdle(1);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  });

  it('a running transfer reappears with its ID before anything is connected', async () => {
    await submit();
    const [before] = explorer.transferStore.getAll();
    await restart();
    const [after] = explorer.transferStore.getAll();
    assert.ok(before?.id);
    assert.deepEqual([after?.key, after?.id, after?.order], [before.key, before.id, before.order]);
    assert.match(rows()[1] ?? '', /^JGI … → KBase Workspa… \| 1 file/);
  });

  it('a running transfer is polled again once its connection is open, and its outcome is saved', async () => {
    await submit();
    await restart();
    for (const one of service.transfers.values())
      Object.assign(one, { status: 'succeeded', num_files_transferred: one.num_files });
    await explorer.connectFlow.open(connection(server), 'the-key');
    const { transferStore } = explorer;
    await until(transferStore.onDidChange, () => transferStore.getFinished().length > 0);
    const [ended] = transferStore.getFinished();
    assert.ok(ended);
    await explorer.transferFlow.save(ended);
    await restart();
    assert.deepEqual(rows(), ['Finished', 'Loading…']);
    await until(explorer.transferStore.onDidChange, () => !explorer.transferStore.hasEarlier);
    assert.deepEqual(rows(), ['Finished | 1', '→ KBase Workspace S… | 1 file']);
  });

  it('a submission in progress is shown as not confirmed, and is not sent again (D12)', async () => {
    server.on('POST /api/v1/transfers', silence());
    const sent = submit();
    const { transferStore } = explorer;
    await until(transferStore.onDidChange, () => transferStore.getRunning().length > 0);
    const writer = new TransferLedger(folder, new MemoryLog());
    assert.equal((await writer.loadRunning())[0]?.state, 'submitting');
    await eventually(() => Promise.resolve(server.requestsTo('POST /api/v1/transfers')[0]));
    await server.stop();
    await sent;
    await writer.write({ ...getTransfer(explorer), state: 'submitting' });
    server = await FaultServer.start();
    await restart();
    assert.deepEqual(rows(), ['Not confirmed | 1', '→ KBase Workspace S… | 1 file']);
    assert.deepEqual(server.requestsTo('POST /api/v1/transfers'), []);
  });

  it('the extension reads its records from the folder that all windows share (D63)', async () => {
    const stage = await Stage.open();
    const ledger = new TransferLedger(ledgerFolder, new MemoryLog());
    await ledger.write(transfer('from-before', { state: 'active' }));
    await ledger.write(transfer('long-ago', { state: 'succeeded' }));
    await stage.parts.transferFlow.resume();
    const { transferStore } = stage.parts;
    assert.ok(transferStore.get('from-before'));
    await stage.parts.transferFlow.loadFinished();
    assert.ok(transferStore.get('long-ago'));
    await stage.close();
    assert.deepEqual(await readdir(join(ledgerFolder, 'running')), []);
    assert.deepEqual(await readdir(join(ledgerFolder, 'ended')), []);
  });
});

function getTransfer({ transferStore }: Explorer): ReturnType<typeof transferStore.getAll>[number] {
  const [first] = transferStore.getAll();
  assert.ok(first);
  return first;
}
