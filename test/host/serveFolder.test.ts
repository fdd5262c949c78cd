import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Uri, workspace } from 'vscode';
import type { ServedLocation } from '../../src/extension/editor/settings.ts';
import { until } from '../unit/core/rig.ts';
import { Stage } from './stage.ts';

describe('Serving a folder as a database', () => {
  let stage: Stage;
  let folder: string;

  beforeEach(async () => {
    stage = await Stage.openWithOrcid();
    folder = join(await mkdtemp(join(tmpdir(), 'serve-')), 'Lab Share');
    await mkdir(folder);
    await writeFile(join(folder, 'a.txt'), 'a');
  });
  afterEach(async () => {
    await stage.close();
    await rm(dirname(folder), { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  });

  const names = (): string[] => stage.parts.connectionStore.listing.databases.map(({ name }) => name);

  const saved = (): readonly ServedLocation[] => stage.parts.settings.servedLocations;

  const shows = async (...wanted: readonly string[]): Promise<void> => {
    await until(stage.parts.connectionStore.onDidChange, () => names().join('|') === wanted.join('|'));
  };

  const workspaceName = (): string => workspace.workspaceFolders?.[0]?.name ?? '';

  /** Serves a folder as the Explorer's context menu does, under the suggested name unless `name` is given. */
  const serve = async (path: string, name?: string): Promise<void> => {
    const done = stage.run('dataTransfer.serveThisFolder', Uri.file(path));
    (await stage.person.textBox()).enter(name);
    await done;
  };

  it('from the Command Palette asks for a folder and a name, saves them, starts the service and shows the database', async () => {
    const done = stage.run('dataTransfer.serveFolder');
    (await stage.person.folderDialog()).choose(Uri.file(folder));
    const box = await stage.person.textBox();
    assert.equal(box.value, 'Lab Share');
    box.enter();
    await done;
    assert.deepEqual(saved(), [{ name: 'Lab Share', folder }]);
    assert.deepEqual(names(), ['Lab Share', workspaceName(), 'Received Files']);
    assert.deepEqual(stage.person.statusMessages, ['Added Lab Share as a database.']);
    const search = await stage.search('Lab Share', 'a');
    assert.equal(search.files.length, 1);
  });

  it('from the context menu of a folder asks only for the name', async () => {
    await serve(folder, 'My Lab');
    assert.deepEqual(saved(), [{ name: 'My Lab', folder }]);
    assert.deepEqual(names(), ['My Lab', workspaceName(), 'Received Files']);
  });

  it('shows it immediately, without a restart, if the service is already running', async () => {
    await stage.run('dataTransfer.startLocalService');
    const before = await stage.parts.localService.start();
    await serve(folder);
    assert.ok(names().includes('Lab Share'));
    assert.deepEqual(await stage.parts.localService.start(), before);
  });

  it('explains the number after a name that the service has given to another folder', async () => {
    await serve(folder, 'Numbered');
    await stage.run('dataTransfer.stopServing', { kind: 'database', name: 'Numbered' });
    await shows(workspaceName(), 'Sample Data', 'Received Files');
    const other = join(dirname(folder), 'other');
    await mkdir(other);
    await serve(other, 'Numbered');
    const { kind, message } = await stage.person.notice(/^Added/);
    const reason = 'because the name Numbered is taken';
    assert.deepEqual([kind, message], ['information', `Added as Numbered (2) ${reason}.`]);
    assert.ok(names().includes('Numbered (2)'));
    assert.deepEqual(stage.person.statusMessages, ['Added Numbered as a database.']);
  });

  it('serves a workspace folder only once, under the chosen name', async () => {
    await stage.run('dataTransfer.startLocalService');
    const [open] = workspace.workspaceFolders ?? [];
    assert.ok(open);
    await serve(open.uri.fsPath, 'Of the Workspace');
    await shows('Of the Workspace', 'Received Files');
    await stage.parts.settings.removeServedLocation({ folder: open.uri.fsPath });
    await shows(open.name, 'Sample Data', 'Received Files');
  });

  it('can serve a workspace folder under its own name', async () => {
    await stage.run('dataTransfer.startLocalService');
    const [open] = workspace.workspaceFolders ?? [];
    assert.ok(open);
    await serve(open.uri.fsPath);
    await shows(open.name, 'Received Files');
  });

  it('changes nothing if the user cancels', async () => {
    const asked = stage.run('dataTransfer.serveFolder');
    (await stage.person.folderDialog()).escape();
    await asked;
    const named = stage.run('dataTransfer.serveFolder', Uri.file(folder));
    (await stage.person.textBox()).escape();
    await named;
    assert.deepEqual(saved(), []);
    assert.equal(stage.parts.localService.isRunning, false);
  });

  it('rejects an empty or duplicate name in the input', async () => {
    await serve(folder);
    const other = join(dirname(folder), 'other');
    await mkdir(other);
    const done = stage.run('dataTransfer.serveFolder', Uri.file(other));
    const box = await stage.person.textBox();
    box.type('  ');
    assert.equal(box.validationMessage, 'Enter a name.');
    for (const taken of ['Lab Share', 'Received Files', workspaceName()]) {
      box.type(taken);
      assert.equal(box.validationMessage, 'A database with this name already exists.', taken);
    }
    box.enter();
    assert.ok(box.isOpen);
    box.enter('Other');
    await done;
    assert.deepEqual(
      saved().map(({ name }) => name),
      ['Lab Share', 'Other'],
    );
  });

  const refused: [what: string, uri: () => Uri, sentence: RegExp][] = [
    [
      'a folder that does not exist',
      () => Uri.file(join(folder, 'no-such')),
      /^The folder .*no-such doesn't exist or can't be accessed\.$/,
    ],
    ['a file', () => Uri.file(join(folder, 'a.txt')), /a\.txt isn't a folder\.$/],
    [
      'a folder on another machine',
      () => Uri.parse('ftp://example.org/data'),
      /^ftp:\/\/example\.org\/data isn't on this machine/,
    ],
    [
      'the data folder of the service',
      () => Uri.file(dirname(stage.parts.serviceFolders.dataFolder)),
      /contains local service data\. Select another folder\.$/,
    ],
  ];
  for (const [what, uri, sentence] of refused) {
    it(`rejects ${what} with a message`, async () => {
      await stage.run('dataTransfer.serveThisFolder', uri());
      assert.match((await stage.person.notice()).message, sentence);
      assert.deepEqual(saved(), []);
      assert.equal(stage.person.inputs.length, 0);
    });
  }

  it('rejects a folder that is already served, and names its database', async () => {
    await serve(folder, 'My Lab');
    await stage.run('dataTransfer.serveThisFolder', Uri.file(`${folder}/`));
    const notice = await stage.person.notice();
    assert.equal(notice.kind, 'information');
    assert.match(notice.message, /Lab Share\/? is already served as My Lab\.$/);
  });

  it('rejects a folder of an untrusted workspace', async () => {
    const [open] = workspace.workspaceFolders ?? [];
    assert.ok(open);
    const trusted = Object.getOwnPropertyDescriptor(workspace, 'isTrusted');
    Object.defineProperty(workspace, 'isTrusted', { configurable: true, get: () => false });
    await stage.run('dataTransfer.serveThisFolder', open.uri);
    if (trusted) Object.defineProperty(workspace, 'isTrusted', trusted);
    assert.match(
      (await stage.person.notice()).message,
      /is in an untrusted workspace\. To serve this folder, trust the workspace/,
    );
    assert.deepEqual(saved(), []);
  });

  describe('and then removing it', () => {
    it('from its row removes it from the settings and the tree; Undo restores it', async () => {
      await serve(folder);
      await stage.run('dataTransfer.stopServing', { kind: 'database', name: 'Lab Share' });
      assert.deepEqual(saved(), []);
      await shows(workspaceName(), 'Sample Data', 'Received Files');
      const notice = await stage.person.notice(/^Removed Lab Share from your settings\. Its files weren't deleted\.$/);
      notice.press('Undo');
      await shows('Lab Share', workspaceName(), 'Received Files');
      assert.deepEqual(saved(), [{ name: 'Lab Share', folder }]);
    });

    it('reports that Undo failed', async () => {
      await serve(folder);
      await stage.run('dataTransfer.stopServing', { kind: 'database', name: 'Lab Share' });
      const notice = await stage.person.notice(/^Removed Lab Share from your settings/);
      await stage.settings.update('localService.databases', { a: 1 }, true);
      notice.press('Undo');
      const failure = await stage.person.notice(/must be a list\. Fix it first/);
      assert.deepEqual([failure.kind, failure.buttons.at(-1)], ['error', 'Show Log']);
    });

    it('from the Command Palette asks for a database', async () => {
      await serve(folder);
      const done = stage.run('dataTransfer.stopServing');
      const pick = await stage.person.pick();
      assert.deepEqual(pick.labels, ['Lab Share']);
      pick.choose('Lab Share');
      await done;
      assert.deepEqual(saved(), []);
    });

    it('reports a folder that is not in the settings', async () => {
      await stage.run('dataTransfer.startLocalService');
      await stage.run('dataTransfer.stopServing', { kind: 'database', name: 'Received Files' });
      const { message } = await stage.person.notice();
      assert.equal(message, "Received Files isn't one of the databases in your settings.");
    });
  });

  it('follows manual changes to the settings', async () => {
    await stage.run('dataTransfer.startLocalService');
    assert.deepEqual(names(), [workspaceName(), 'Sample Data', 'Received Files']);
    await stage.settings.update('localService.databases', [{ name: 'By Hand', folder }], true);
    await shows('By Hand', workspaceName(), 'Received Files');
    await stage.settings.update('localService.databases', undefined, true);
    await shows(workspaceName(), 'Sample Data', 'Received Files');
  });

  it('follows the setting of the cluster, and reports a value that the service refuses', async () => {
    await stage.run('dataTransfer.startLocalService');
    const slurm = { folder: join(dirname(folder), 'tasks'), partition: 'xfer', tasks: 8 };
    const { connectionStore } = stage.parts;
    const getTasks = (): unknown => connectionStore.findDatabase('Received Files')?.cluster?.tasks;
    await stage.settings.update('localService.cluster', { slurm }, true);
    await until(connectionStore.onDidChange, () => getTasks() === 8);
    await stage.settings.update('localService.cluster', { slurm: { ...slurm, tasks: 0 } }, true);
    const { message } = await stage.person.notice();
    assert.equal(message, "The local service can't use your settings: cluster.slurm.tasks must be at least 1");
    assert.equal(getTasks(), 8);
    await stage.settings.update('localService.cluster', undefined, true);
    await until(connectionStore.onDidChange, () => getTasks() === undefined);
  });

  it('reports configured folders that it cannot serve, and continues to serve the others', async () => {
    await stage.run('dataTransfer.startLocalService');
    await stage.settings.update('localService.databases', [{ name: 'Wrong', folder: basename(folder) }], true);
    const { message } = await stage.person.notice();
    const why = 'Wrong (Lab Share): folder must be an absolute path';
    assert.equal(message, `The local service can't use your settings: ${why}`);
    assert.deepEqual(names(), [workspaceName(), 'Sample Data', 'Received Files']);
    assert.equal((await stage.search('Sample Data', '')).reason, undefined);
  });
});
