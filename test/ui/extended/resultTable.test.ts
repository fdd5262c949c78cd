import assert from 'node:assert/strict';
import type { Frame } from 'playwright-core';
import { savedConnection } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { searchDatabase, sendTransfer } from '../../support/editor/journeySteps.ts';
import { until } from '../../support/editor/until.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';

const kbase = 'KBase Workspace Service (KSS)';
const title = '“run” in JGI Data Portal';

describe('A user with many results', () => {
  let server: FaultServer;
  let window: EditorWindow;

  beforeEach(async () => {
    server = await FaultServer.start();
    const service = publicLike(server, 'the-key');
    service.files.clear();
    for (let number = 0; number < 300; number += 1) service.files.add(`run-${number}`);
    service.getFileBytes = (id) => 1 + ((7 * Number(id.slice('run-'.length))) % 300);
    const editor = await openEditor({
      ...savedConnection(server.address, 'the-key'),
      settings: { 'dataTransfer.search.pageSize': 100 },
    });
    window = await editor.openWindow();
    await window.openContainer('Data Transfer');
    await searchDatabase(window, 'JGI Data Portal', 'run');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
  });

  const readNames = async (page: Frame): Promise<readonly string[]> =>
    await page.locator('.rows .row .cell:nth-child(2)').allInnerTexts();
  const waitForFirst = async (page: Frame, name: string): Promise<void> => {
    await until(`${name} in the first row`, async () => ((await readNames(page))[0] === name ? true : undefined));
  };
  const hasChecked = async (text: string): Promise<void> => {
    const tree = window.tree('Search Results');
    await until(text, async () => ((await tree.description()).startsWith(text) ? true : undefined));
  };

  it('sorts all of them by size in a table, checks the largest with the keyboard, and transfers them after a reload', async () => {
    await (await window.tree('Search Results').row('“run”')).menu('Show as Table');
    let page = await window.pageFrame(title);
    await page.getByRole('button', { name: 'Size' }).click();
    await page.getByText('300 files').waitFor();
    await waitForFirst(page, 'run-257.csv');
    await page.getByRole('grid').focus();
    await window.press(
      'Space',
      'ArrowDown',
      'Space',
      'End',
      'ArrowUp',
      'Home',
      'PageDown',
      'Home',
      'ArrowDown',
      'ArrowDown',
      'Space',
    );
    await hasChecked('3 ✓');
    await window.press('Enter');
    await window.pageFrame('run-171.csv');
    await window.showTab(title);

    await window.reload();
    page = await window.pageFrame(title);
    await waitForFirst(page, 'run-257.csv');
    await page.getByText('3 checked · 897 bytes').waitFor();
    await page.getByRole('checkbox', { name: 'Checked only' }).check();
    await until('three rows', async () => ((await readNames(page)).length === 3 ? true : undefined));
    assert.deepEqual(await readNames(page), ['run-257.csv', 'run-214.csv', 'run-171.csv']);
    await window.command('Data Transfer: Show Checked Files as Table');
    page = await window.pageFrame('Checked files');
    await page.getByText('3 files').waitFor();
    await page.getByRole('button', { name: 'Transfer…' }).click();
    await sendTransfer(window, kbase);
    const { body } = await until('the transfer', async () => server.requestsTo('POST /api/v1/transfers')[0]);
    assert.deepEqual((JSON.parse(body) as { readonly file_ids: readonly string[] }).file_ids.toSorted(), [
      'run-171',
      'run-214',
      'run-257',
    ]);
    await page.getByText('No files are checked.').first().waitFor();
  });
});
