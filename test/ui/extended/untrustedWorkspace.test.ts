import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';

describe('A user of an untrusted workspace', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'untrusted-'));
    await writeFile(join(folder, 'notes.txt'), 'Notes');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('has its folder served as a database only after it is trusted', async () => {
    const settings = { 'security.workspace.trust.startupPrompt': 'never' };
    const editor = await openEditor({ workspace: folder, settings, asksForTrust: true });
    const window = await editor.openWindow();
    await window.openContainer('Data Transfer');
    const databases = window.tree('Databases');
    assert.match(
      await databases.welcome(),
      /This workspace isn't trusted, so the local service doesn't serve its folders/,
    );
    await window.command('Data Transfer: Start Local Service');
    await databases.see('Received Files');
    assert.ok(!(await databases.labels()).includes(basename(folder)));
    await window.command('Workspaces: Manage Workspace Trust');
    await window.page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).click();
    await databases.see(basename(folder));
  });
});
