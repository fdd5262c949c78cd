import type { Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { until } from '../../support/editor/until.ts';
import type { EditorWindow } from '../../support/editor/window.ts';

describe('A user who opens the walkthrough', () => {
  let editor: Editor;
  let window: EditorWindow;

  beforeEach(async () => {
    editor = await openEditor();
    window = await editor.openWindow();
    await window.openContainer('Data Transfer');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
  });

  async function openSteps(): Promise<void> {
    await window.command('Welcome: Open Walkthrough...');
    await window.pick(/Find and Transfer Research Files/);
    await window.page.locator('.getting-started-step').first().waitFor();
  }

  /** Waits until exactly the given steps are shown as completed. */
  async function waitForCompleted(...done: readonly string[]): Promise<void> {
    await until(`${done.join(', ')} to be done`, async () => {
      const boxes = await window.page.locator('.getting-started-step [role="checkbox"][aria-checked="true"]').all();
      const steps = await Promise.all(boxes.map((box) => box.getAttribute('data-done-step-id')));
      const names = steps.map((step) => step?.split('#').at(-1));
      return names.join() === done.join() || undefined;
    });
  }

  async function startAndSearch(): Promise<void> {
    const databases = window.tree('Databases');
    await databases.welcomeLink('Start the local service');
    await (await databases.row('Sample Data')).click();
    await window.input('weather', /leave empty to list all files/);
    await (await window.tree('Search Results').row('stations.csv')).toggleCheck();
  }

  async function transfer(): Promise<void> {
    await window.command('Data Transfer: Transfer Checked Files…');
    await window.pick('Received Files', /1\/2/);
    await window.pick('Continue', /2\/2/);
    await window.notifications.answer('Transfer');
    await window.statusBar('All transfers finished');
  }

  it('sees earlier steps as completed', async () => {
    await startAndSearch();
    await (await window.tree('Search Results').row('stations.csv')).menu('Check Folder of This File…');
    await until('the whole folder to be checked', async () =>
      (await window.tree('Search Results').description()).startsWith('7 ✓') ? true : undefined,
    );
    await openSteps();
    await waitForCompleted('connect', 'find');
  });

  it('sees steps as completed that were done before a reload', async () => {
    await startAndSearch();
    await transfer();
    await window.reload();
    await openSteps();
    await waitForCompleted('connect', 'find', 'transfer');
  });

  it('sees each step completed as soon as it is done', async () => {
    await openSteps();
    await waitForCompleted();
    await startAndSearch();
    await waitForCompleted('connect', 'find');
    await transfer();
    await waitForCompleted('connect', 'find', 'transfer');
    await window.clickStatusBar('All transfers finished');
    await window.pick('1 file to Received Files', 'Select a transfer');
    await window.showTab('Welcome');
    await waitForCompleted('connect', 'find', 'transfer', 'watch');
  });
});
