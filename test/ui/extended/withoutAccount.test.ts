import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { until } from '../../support/editor/until.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { createPng } from '../../support/tinyImages.ts';

describe('A user without an account', () => {
  let editor: Editor;
  let window: EditorWindow;

  beforeEach(async () => {
    editor = await openEditor();
    window = await editor.openWindow();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
  });

  it('starts the local service, and finds everything again after a reload', async () => {
    await window.openContainer('Data Transfer');
    const databases = window.tree('Databases');
    await databases.welcomeLink('Start the local service');
    await databases.waitFor('databases', (rows) => rows.some(({ label }) => label === 'Sample Data'));
    await (await databases.row('Sample Data')).click();
    await window.quickInput.input('weather', /leave empty to list all files/);
    const results = window.tree('Search Results');
    await results.waitFor('all results', (rows) => rows.some(({ description }) => description.startsWith('5 ·')));
    await (await results.row('observations-2023.csv')).menu('Open Read-Only');
    await window.showTab('observations-2023.csv');
    await (await results.row('observations-2024.csv')).toggleCheck();
    await (await results.row('observations-2025.csv')).toggleCheck();
    await until('the title to show the checked files', async () =>
      (await results.description()) === '2 ✓ 14 kB' ? true : undefined,
    );
    await (await results.row('stations.csv')).click();
    const page = await window.pageFrame('stations.csv');
    await page.getByText('The five stations').first().waitFor();
    await page.getByRole('button', { name: 'Show Beginning of File' }).click();
    await page.getByRole('region', { name: 'Beginning of the file' }).waitFor();
    await results.action('Transfer Checked Files…');
    await window.quickInput.pick('Received Files', /1\/2/);
    await window.quickInput.pick('Continue', /2\/2/);
    await window.notifications.answer('Transfer');
    await window.clickStatusBar('All transfers finished');
    await window.quickInput.pick('2 files to Received Files', 'Select a transfer');
    await (await window.pageFrame(/Received Files/)).getByText('Succeeded').first().waitFor();

    await window.reload();
    await window.showTab('stations.csv');
    await (await window.pageFrame('stations.csv')).getByText('The five stations').first().waitFor();
    await window.showTab(/Received Files/);
    await (await window.pageFrame(/Received Files/)).getByText('2 of 2 files').first().waitFor();
    const transfers = window.tree('Transfers');
    await (await transfers.row('Finished')).expand();
    await transfers.waitFor('success', (rows) =>
      rows.some(({ label, description }) => label === '→ Received Files' && description === '2 files'),
    );
    await databases.waitFor('databases', (rows) => rows.some(({ label }) => label === 'Sample Data'));
  });
});

describe('A user with images in a served folder', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'images-'));
    await writeFile(join(folder, 'map.png'), createPng(300, 200));
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('sees one on the page of its file without a transfer', async () => {
    const editor = await openEditor({
      // Otherwise, the page doesn't load the image, but draws its first frame.
      settings: { 'workbench.reduceMotion': 'off' },
      machineSettings: { 'dataTransfer.localService.databases': [{ name: 'Maps', folder }] },
    });
    const window = await editor.openWindow();
    await window.openContainer('Data Transfer');
    await window.tree('Databases').welcomeLink('Start the local service');
    await (await window.tree('Databases').row('Maps')).click();
    await window.quickInput.input('map', /leave empty to list all files/);
    await (await window.tree('Search Results').row('map.png')).click();
    const page = await window.pageFrame('map.png');
    await page.getByRole('button', { name: 'Show Image' }).click();
    await page.getByRole('img', { name: 'map.png, PNG, 300 × 200 px' }).waitFor();
    await until('the image to be decoded', async () => {
      const width = await page.locator('img').evaluate(({ naturalWidth }: { naturalWidth: number }) => naturalWidth);
      return width === 300 || undefined;
    });
  });
});
