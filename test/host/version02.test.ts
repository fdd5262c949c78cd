import assert from 'node:assert/strict';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationTarget, env, Uri } from 'vscode';
import { systemClock as clock } from '../../src/core/util/clock.ts';
import { TransferTree } from '../../src/extension/features/transfers/transferTree.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { Version02 } from '../support/version02.ts';
import { until } from '../unit/core/rig.ts';
import { formatRow, noPlans, noVerifications } from './specimens.ts';
import { ledgerFolder, orcid, Stage } from './stage.ts';

/** Moves the records into the folder that the window watches, each at once, as every version writes them. */
async function moveRecords(copy: Version02): Promise<void> {
  const incoming = `${ledgerFolder} incoming`;
  await cp(copy.ledger, incoming, { recursive: true });
  for (const folder of ['running', 'ended']) {
    await mkdir(join(ledgerFolder, folder), { recursive: true });
    for (const name of await readdir(join(incoming, folder)))
      await rename(join(incoming, folder, name), join(ledgerFolder, folder, name));
  }
  await rm(incoming, { recursive: true });
}

describe('The extension with the settings, state and records of version 0.2', () => {
  let stage: Stage;
  let copy: Version02;

  beforeEach(async () => {
    stage = await Stage.openWithOrcid();
    copy = await Version02.install(stage.parts.context.extensionPath, { public: stage.server.address });
    const settings = JSON.parse(await copy.read('machine-settings.json')) as Readonly<Record<string, unknown>>;
    assert.equal(settings['dataTransfer.orcid'], orcid);
    const connections = settings['dataTransfer.connections'];
    await stage.settings.update('connections', connections, ConfigurationTarget.Global);
    const { context, transferFlow } = stage.parts;
    await cp(join(copy.storage, 'state'), join(context.globalStorageUri.fsPath, 'state'), { recursive: true });
    await moveRecords(copy);
    await transferFlow.resume();
    await transferFlow.loadFinished();
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
    await copy.remove();
  });

  function readRows(): readonly string[] {
    const { transferStore: store } = stage.parts;
    const load = (): Promise<void> => Promise.resolve();
    const loads = { loadFinished: load, loadLastFinished: load };
    const tree = new TransferTree({
      store,
      clock,
      ...loads,
      plans: noPlans,
      estimate: () => undefined,
      verifications: noVerifications,
    });
    const rows = store
      .getAll()
      .map(({ key }) => tree.getNode(key))
      .flatMap((node) => (node ? [tree.getTreeItem(node)] : []))
      .map((item) => `${item.accessibilityInformation?.label.split(', ')[1] ?? ''}: ${formatRow(item)}`);
    tree.dispose();
    return rows.map((row) => row.replaceAll('\u00A0', ' ').replace(/(?<=Local Service on ).*/, 'HOST'));
  }

  it('shows each transfer in its state', () => {
    assert.deepEqual(readRows(), [
      'active: Source … → Target | 50%',
      'not confirmed: → KBase Workspace S… | 1 file',
      'staging: JGI … → KBase Workspa… | 0%',
      'succeeded: 3 files (started elsewhere)',
      'succeeded: → KBase Workspace S… | 2 files',
      'succeeded: → Received Files | 1 file · Local Service on HOST',
      'succeeded: → Received Files | 1 file · Local Service on HOST',
      'not confirmed: → KBase Workspace S… | 1 file',
      'expired: → KBase Workspace S… | 1 file',
      "refused: → KBase Workspace S… | the service rejected the ORCID iD: invalid ORCID '0000-0002…",
      'staging: JGI … → KBase Workspa… | cancellation ignored · 0%',
      'canceled: → KBase Workspace S… | 0 of 1 file',
      'incomplete: → KBase Workspace S… | 1 of 2 files',
      'failed: → KBase Workspace S… | the disk is full · 0 of 2 files',
      'succeeded: → Target | 1 file',
      'succeeded: → Target | 2 files',
      'canceled: → Target | 0 of 1 file',
      'failed: → Target | could not read gone.csv: it no longer exists · 1 of 2 files',
      'succeeded: → Target | 1 file',
      'succeeded: → Cluster | 1 file',
      'succeeded: → Target | 2 files',
      'succeeded: → Target | 2 files',
    ]);
  });

  it('connects with its saved key, follows its transfer, and suggests its inputs', async () => {
    const { apiKeys, memory, settings, transferStore } = stage.parts;
    const service = publicLike(stage.server, 'the-key');
    const running = transferStore.getRunning().find(({ order }) => order.description === 'The one that is on its way');
    service.transfers.set(running?.id ?? '', { orcid, status: 'active', num_files: 1, num_files_transferred: 0 });
    const [connection] = settings.connections;
    assert.ok(connection && running);
    assert.equal(await memory.getLastConnectionId(), connection.id);
    await apiKeys.set(connection, 'the-key');
    const done = stage.run('dataTransfer.switchConnection');
    (await stage.person.pick()).choose('DTS prototype');
    await done;
    await until(transferStore.onDidChange, () => transferStore.get(running.key)?.state === 'active');
    const searching = stage.run('dataTransfer.searchFiles');
    const pick = await stage.person.pick();
    assert.ok(pick.labels.includes('“JDP:00005”'), pick.labels.join());
    pick.escape();
    await searching;
  });

  it('opens its link to a search', async () => {
    const links = JSON.parse(await copy.read('links.json')) as Readonly<Record<string, string>>;
    const link = Uri.parse((links['search'] ?? '').replace(/^[\w-]+/, env.uriScheme), true);
    const done = stage.parts.openLink(link);
    const notice = await stage.person.notice(/^Open the search/);
    assert.match(notice.detail, /^Database: JGI Data Portal\nSearch: “JDP:00005”$/m);
    notice.dismiss();
    await done;
  });
});
