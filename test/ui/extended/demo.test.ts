import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getDemoEditor } from '../../../scripts/demo/demoEditor.ts';
import { closeEditors, openEditorWith } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { startLocalService, type StartedService } from '../../support/localService.ts';

describe('A user who opens the demo', () => {
  let folder: string;
  let service: StartedService;
  let window: EditorWindow;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'demo-'));
    const [workspace, data] = [join(folder, 'workspace'), join(folder, 'data')];
    for (const path of [workspace, data]) await mkdir(path);
    await writeFile(join(data, 'weather.csv'), 'a\n1\n');
    service = await startLocalService({ databases: [{ name: 'Weather', folder: data }] });
    const { companions = [], ...options } = getDemoEditor({ ...service, workspace });
    window = await (await openEditorWith(companions, options)).openWindow();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await service.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const seesDatabase = (): Promise<unknown> => window.tree('Databases').row('Weather');

  it('is connected, sees the view and the walkthrough, and stays connected after a reload', async () => {
    await seesDatabase();
    await window.page.locator('.getting-started-step').first().waitFor();
    await window.reload();
    await seesDatabase();
    assert.deepEqual(await window.notifications.all(), []);
  });
});
