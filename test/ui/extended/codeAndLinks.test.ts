import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatRecord } from '../../../src/core/transfers/recordFiles.ts';
import { getLocalConnectionId } from '../../../src/core/model/connection.ts';
import { savedConnection, type Editor } from '../../support/editor/editor.ts';
import { getEditorDataHome, getLedgerIn } from '../../support/dataHome.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { searchDatabase } from '../../support/editor/journeySteps.ts';
import type { TreeView } from '../../support/editor/treeView.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { publicLike, type PublicState } from '../../support/faultPersonality.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { parsePython, runPython, runShell } from '../../support/runCode.ts';
import { getStorageFolder, machine } from '../../support/version01.ts';

const extensionId = 'data-transfer-explorer.data-transfer-explorer';
const orcid = '0000-0002-1825-0097';
const key = 'the-key';
const quoted = `it's "JDP" $HOME`;

describe('A user who shares code and links', () => {
  let server: FaultServer;
  let service: PublicState;
  let editor: Editor;
  let window: EditorWindow;
  let results: TreeView;

  beforeEach(async () => {
    server = await FaultServer.start();
    service = publicLike(server, key);
    service.files.add(quoted);
    const settings = { 'extensions.confirmedUriHandlerExtensionIds': [extensionId] };
    editor = await openEditor({ settings, ...savedConnection(server.address, key) });
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await server.stop();
  });

  async function open(): Promise<void> {
    window = await editor.openWindow();
    results = window.tree('Search Results');
    await window.openContainer('Data Transfer');
    await window
      .tree('Databases')
      .waitFor('databases', (rows) => rows.some(({ label }) => label === 'JGI Data Portal'));
  }

  /** Resolves to the copied code, changed to read the key from the environment variable that {@link runPython} sets. */
  async function copiedCode(start: RegExp): Promise<string> {
    const code = await window.clipboard((text) => start.test(text));
    const [, variable = ''] = /environment variable (\w+)/.exec(code) ?? [];
    assert.ok(variable !== '' && !code.includes(key));
    return code.replaceAll(variable, 'DTS_KEY');
  }

  it('copies a search as Python and a file as curl, and both run', async () => {
    await open();
    await searchDatabase(window, 'JGI Data Portal', quoted);
    await results.row(`${quoted}.csv`);
    await window.command('Data Transfer: Copy as Code…');
    await window.pick(`“${quoted}”`, /Select a search or a transfer/);
    await window.pick('Python', /reads the API key/);
    const python = await runPython(await copiedCode(/^import os/), key);
    assert.deepEqual([python.exitCode, python.errors], [0, '']);
    assert.ok(python.output.startsWith(quoted));
    await (await results.row(`${quoted}.csv`)).submenu('Share', 'Copy as Code…');
    await window.pick('curl', /reads the API key/);
    const script = await copiedCode(/^# Reads/);
    for (const shell of ['bash', 'sh'] as const) {
      const { exitCode, output } = await runShell(shell, script, key);
      assert.equal(exitCode, 0);
      assert.ok(output.includes(JSON.stringify(quoted)));
    }
  });

  it('copies commands that set the address and the key of the local service', async () => {
    await open();
    await window.command('Data Transfer: Start Local Service');
    await window.tree('Databases').row('Sample Data');
    await window.command('Data Transfer: Copy Address and Key of Local Service…');
    await window.pick('Commands that set both', /Address and key change when the service starts/);
    const commands = await window.clipboard((text) => text.startsWith('export '));
    const { output } = await runShell('sh', `${commands}echo "$DATA_TRANSFER_ADDRESS" "$DATA_TRANSFER_KEY"`, '');
    const [address = '', token = ''] = output.trim().split(' ');
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await fetch(`${address}/api/v1/databases`, { headers })).status, 200);
  });

  it('opens a copied link after a prompt shows what it sends, and sees why a hostile link is refused', async () => {
    await open();
    await searchDatabase(window, 'JGI Data Portal', 'JDP:000012');
    await (await results.row('JDP:000012.csv')).submenu('Share', 'Copy Link');
    const link = await window.clipboard((text) => text.includes(`://${extensionId}/file?`));
    await openUrl(link);
    const { message, detail } = await window.notifications.dialog();
    assert.equal(message, 'Open the file from this link?');
    assert.match(detail, /The metadata hasn't been requested yet\. Opening the link requests it from DTS prototype/);
    await window.notifications.answer('Show Metadata');
    await window.pageFrame('JDP:000012');
    const hostile = { service: 'javascript:alert(1)', database: 'a', id: 'b', name: 'c' };
    await openUrl(link.replace(/\?.*/, `?${encodeURIComponent(JSON.stringify(hostile))}`));
    await window.notifications.wait('This link contains no valid service address.');
  });

  it('opens a link in a window that has just started, and sees the file name that the service reports', async () => {
    window = await editor.openWindow();
    const file = { service: server.address, database: 'JGI Data Portal', id: 'JDP:000012', name: 'harmless.csv' };
    await openUrl(makeLink('file', file));
    assert.match((await window.notifications.dialog()).detail, /^File: harmless\.csv\nID: JDP:000012$/m);
    await window.notifications.answer('Show Metadata');
    const page = await window.pageFrame('JDP:000012');
    await page.locator('h1', { hasText: 'JDP:000012.csv' }).waitFor();
    assert.doesNotMatch(await page.locator('body').innerText(), /harmless/);
  });

  it('sees why a hostile link is refused, and is prompted before an unknown service is added', async () => {
    await open();
    const sent = server.requests.length;
    const file = { service: server.address, database: 'a', id: 'b', name: 'c' };
    for (const [fields, refusal] of [
      [{ ...file, service: `vscode://${extensionId}/file` }, 'This link contains no valid service address.'],
      [{ ...file, service: 'https://dts.example.org/?key=secret' }, 'This link contains no valid service address.'],
      [{ ...file, name: 'a\u202eb' }, "The “name” field in this link isn't valid."],
      [{ ...file, id: 'a\0' }, "The “id” field in this link isn't valid."],
      [{ ...file, apiKey: 'secret' }, "The “apiKey” field in this link isn't valid."],
      [{ ...file, name: 'x'.repeat(20_000) }, 'This link is too long.'],
    ] as const) {
      await openUrl(makeLink('file', fields));
      await window.notifications.wait(refusal);
      await window.notifications.clear();
    }
    await openUrl(makeLink('file', { ...file, service: 'https://unknown.example.org' }));
    const { message, detail, buttons } = await window.notifications.dialog();
    assert.equal(message, "This link is for a service that isn't among your connections.");
    assert.match(detail, /^Address: https:\/\/unknown\.example\.org\n+Connect only if you trust this service/);
    assert.deepEqual(buttons, ['Cancel', 'Connect…']);
    await window.notifications.answer('Cancel');
    assert.equal(server.requests.length, sent);
    await window.tree('Databases').row('DTS prototype');
  });

  function makeLink(kind: string, fields: object): string {
    return `code-oss://${extensionId}/${kind}?${encodeURIComponent(JSON.stringify(fields))}`;
  }

  async function openUrl(url: string): Promise<void> {
    await window.command('Developer: Open URL');
    await window.input(url, /URL to open/);
  }

  it('copies code that opens the files of a transfer', async () => {
    const id = crypto.randomUUID();
    const storage = getStorageFolder(editor.dataFolder);
    const own = join(storage, 'received', `dts-${id}`);
    await mkdir(own, { recursive: true });
    await writeFile(join(own, 'notes.csv'), 'a,b\n');
    await writeFile(join(own, 'manifest.json'), JSON.stringify({ id, resources: [{ path: 'notes.csv', bytes: 4 }] }));
    const order = { connectionId: getLocalConnectionId(machine), orcid, source: 'Sample Data' };
    const at = Date.now();
    const ended = join(getLedgerIn(getEditorDataHome(editor.dataFolder)), 'ended');
    await mkdir(ended, { recursive: true });
    await writeFile(
      join(ended, 'one.json'),
      formatRecord({
        key: 'one',
        id,
        createdAt: at,
        state: 'succeeded',
        changes: [{ state: 'succeeded', at }],
        order: { ...order, destination: 'Received Files', files: [{ id: 'notes.csv', name: 'notes.csv' }] },
      }),
    );
    await open();
    const row = await window.tree('Transfers').spokenRow('→ Received Files, succeeded, 1 file');
    await row.submenu('Share', 'Copy Code for Opening Files…');
    await window.pick('Copy to Clipboard', 'Copy Code for Opening Files');
    const code = await window.clipboard((text) => text.startsWith('import sys\nfrom pathlib'));
    assert.ok(code.includes(`folder = Path(${JSON.stringify(own)})`));
    assert.match(code, /folder \/ "notes\.csv"/);
    assert.equal((await parsePython(code)).exitCode, 0);
  });
});
