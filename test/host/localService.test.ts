import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Uri, workspace } from 'vscode';
import type { Transfer } from '../../src/core/model/transferModel.ts';
import { getLoginName } from '../../src/core/util/userIdentity.ts';
import { localConnectionId } from '../../src/extension/editor/machine.ts';
import { until } from '../unit/core/rig.ts';
import { orcid, Stage } from './stage.ts';

describe('The local service in the editor', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openWithOrcid();
  });
  afterEach(() => stage.close());

  it('starts, connects, and serves the open folder, the samples and a folder for received files', async () => {
    await stage.run('dataTransfer.startLocalService');
    const { state, listing } = stage.parts.connectionStore;
    assert.equal(state.kind === 'connected' && state.connection.name, 'Local Service');
    assert.deepEqual(
      listing.databases.map(({ name, organization }) => [name, organization]),
      [
        [workspace.workspaceFolders?.[0]?.name, 'Workspace folders'],
        ['Sample Data', 'This machine'],
        ['Received Files', 'This machine'],
      ],
    );
    assert.deepEqual(stage.person.notices, []);
  });

  it('transfers sample files completely', async () => {
    await stage.run('dataTransfer.startLocalService');
    const search = await stage.search('Sample Data', 'observations');
    const names = search.files.flatMap((file) => (file.kind === 'file' ? [file.name] : [])).sort();
    assert.deepEqual(names, ['observations-2023.csv', 'observations-2024.csv', 'observations-2025.csv']);
    await stage.transferAll('Received Files');
    assert.deepEqual(stage.parts.searchStore.getCheckedFiles(), [], 'nothing stays checked');
    const transfer = await ended(stage);
    assert.equal(transfer.state, 'succeeded');
    assert.equal(transfer.status?.movedFileCount, 3);
    assert.match((await stage.person.notice()).message, /^Transferred 3 files to Received Files\.$/);
    const destination = join(received(stage), `dts-${transfer.id ?? ''}`);
    const manifest = JSON.parse(await readFile(join(destination, 'manifest.json'), 'utf8')) as Manifest;
    assert.deepEqual(manifest.resources.map(({ path }) => path.split('/').at(-1)).sort(), names);
    for (const { path, hash } of manifest.resources) {
      const digest = await sha256(join(destination, path));
      assert.equal(`sha256:${digest}`, hash);
      assert.equal(digest, await sha256(Uri.joinPath(stage.parts.context.extensionUri, 'samples', path).fsPath));
    }
  });

  it('sends the login name instead of an ORCID iD, even to cancel after an iD was set (D19)', async () => {
    await stage.settings.update('orcid', undefined, true);
    const file = join(openFolder(), 'large.bin');
    const handle = await open(file, 'w');
    await handle.truncate(2_000_000_000);
    await handle.close();
    await stage.run('dataTransfer.startLocalService');
    await stage.search(workspace.workspaceFolders?.[0]?.name ?? '', 'large');
    await stage.transferAll('Received Files');
    assert.equal(stage.parts.transferStore.getAll()[0]?.order.orcid, getLoginName());
    await stage.settings.update('orcid', orcid, true);
    const done = stage.run('dataTransfer.cancelTransfer', stage.firstTransfer);
    (await stage.person.notice(/^Cancel the transfer of /)).press('Cancel Transfer');
    await done;
    assert.equal((await ended(stage)).state, 'cancelled');
    assert.doesNotMatch(stage.person.everythingShown, /ORCID/);
    await rm(file);
  });

  it('finds a new file in the open folder, and includes its metadata', async () => {
    const file = join(openFolder(), 'greeting.txt');
    await writeFile(file, 'hello');
    await stage.run('dataTransfer.startLocalService');
    const name = workspace.workspaceFolders?.[0]?.name ?? '';
    const [found] = (await stage.search(name, 'greeting')).files;
    assert.ok(found?.kind === 'file');
    assert.deepEqual([found.name, found.sizeBytes, found.mediaType], ['greeting.txt', 5, 'text/plain']);
    await rm(file);
  });

  it('does not offer the sample data as a destination (D43)', async () => {
    const file = join(openFolder(), 'greeting.txt');
    await writeFile(file, 'hello');
    await stage.run('dataTransfer.startLocalService');
    const search = await stage.search(workspace.workspaceFolders?.[0]?.name ?? '', 'greeting');
    stage.parts.searchStore.checkAll(search.key);
    const done = stage.run('dataTransfer.transferCheckedFiles');
    const pick = await stage.person.pick();
    assert.deepEqual(pick.labels, ['Received Files']);
    pick.escape();
    await done;
    await rm(file);
  });

  it('cancels a running transfer after confirmation', async () => {
    const file = join(openFolder(), 'large.bin');
    const handle = await open(file, 'w');
    await handle.truncate(2_000_000_000);
    await handle.close();
    await stage.run('dataTransfer.startLocalService');
    await stage.search(workspace.workspaceFolders?.[0]?.name ?? '', 'large');
    await stage.transferAll('Received Files');
    const done = stage.run('dataTransfer.cancelTransfer', stage.firstTransfer);
    const question = await stage.person.notice();
    assert.equal(question.message, 'Cancel the transfer of 1 file to Received Files?');
    question.press('Cancel Transfer');
    await done;
    const transfer = await ended(stage);
    assert.equal(transfer.state, 'cancelled');
    assert.equal(stage.person.notices.length, 2, 'a requested cancellation shows no notification');
    const destination = join(received(stage), `dts-${transfer.id ?? ''}`);
    assert.deepEqual(await readdir(destination).catch(() => []), [], 'no file was transferred');
    await rm(file);
  });

  it('is shown while it starts, and is not opened if the user disconnects in the meantime', async () => {
    const { connectionStore, localService, sessions } = stage.parts;
    const starting = stage.run('dataTransfer.startLocalService');
    await until(connectionStore.onDidChange, () => connectionStore.state.kind === 'connecting');
    assert.equal(localService.isRunning, false);
    await stage.run('dataTransfer.disconnect');
    await starting;
    assert.equal(connectionStore.state.kind, 'disconnected');
    assert.equal(sessions.get(localConnectionId), undefined);
    assert.deepEqual(stage.person.notices, []);
  });

  it('is not asked for a key: Set API Key from the palette asks for a saved connection', async () => {
    const { settings } = stage.parts;
    await settings.saveConnection({ id: 'lab', name: 'Lab', server: 'http://127.0.0.1:1' });
    await stage.run('dataTransfer.startLocalService');
    const done = stage.run('dataTransfer.setApiKey');
    const pick = await stage.person.pick();
    assert.deepEqual(pick.labels, ['Lab']);
    pick.escape();
    await done;
    await stage.run('dataTransfer.setApiKey', { kind: 'connection', id: localConnectionId });
    await stage.person.notice(/^The local service creates its own key each time it starts/);
  });

  it('remains one service with one lease after several starts', async () => {
    const { localService } = stage.parts;
    const [one, two] = await Promise.all([localService.start(), localService.start()]);
    await stage.run('dataTransfer.startLocalService');
    assert.deepEqual(one, two);
    assert.deepEqual(await localService.start(), one);
    assert.equal(await localService.countOtherWindows(), 0);
  });

  it('ends its process when stopped, and is shown as disconnected', async () => {
    const { localService, connectionStore, sessions } = stage.parts;
    await stage.run('dataTransfer.startLocalService');
    const { address } = await localService.start();
    await stage.run('dataTransfer.stopLocalService');
    assert.equal(localService.isRunning, false);
    assert.equal(connectionStore.state.kind, 'disconnected');
    assert.equal(sessions.get(localConnectionId), undefined);
    await assert.rejects(fetch(address));
    assert.deepEqual(stage.person.notices, [], 'no other window uses it, so there is no prompt');
  });

  it('stays connected if it could not be stopped', async () => {
    const { localService, connectionStore } = stage.parts;
    await stage.run('dataTransfer.startLocalService');
    const stop = localService.stop.bind(localService);
    Object.assign(localService, { stop: () => Promise.reject(new Error('it is busy')) });
    await stage.run('dataTransfer.stopLocalService');
    Object.assign(localService, { stop });
    await stage.person.notice(/^Could not stop the local service: it is busy$/);
    assert.equal(connectionStore.state.kind, 'connected');
  });

  it('can be started again right after it was stopped', async () => {
    const { localService, connectionStore } = stage.parts;
    await stage.run('dataTransfer.startLocalService');
    const before = await localService.start();
    await localService.stop();
    await stage.run('dataTransfer.startLocalService');
    const after = await localService.start();
    assert.notEqual(after.token, before.token);
    assert.equal(connectionStore.state.kind, 'connected');
    assert.equal(localService.isRunning, true);
    assert.deepEqual(stage.person.notices, []);
  });

  it('shows the reason why it could not start', async () => {
    await stage.settings.update('localService.databases', [{ name: 'Lab Share', folder: 'not/absolute' }], true);
    await stage.run('dataTransfer.startLocalService');
    const notice = await stage.person.notice();
    const why = 'Lab Share (not/absolute): folder must be an absolute path';
    assert.equal(notice.message, `Could not start the local service: ${why}`);
    assert.deepEqual(notice.buttons, ['Show Log']);
    assert.equal(stage.parts.connectionStore.state.kind, 'failed');
    assert.equal(stage.parts.localService.isRunning, false);
    await stage.run('dataTransfer.testConnection', { kind: 'connection', id: localConnectionId });
    const test = await stage.person.notice();
    assert.equal(test.message, `Could not start the local service: ${why}`);
  });
});

interface Manifest {
  readonly resources: readonly { readonly path: string; readonly hash: string }[];
}

function openFolder(): string {
  const [folder] = workspace.workspaceFolders ?? [];
  assert.ok(folder, 'a folder is open');
  return folder.uri.fsPath;
}

function received({ parts }: Stage): string {
  return Uri.joinPath(parts.context.globalStorageUri, 'received').fsPath;
}

/** Resolves to the newest transfer once that transfer has ended. */
async function ended({ parts }: Stage): Promise<Transfer> {
  await until(parts.transferStore.onDidChange, () => parts.transferStore.getFinished().length > 0);
  const [transfer] = parts.transferStore.getFinished();
  assert.ok(transfer);
  return transfer;
}

async function sha256(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}
