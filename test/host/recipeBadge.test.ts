import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commands, ConfigurationTarget, RelativePattern, Uri, workspace, type ViewBadge } from 'vscode';
import { eventually } from '../support/eventually.ts';
import type { PublicState } from '../support/faultPersonality.ts';
import { Stage } from './stage.ts';

const kss = 'KBase Workspace Service (KSS)';

describe('The badge of the recipes (D61)', () => {
  let stage: Stage;
  let service: PublicState;
  let folder: string;

  beforeEach(async () => {
    stage = await Stage.openConnected();
    service = stage.service;
    service.files.add('JDP:1');
    const [open] = workspace.workspaceFolders ?? [];
    assert.ok(open, 'a folder is open');
    folder = await mkdtemp(join(open.uri.fsPath, 'recipe-badge-'));
    await waitUntilWatched();
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
    await hasBadge(undefined);
    await enable(undefined);
    await stage.closePages();
    await stage.close();
  });

  const enable = async (isEnabled: boolean | undefined): Promise<void> => {
    await stage.settings.update('recipes.badge', isEnabled, ConfigurationTarget.Global);
  };
  /** Resolves once the editor is watching the new folder. The editor doesn't report files that were created earlier. */
  const waitUntilWatched = async (): Promise<void> => {
    const watcher = workspace.createFileSystemWatcher(new RelativePattern(folder, 'probe-*'));
    let isWatched = false;
    watcher.onDidCreate(() => (isWatched = true));
    let probeCount = 0;
    await eventually(async () => {
      await writeFile(join(folder, `probe-${++probeCount}`), '');
      return isWatched || undefined;
    });
    watcher.dispose();
  };
  const getBadge = (): ViewBadge | undefined => stage.parts.sideBar.recipes.view.badge;
  const hasBadge = async (count: number | undefined): Promise<void> => {
    await eventually(() => Promise.resolve(getBadge()?.value === count || undefined));
  };
  /** Shows the Recipes view. The view then checks each recipe for new files. */
  const showView = async (): Promise<void> => {
    await commands.executeCommand('dataTransfer.recipes.focus');
  };
  /** Writes a recipe for the files with the given IDs. */
  const write = async (name: string, ...ids: readonly string[]): Promise<Uri> => {
    const from = { database: 'JGI Data Portal', ids };
    const path = join(folder, `${name}.transfer.json`);
    await writeFile(path, JSON.stringify({ from, to: { database: kss } }));
    return Uri.file(path);
  };
  const run = async (uri: Uri): Promise<void> => {
    const done = stage.run('dataTransfer.runRecipe', uri);
    (await stage.person.notice(/^Transfer .* to .*\?$/)).press('Transfer');
    await done;
  };
  /** Writes and runs a recipe, and then adds a new file to it. */
  const writeWithNewFile = async (name: string): Promise<Uri> => {
    await run(await write(name, 'JDP:1'));
    service.files.add('JDP:2');
    return await write(name, 'JDP:1', 'JDP:2');
  };

  it('counts the recipes with new files while the setting is on', async () => {
    await enable(true);
    const one = await writeWithNewFile('one');
    await writeWithNewFile('two');
    await write('never-run', 'JDP:1');
    await showView();
    await hasBadge(2);
    assert.equal(getBadge()?.tooltip, '2 recipes have new files');
    await enable(undefined);
    await hasBadge(undefined);
    await enable(true);
    await hasBadge(2);
    await rm(one.fsPath);
    await hasBadge(1);
    assert.equal(getBadge()?.tooltip, '1 recipe has new files');
  });

  it('counts a recipe that finds more files than expected', async () => {
    await enable(true);
    const search = { from: { database: 'JGI Data Portal', search: { query: 'soil' } }, to: { database: kss } };
    const path = join(folder, 'one.transfer.json');
    service.files.add('soil-1');
    await writeFile(path, JSON.stringify(search));
    await run(Uri.file(path));
    for (const id of ['soil-2', 'soil-3']) service.files.add(id);
    await writeFile(path, JSON.stringify({ ...search, expect: { files: { most: 1 } } }));
    await showView();
    await hasBadge(1);
  });

  it('disappears when the folder of the recipes is deleted', async () => {
    await enable(true);
    await writeWithNewFile('one');
    await showView();
    await hasBadge(1);
    await rm(folder, { recursive: true });
    await hasBadge(undefined);
  });

  it('does not count a recipe that was run, although the view is hidden', async () => {
    await enable(true);
    const uri = await writeWithNewFile('one');
    await showView();
    await hasBadge(1);
    await commands.executeCommand('workbench.action.closeSidebar');
    await run(uri);
    await hasBadge(undefined);
  });
});
