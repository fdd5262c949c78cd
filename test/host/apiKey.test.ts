import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commands, Uri, workspace } from 'vscode';
import { publicLike } from '../support/faultPersonality.ts';
import { until } from '../unit/core/rig.ts';
import { keysOfSecrets, ledgerFolder, Stage, readEditorState } from './stage.ts';

describe('The API key', () => {
  const key = `sentinel-${randomUUID()}`;
  let stage: Stage;

  before(async () => {
    stage = await Stage.open();
    await commands.executeCommand('_extensionTests.setLogLevel', 'trace');
    publicLike(stage.server, key);
    await stage.connect(key);
    await stage.search('JGI Data Portal', 'JDP:00000');
    await stage.transferAll('KBase Workspace Service (KSS)');
    await until(
      stage.parts.transferStore.onDidChange,
      () => stage.parts.transferStore.getAll()[0]?.state === 'staging',
    );
    await stage.run('dataTransfer.showTransferProgress', stage.firstTransfer);
    await commands.executeCommand('_extensionTests.setLogLevel', 'info');
  });
  after(async () => {
    await stage.closePages();
    await stage.close();
  });

  it('is the only entry in the secret storage', async () => {
    const { apiKeys, settings, context } = stage.parts;
    const [connection] = settings.connections;
    assert.ok(connection);
    assert.equal(await apiKeys.get(connection), key);
    assert.deepEqual(await keysOfSecrets(context), [`dataTransfer.apiKey.${connection.id}`]);
  });

  it('is sent to the server only in the Authorization header (§5, D5)', () => {
    assert.ok(stage.server.requests.length > 5);
    for (const { method, url, body, headers } of stage.server.requests) {
      const { authorization, ...others } = headers;
      if (method !== 'GET' || url !== '/') assert.equal(authorization, `Bearer ${base64(key)}`);
      assertClean(`${url}\n${body}\n${JSON.stringify(others)}`, `${method} ${url}`);
    }
  });

  it("isn't in a setting of any scope", () => {
    const texts = ['connections', 'orcid', 'localService.databases'].map((name) =>
      JSON.stringify(workspace.getConfiguration('dataTransfer').inspect(name)),
    );
    assert.match(texts.join('\n'), new RegExp(stage.server.address));
    assertClean(texts.join('\n'), 'the settings');
    assertClean(JSON.stringify(workspace.getConfiguration()), 'the whole configuration');
  });

  it("isn't in the editor's state or the extension's state files", async () => {
    const { globalState, workspaceState } = stage.parts.context;
    const kept = [globalState, workspaceState].flatMap((state) => state.keys().map((name) => [name, state.get(name)]));
    assertClean(JSON.stringify(kept), 'the memory');
    const state = JSON.stringify(await readEditorState(stage.parts.context));
    assert.match(state, /lastConnectionId/);
    assertClean(state, 'the state');
  });

  it("isn't in a file of the extension or the editor: settings, storage, records or logs", async () => {
    const { globalStorageUri, storageUri, logUri } = stage.parts.context;
    const user = Uri.joinPath(globalStorageUri, '..', '..').fsPath;
    const opened = (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    const folders = [
      globalStorageUri.fsPath,
      ledgerFolder,
      storageUri?.fsPath ?? '',
      join(logUri.fsPath, '..'),
      ...opened,
    ];
    const files = new Map<string, string>();
    for (const folder of folders.filter(Boolean))
      for (const [path, text] of await readAll(folder)) files.set(path, text);
    for (const path of [join(user, 'settings.json'), join(user, '..', 'Machine', 'settings.json')]) {
      const text = await readFile(path, 'latin1').catch(() => undefined);
      if (text !== undefined) files.set(path, text);
    }
    for (const [path, text] of files) assertClean(text, path);
    const paths = [...files.keys()];
    assert.ok(
      paths.some((path) => /transfers.(running|ended)/.test(path)),
      'a record of the transfer was read',
    );
    assert.ok(
      [...files.values()].some((text) => text.includes(stage.server.address)),
      'the saved connection was read',
    );
    assert.ok(
      [...files].some(([path, text]) => path.includes('Data Transfer') && text !== ''),
      'the log was read',
    );
  });

  it('never appears in text shown to the user', () => {
    assert.match(stage.person.everythingShown, /Connected to/);
    assertClean(stage.person.everythingShown, 'the notifications and inputs');
  });

  function assertClean(text: string, where: string): void {
    for (const form of [key, base64(key).replace(/=+$/, ''), encodeURIComponent(key)]) {
      assert.ok(!text.includes(form), `${where} contains the key`);
    }
  }
});

describe('The API key of a connection', () => {
  let stage: Stage;

  before(async () => (stage = await Stage.open()));
  after(async () => await stage.close());

  it('is deleted from the secret storage with the connection', async () => {
    const { person, parts, server } = stage;
    publicLike(server, 'a-key');
    await stage.connect('a-key');
    const [connection] = parts.settings.connections;
    assert.ok(connection);
    assert.deepEqual(await keysOfSecrets(parts.context), [`dataTransfer.apiKey.${connection.id}`]);
    const done = stage.run('dataTransfer.forgetConnection');
    (await person.pick()).choose(connection.name);
    await person.notice(/^Removed DTS prototype and its saved key/);
    await done;
    assert.deepEqual(await keysOfSecrets(parts.context), []);
    assert.deepEqual(parts.settings.connections, []);
    assert.equal(parts.connectionStore.state.kind, 'disconnected');
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/**
 * Resolves to the paths and contents of all files in a folder. Skips lock files and temporary files that disappear
 * while the folder is being read.
 */
async function readAll(folder: string): Promise<readonly (readonly [string, string])[]> {
  const found: (readonly [string, string])[] = [];
  for await (const entry of glob('**/*', { cwd: folder, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, 'latin1').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
    if (text !== undefined) found.push([path, text]);
  }
  return found;
}
