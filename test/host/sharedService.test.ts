import assert from 'node:assert/strict';
import { access, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { workspace } from 'vscode';
import type { Transfer } from '../../src/core/model/transferModel.ts';
import { localConnectionId } from '../../src/extension/editor/machine.ts';
import { describeStatus } from '../../src/extension/words/transferWords.ts';
import { TestLease } from '../support/heldLease.ts';
import { until } from '../unit/core/rig.ts';
import { databaseTree, formatRow } from './specimens.ts';
import { orcid, Stage } from './stage.ts';

interface ServiceFile {
  readonly address: string;
  readonly token: string;
  readonly sharingToken: string;
  readonly pid: number;
  readonly host: string;
}

describe('The local service of all windows (D29)', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openWithOrcid();
  });
  afterEach(() => stage.close());

  const getServiceFile = (): string => join(stage.parts.serviceFolders.dataFolder, 'service.json');

  const serviceFile = async (): Promise<ServiceFile> =>
    JSON.parse(await readFile(getServiceFile(), 'utf8')) as ServiceFile;

  /** Resolves when the databases of a service at a different address are shown. */
  const waitForOtherAddress = async (address: string): Promise<void> => {
    const { connectionStore } = stage.parts;
    await until(connectionStore.onDidChange, () => {
      const { state, listing } = connectionStore;
      return state.kind === 'connected' && state.connection.server !== address && listing.databases.length > 0;
    });
  };

  it('stores its data in a folder for this machine, whose name is in the transfer records', async () => {
    await stage.run('dataTransfer.startLocalService');
    assert.ok(stage.parts.serviceFolders.dataFolder.endsWith(join('local-service', hostname())));
    assert.equal(localConnectionId, `local@${hostname()}`);
    assert.ok(stage.parts.sessions.get(localConnectionId));
    assert.equal((await serviceFile()).host, hostname());
    assert.equal((await stat(getServiceFile())).mode & 0o777, 0o600);
    const log = await readFile(join(stage.parts.serviceFolders.dataFolder, 'service.log'), 'utf8');
    assert.match(log, /is listening on http:\/\/127\.0\.0\.1:/);
    assert.ok(!log.includes((await serviceFile()).token));
  });

  it('uses a service that another window started, and leaves it running when the window closes', async () => {
    const { localService } = stage.parts;
    const { address, token } = await localService.start();
    const other = await TestLease.open(await serviceFile(), []);
    assert.equal(await localService.countOtherWindows(), 1);
    assert.deepEqual(await localService.start(), { address, token });
    other.disconnect();
  });

  it('is restarted after a crash by the first window that notices, and open connections continue', async () => {
    const { localService, connectionStore, sessions } = stage.parts;
    await stage.run('dataTransfer.startLocalService');
    const names = connectionStore.listing.databases.map(({ name }) => name);
    const before = await serviceFile();
    process.kill(before.pid, 'SIGKILL');
    await waitForOtherAddress(before.address);
    const after = await serviceFile();
    assert.notEqual(after.token, before.token);
    assert.equal(localService.isRunning, true);
    assert.equal(sessions.active?.connection.server, after.address);
    assert.deepEqual(
      connectionStore.listing.databases.map(({ name }) => name),
      names,
    );
    assert.deepEqual(stage.person.notices, []);
  });

  describe('with a transfer whose destination is missing', () => {
    let archive: string;
    let submitted: Transfer;

    const shown = (): string => {
      const transfer = stage.parts.transferStore.get(submitted.key);
      return transfer ? describeStatus(transfer) : '';
    };

    const returnArchive = async (): Promise<void> => await rename(`${archive}-away`, archive);

    beforeEach(async () => {
      archive = join(openFolder(), 'archive');
      await mkdir(archive);
      await stage.settings.update('localService.databases', [{ name: 'Archive', folder: archive }], true);
      await writeFile(join(openFolder(), 'greeting.txt'), 'hello');
      await stage.run('dataTransfer.startLocalService');
      await stage.search(workspace.workspaceFolders?.[0]?.name ?? '', 'greeting');
      await rename(archive, `${archive}-away`);
      await stage.transferAll('Archive');
      const { transferStore } = stage.parts;
      const [transfer] = transferStore.getAll();
      assert.ok(transfer);
      submitted = transfer;
      await until(transferStore.onDidChange, () => shown() === 'inactive');
    });

    afterEach(async () => {
      for (const path of [archive, `${archive}-away`, join(openFolder(), 'greeting.txt')])
        await rm(path, { recursive: true, force: true });
    });

    it('continues it automatically after a crash (D25)', async () => {
      const { transferStore } = stage.parts;
      const { address, pid } = await serviceFile();
      process.kill(pid, 'SIGKILL');
      await waitForOtherAddress(address);
      await returnArchive();
      await until(transferStore.onDidChange, () => transferStore.getFinished().length > 0);
      assert.equal(shown(), 'succeeded');
      assert.deepEqual((await readdir(join(archive, `dts-${submitted.id ?? ''}`))).sort(), [
        'greeting.txt',
        'manifest.json',
      ]);
    });

    it('pauses it until the user resumes it, whatever happens to the service (D70)', async () => {
      const { transferStore } = stage.parts;
      const node = { kind: 'transfer', key: submitted.key } as const;
      await stage.run('dataTransfer.pauseTransfer', node);
      assert.equal(shown(), 'paused');
      await stage.run('dataTransfer.pauseTransfer', node);
      await stage.person.notice(/^Could not pause the transfer: .*: Transfer .* is already paused$/);
      await returnArchive();
      const { address, pid } = await serviceFile();
      process.kill(pid, 'SIGKILL');
      await waitForOtherAddress(address);
      await until(transferStore.onDidChange, () => shown() === 'paused');
      await stage.run('dataTransfer.stopLocalService');
      assert.equal(shown(), 'paused: the local service is stopped');
      await stage.run('dataTransfer.startLocalService');
      await until(transferStore.onDidChange, () => shown() === 'paused');
      const resumed = stage.run('dataTransfer.resumeTransfer');
      (await stage.person.pick()).choose('1 file to Archive');
      await resumed;
      await until(transferStore.onDidChange, () => shown() === 'succeeded');
      await stage.run('dataTransfer.resumeTransfer');
      await stage.person.notice(/^There is no transfer that you have paused\.$/);
      await stage.run('dataTransfer.pauseTransfer', node);
      await stage.person.notice(/^The transfer of 1 file to Archive has ended\.$/);
    });

    it('requires confirmation to stop, shows it as paused, and continues it at its next start', async () => {
      const { transferStore, localService } = stage.parts;
      const kept = stage.run('dataTransfer.stopLocalService');
      const question = await stage.person.notice(/^Stop the local service\?$/);
      assert.match(question.detail, /^1 transfer is running on it:\n1 file to Archive · inactive/);
      question.dismiss();
      await kept;
      assert.equal(localService.isRunning, true);
      const stopped = stage.run('dataTransfer.stopLocalService');
      (await stage.person.notice(/^Stop the local service\?$/)).press('Stop Local Service');
      await stopped;
      const notice = await stage.person.notice(/^The local service is stopped\. 1 transfer is paused\.$/);
      assert.equal(shown(), 'paused: the local service is stopped');

      notice.press('Start');
      await until(transferStore.onDidChange, () => shown() === 'inactive');
      await returnArchive();
      await until(transferStore.onDidChange, () => shown() === 'succeeded');
    });
  });

  it('is not restarted after a fourth crash within a minute, except by Retry', async () => {
    const { localService, connectionStore } = stage.parts;
    await stage.run('dataTransfer.startLocalService');
    localService['restartsAt'] = [];
    for (let crash = 1; crash <= 3; crash += 1) {
      const { address, pid } = await serviceFile();
      process.kill(pid, 'SIGKILL');
      await waitForOtherAddress(address);
      // On a busy machine, three restarts may take more than a minute.
      localService['restartsAt'] = localService['restartsAt'].map(() => Date.now());
    }
    process.kill((await serviceFile()).pid, 'SIGKILL');
    await until(connectionStore.onDidChange, () => connectionStore.state.kind !== 'connected');
    assert.equal(connectionStore.state.kind === 'failed' && connectionStore.state.reason.kind, 'unreachable');
    assert.equal(localService.isRunning, false);
    await stage.run('dataTransfer.refreshDatabases');
    assert.equal(connectionStore.state.kind, 'connected');
    localService['restartsAt'] = [];
  });

  it('is shown as stopped in one row, not as failed, when another window stops it, and restarts on Start', async () => {
    const { localService, connectionStore } = stage.parts;
    await stage.run('dataTransfer.startLocalService');
    const { address, sharingToken } = await serviceFile();
    const ended = until(connectionStore.onDidChange, () => connectionStore.state.kind === 'stopped');
    const headers = { authorization: `Bearer ${sharingToken}` };
    assert.equal((await fetch(`${address}/service`, { method: 'DELETE', headers })).status, 204);
    await ended;
    assert.equal(localService.isRunning, false);
    await assert.rejects(access(getServiceFile()));
    assert.deepEqual(stage.person.notices, []);
    const tree = databaseTree(connectionStore);
    const rows = tree.getChildren().map((node) => tree.getTreeItem(node));
    tree.dispose();
    assert.deepEqual([rows.map(formatRow), tree.description], [['Local Service', 'Start Local Service'], 'stopped']);
    assert.equal(rows[1]?.command?.command, 'dataTransfer.startLocalService');
    await stage.run('dataTransfer.startLocalService');
    assert.equal(connectionStore.state.kind, 'connected');
    assert.notEqual((await serviceFile()).address, address);
  });

  for (const [count, words] of [
    [1, 'Another window is using it.'],
    [2, '2 other windows are using it.'],
  ] as const) {
    it(`requires confirmation to stop while other windows use it: ${words}`, async () => {
      const { localService } = stage.parts;
      await stage.run('dataTransfer.startLocalService');
      const service = await serviceFile();
      const others = await Promise.all(Array.from({ length: count }, () => TestLease.open(service, [])));
      const kept = stage.run('dataTransfer.stopLocalService');
      const question = await stage.person.notice(/^Stop the local service\?$/);
      assert.equal(question.isModal, true);
      assert.ok(question.detail.startsWith(words), question.detail);
      question.dismiss();
      await kept;
      assert.equal(localService.isRunning, true);
      const stopped = stage.run('dataTransfer.stopLocalService');
      (await stage.person.notice(/^Stop the local service\?$/)).press('Stop Local Service');
      await stopped;
      assert.equal(localService.isRunning, false);
      await Promise.all(others.map(({ ended }) => ended));
      assert.deepEqual(
        others.map(({ events }) => events.at(-1)),
        others.map(() => 'stopped'),
      );
    });
  }

  it('shows a folder of another window immediately', async () => {
    const { connectionStore } = stage.parts;
    await stage.run('dataTransfer.startLocalService');
    const folder = join(openFolder(), 'of-another');
    await mkdir(folder);
    const lease = await TestLease.open(await serviceFile(), [{ name: 'Of Another Window', folder }]);
    await until(connectionStore.onDidChange, () => connectionStore.findDatabase('Of Another Window') !== undefined);
    lease.disconnect();
    await until(connectionStore.onDidChange, () => connectionStore.findDatabase('Of Another Window') === undefined);
    await rm(folder, { recursive: true });
  });

  it('cancels a transfer that another window submitted to the shared service', async () => {
    const file = join(openFolder(), 'large.bin');
    const handle = await open(file, 'w');
    await handle.truncate(1_000_000_000);
    await handle.close();
    await stage.run('dataTransfer.startLocalService');
    await stage.search(workspace.workspaceFolders?.[0]?.name ?? '', 'large');
    await stage.transferAll('Received Files');
    const [submitted] = stage.parts.transferStore.getAll();
    const { address, token } = await serviceFile();
    const path = `/api/v1/transfers/${submitted?.id ?? ''}?orcid=${orcid}`;
    const answer = await fetch(address + path, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 202);
    const { transferStore } = stage.parts;
    await until(transferStore.onDidChange, () => transferStore.getFinished().length > 0);
    assert.equal(transferStore.getFinished()[0]?.state, 'cancelled');
    await rm(file);
  });
});

function openFolder(): string {
  const [folder] = workspace.workspaceFolders ?? [];
  assert.ok(folder, 'a folder is open');
  return folder.uri.fsPath;
}
