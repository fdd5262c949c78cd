import assert from 'node:assert/strict';
import { env, NotebookRange, Selection, window, workspace } from 'vscode';
import type { FileNode } from '../../src/extension/editor/contributions.ts';
import type { PublicState } from '../support/faultPersonality.ts';
import { runPython, runShell } from '../support/runCode.ts';
import { orcid, Stage } from './stage.ts';

const key = 'the-key';
const jgi = 'JGI Data Portal';
const kss = 'KBase Workspace Service (KSS)';

describe('Copy as Code', () => {
  let stage: Stage;
  let service: PublicState;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    service = stage.service;
    service.files.add(`it's "JDP" $HOME`);
    useVariable();
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
  });

  /** Sets the connection's key variable, to simulate a user whose key is in an environment variable. */
  const useVariable = (): void => {
    const { settings, sessions } = stage.parts;
    const [connection] = settings.connections;
    const session = sessions.active;
    assert.ok(connection && session);
    sessions.activate({ ...session, connection: { ...connection, apiKeyVariable: 'DTS_KEY' } });
  };

  /** Runs the command and selects the given labels in its lists; resolves to the text on the clipboard. */
  const copy = async (argument: Parameters<typeof stage.run<'dataTransfer.copyAsCode'>>[1], ...labels: string[]) => {
    const done = stage.run('dataTransfer.copyAsCode', argument);
    for (const label of labels) (await stage.person.pick()).choose(label);
    await done;
    return await env.clipboard.readText();
  };

  /** Runs the command that copies the access to the local service and selects a choice. */
  const copyAccess = async (label: string): Promise<string> => {
    const done = stage.run('dataTransfer.copyLocalAccess');
    (await stage.person.pick()).choose(label);
    await done;
    return await env.clipboard.readText();
  };

  it('reads address and key of the local service from variables that another command sets (D29)', async () => {
    await stage.run('dataTransfer.startLocalService');
    const { key: searchKey } = await stage.search('Sample Data', 'stations');
    const code = await copy({ kind: 'search', key: searchKey }, 'curl');
    const exports = await copyAccess('Commands that set both');
    const address = await copyAccess('Address');
    assert.equal(stage.person.statusMessages.at(-1), 'Copied the address. A program also needs the API key.');
    const token = await copyAccess('API key');
    assert.match(stage.person.statusMessages.at(-1) ?? '', /^Copied\. Any program with the key can use/);
    assert.equal(exports, `export DATA_TRANSFER_ADDRESS='${address}' DATA_TRANSFER_KEY='${token}'\n`);
    assert.ok(!code.includes(address) && !code.includes(token));
    const { exitCode, output, errors } = await runShell('sh', exports + code, '');
    assert.deepEqual([exitCode, errors], [0, '']);
    assert.match(output, /stations\.csv/);
  });

  const lastBody = (): unknown => JSON.parse(stage.server.requests.at(-1)?.body ?? '');

  it('copies a search as Python that runs and finds the same files (D7)', async () => {
    const search = await stage.search(jgi, `it's "JDP" $HOME`);
    const sent = lastBody();
    const code = await copy({ kind: 'search', key: search.key }, 'Python');
    assert.equal(stage.person.statusMessages.at(-1), 'Copied the code.');
    const { exitCode, output, errors } = await runPython(code, key, stage.parts.context.extensionPath);
    assert.deepEqual([exitCode, errors], [0, '']);
    assert.match(output, /^it's "JDP" \$HOME data/);
    assert.deepEqual(lastBody(), sent);
    assert.ok(!code.includes(key));
  });

  it('copies the selected files as curl that runs in bash and sh', async () => {
    const { key: searchKey, connectionId, files } = await stage.search(jgi, 'JDP');
    const [file] = files.filter((one) => one.kind === 'file');
    assert.ok(file);
    const row: FileNode = { kind: 'file', searchKey, connectionId, file };
    const code = await copy(row, 'curl');
    for (const shell of ['bash', 'sh'] as const) {
      const { exitCode, output, errors } = await runShell(shell, code, key);
      assert.deepEqual([exitCode, errors], [0, '']);
      assert.ok(output.includes(file.id));
      assert.deepEqual(lastBody(), { database: 'jdp', orcid, file_ids: [file.id] });
    }
  });

  it('offers the status or the submission of a transfer, and inserts the code at the cursor', async () => {
    await stage.search(jgi, 'JDP:00000');
    await stage.transferAll(kss);
    const document = await workspace.openTextDocument({ language: 'python', content: 'first\n' });
    const editor = await window.showTextDocument(document);
    editor.selection = new Selection(1, 0, 1, 0);
    await copy(stage.firstTransfer, 'Status of this transfer', 'Python', 'Insert at Cursor');
    assert.match(document.getText(), /^first\nimport os\n[^]*client\.disconnect\(\)\n$/);
    const { output } = await runPython(
      document.getText().replace('first\n', ''),
      key,
      stage.parts.context.extensionPath,
    );
    assert.match(output, /staging/);
    const submission = await copy(stage.firstTransfer, 'Submission of this transfer', 'R', 'Copy to Clipboard');
    assert.match(submission, /"destination" = "kbase"/);
    assert.equal(service.transfers.size, 1, 'copying sends nothing');
  });

  it('inserts a cell into the active notebook', async () => {
    const search = await stage.search(jgi, 'JDP');
    const notebook = await workspace.openNotebookDocument('jupyter-notebook');
    const editor = await window.showNotebookDocument(notebook);
    editor.selection = new NotebookRange(0, 0);
    await copy({ kind: 'search', key: search.key }, 'curl', 'Insert Notebook Cell');
    const cell = notebook.getCells().at(0);
    assert.equal(cell?.document.languageId, 'python');
    assert.match(cell.document.getText(), /^%%bash\n# Reads the API key from the environment variable DTS_KEY\./);
  });

  it('offers searches and transfers if nothing is selected', async () => {
    await stage.search(jgi, 'JDP');
    const done = stage.run('dataTransfer.copyAsCode');
    const pick = await stage.person.pick();
    assert.deepEqual(pick.labels, ['“JDP”']);
    pick.choose('“JDP”');
    const languages = await stage.person.pick();
    assert.equal(languages.placeholder, 'Select a language. The code reads the API key from DTS_KEY.');
    assert.deepEqual(languages.labels, ['Python', 'curl', 'R']);
    languages.escape();
    await done;
  });
});
