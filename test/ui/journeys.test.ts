import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listDemoDatabases, prepareSources } from '../../scripts/demo/demoData.ts';
import type { Editor } from '../support/editor/editor.ts';
import { closeEditors, openEditor } from '../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../support/editor/failureArtifacts.ts';
import { repositoryRoot } from '../support/editor/places.ts';
import type { EditorWindow } from '../support/editor/window.ts';
import { html } from '../support/faultBehaviors.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { FaultServer } from '../support/faultServer.ts';
import { startLocalService, type StartedService } from '../support/localService.ts';
import { waitForScans } from '../support/waitForScans.ts';
import { runMainJob } from '../support/mainJob.ts';

const orcid = '0000-0002-1825-0097';

/**
 * Resolves to a folder that the current user can't write to. For root, this is a system folder; for other users,
 * creates a folder.
 */
async function readOnlyFolder(inside: string): Promise<string> {
  if (process.getuid?.() === 0) return '/dev/pts';
  const folder = join(inside, 'read-only');
  await mkdir(folder);
  await chmod(folder, 0o555);
  return folder;
}

describe('A user in the whole editor', () => {
  let folder: string;
  let editor: Editor;
  let window: EditorWindow;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'journey-'));
    await writeFile(join(folder, 'notes.txt'), 'Notes of the workspace');
    editor = await openEditor({ workspace: folder });
    window = await editor.openWindow();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const expectInput = async (message: RegExp): Promise<void> => {
    const state = await window.quickInput.wait(message);
    assert.equal(state.severity, 'error');
  };

  async function connect(address: string, key: string): Promise<void> {
    await window.command('Data Transfer: Connect to a Service…');
    await window.quickInput.input(address, /1\/3/);
    await window.quickInput.input(key, /2\/3/);
    await window.quickInput.input(orcid, /3\/3/);
  }

  describe('with a service', () => {
    let service: StartedService;
    let destinationFolder: string;

    beforeEach(async () => {
      destinationFolder = join(folder, 'destination');
      await mkdir(destinationFolder);
      const sources = await prepareSources(join(repositoryRoot, '.demo'), join(repositoryRoot, 'node_modules'));
      service = await startLocalService({
        databases: [
          ...listDemoDatabases(sources, destinationFolder),
          { name: 'Read Only', folder: await readOnlyFolder(folder), organization: 'This machine' },
        ],
        throttleBytesPerSecond: 200_000,
      });
      await waitForScans(service);
    });
    afterEach(() => service.stop());

    it('connects, searches, views metadata, transfers, monitors and cancels', async () => {
      const { address, token } = service;
      const done = await runMainJob({ window, address, token, destinationFolder });
      assert.deepEqual(
        { ...done, found: done.found >= 3 },
        {
          databases: 4,
          found: true,
          transferred: 3,
          verified: 3,
          cancelled: true,
        },
      );
    });

    it('sees why a transfer to a read-only folder failed', async () => {
      await window.openContainer('Data Transfer');
      await connect(service.address, service.token);
      await window.tree('Databases').waitFor('databases', (rows) => rows.some(({ label }) => label === 'Read Only'));
      await window.command('Data Transfer: Search Files…');
      await window.quickInput.pick('Vega Datasets', /1\/2/);
      await window.quickInput.input('anscombe', /leave empty to list all files/);
      const results = window.tree('Search Results');
      await results.waitFor('all results', (rows) => rows.some(({ description }) => description.startsWith('1 ·')));
      await (await results.row('anscombe.json')).toggleCheck();
      await window.command('Data Transfer: Transfer Checked Files…');
      await window.quickInput.pick('Read Only', /1\/2/);
      await window.quickInput.pick('Continue', /2\/2/);
      await window.notifications.answer('Transfer');
      await window.statusBar('1 transfer failed');
      await window.clickStatusBar('1 transfer failed');
      await window.quickInput.pick('1 file to Read Only', 'Select a transfer');
      const page = await window.pageFrame(/Read Only/);
      await page.getByText('could not write anscombe.json: permission denied').first().waitFor();
    });
  });

  describe('with invalid and unreachable addresses', () => {
    let page: FaultServer;
    let server: FaultServer;

    beforeEach(async () => {
      page = await FaultServer.start();
      server = await FaultServer.start();
    });
    afterEach(() => Promise.all([page.stop(), server.stop()]));

    it('sees the reason for a failed connection in the input, and nothing is saved', async () => {
      page.on('GET /', html(200, 'Welcome'));
      publicLike(server);
      const input = window.quickInput;
      await window.openContainer('Data Transfer');
      await window.command('Data Transfer: Connect to a Service…');
      await input.type('dts.example.org', /1\/3/);
      await expectInput(/must start with https:\/\//);
      await input.input(page.address);
      await input.input('the-test-key', /2\/3/);
      await expectInput(/didn't respond like a data transfer service/);
      await input.back();
      await input.input('http://127.0.0.1:9', /1\/3/);
      await input.input('the-test-key', /2\/3/);
      await expectInput(/can't be reached \(ECONNREFUSED\)/);
      await input.back();
      await input.input(server.address, /1\/3/);
      await input.input('a-wrong-key', /2\/3/);
      await expectInput(/the service rejected the API key/);
      await input.cancel();
      assert.match(await window.tree('Databases').welcome(), /Connect to a service/);
      await window.command('Data Transfer: Set API Key…');
      await window.notifications.wait(/There are no saved connections/);
      await connect(server.address, 'the-test-key');
      await window
        .tree('Databases')
        .waitFor('databases', (rows) => rows.some(({ label }) => label === 'JGI Data Portal'));
    });
  });
});
