import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crateRules, follow, readCrate } from '../../support/crateRules.ts';
import type { Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { sendTransfer } from '../../support/editor/journeySteps.ts';
import { until } from '../../support/editor/until.ts';
import type { EditorWindow } from '../../support/editor/window.ts';

const transferred = '2 files to Received Files';

describe('A user with a table of files', () => {
  let folder: string;
  let editor: Editor;
  let window: EditorWindow;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tables-'));
    const rows = ['sample,file', '1,stations.csv', '2,observations-2025.csv', '3,observations-1900.csv'];
    await writeFile(join(folder, 'study.csv'), `${rows.join('\n')}\n`);
    editor = await openEditor({ workspace: folder, settings: { 'files.simpleDialog.enable': true } });
    window = await editor.openWindow();
    await window.openContainer('Data Transfer');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Exports the files of `source` to the file `name`, and resolves to its content. */
  async function exportTo(name: string, source: string, format: string, report = '2 files'): Promise<string> {
    const file = join(folder, name);
    await window.command('Data Transfer: Export…');
    await window.pick(source, 'Select the files to export');
    await window.pick(format, 'Select a format');
    await window.quickInput.saveAs(file, 'Export');
    await window.notifications.wait(`Exported ${report} to ${name}.`);
    return await readFile(file, 'utf8');
  }

  it('matches it to sample data, saves the result, transfers the files and exports an RO-Crate', async () => {
    await window.command('Data Transfer: Start Local Service');
    const databases = window.tree('Databases');
    await databases.waitFor('the samples', (shown) => shown.some(({ label }) => label === 'Sample Data'));
    await window.command('Data Transfer: Match Table…');
    await window.pick('study.csv', 'Select the table to match');
    await window.pick('file', 'Select the column that identifies the files');
    await window.pick('File names or paths', /Select what this column contains/);
    await window.pick('Sample Data', 'Select the database that contains the files');
    const summary = /^2 rows matched, 1 row has no match\.$/;
    await window.notifications.press(summary, 'Save Table…');
    const saved = join(folder, 'result.csv');
    await window.quickInput.saveAs(saved, 'Save Table');
    await window.notifications.wait('Saved the table.');
    const again = join(folder, 'again.csv');
    await window.command('Data Transfer: Save Matched Table…');
    await window.quickInput.saveAs(again, 'Save Table');
    await until('the second table', async () => (await readFile(again, 'utf8').catch(() => '')) || undefined);
    assert.equal(await readFile(again, 'utf8'), await readFile(saved, 'utf8'));
    const [head = '', first = '', , last] = (await readFile(saved, 'utf8')).split('\r\n');
    assert.equal(head, 'sample,file,row,match,matches,file_id,file_name,file_path,bytes,hash');
    assert.match(first, /^1,stations\.csv,2,matched,1,/);
    assert.equal(last, '3,observations-1900.csv,4,not found,0,,,,,');

    assert.match(await exportTo('checked.tsv', 'Checked files', 'TSV'), /^id\tname\tpath\tbytes/);
    const list = await exportTo('list.json', 'Checked files', 'File metadata (RO-Crate 1.2)');
    const listed = readCrate(JSON.parse(list) as Record<string, unknown>);
    for (const check of Object.values(crateRules)) check(listed);
    assert.equal(listed.get('./')?.['name'], '2 selected files of Sample Data');
    await window.command('Data Transfer: Transfer Checked Files…');
    await sendTransfer(window, 'Received Files');
    const transfers = window.tree('Transfers');
    await transfers.waitFor('the end', (shown) => shown.some(({ label }) => label === 'Finished'));
    await (await transfers.row('Finished')).expand();
    await transfers.spokenRow('→ Received Files, succeeded, 2 files');

    const crate = await exportTo('ro-crate-metadata.json', transferred, 'Transfer record (RO-Crate 1.2)');
    const byId = readCrate(JSON.parse(crate) as Record<string, unknown>);
    for (const check of Object.values(crateRules)) check(byId);
    const action = byId.get('#transfer');
    assert.deepEqual(action?.['actionStatus'], { '@id': 'http://schema.org/CompletedActionStatus' });
    const results = follow(byId, action, 'result');
    assert.deepEqual(results.map((result) => result['name']).sort(), ['observations-2025.csv', 'stations.csv']);
    for (const result of results) assert.match(String(result['sha256']), /^[0-9a-f]{64}$/);
    assert.match(
      await exportTo('sums.sha256', transferred, 'Checksums (SHA-256)'),
      /^[0-9a-f]{64} {2}.*stations\.csv$/m,
    );
  });
});
