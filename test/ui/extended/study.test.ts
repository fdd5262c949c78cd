import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatDay } from '../../../src/core/util/writtenValues.ts';
import type { Editor } from '../../support/editor/editor.ts';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { fillTransfer } from '../../support/editor/journeySteps.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { getStudyId, getStudyPath, writeStudy } from '../../support/studyFolder.ts';

const database = 'Alpine Study';
const received = 'Received Files';
const doi = '10.5072/alpine-streams.2025';
const title = 'Temperature and discharge of alpine streams (Version 2) [Data set]';
const reference = `Müller, A. L., & Okafor, C. (2025). ${title}. Alpine Observatory. <https://doi.org/${doi}>`;

describe('A user with a spreadsheet of 40 IDs', () => {
  let folder: string;
  let workspace: string;
  let editor: Editor;
  let window: EditorWindow;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'study-'));
    workspace = join(folder, database);
    await mkdir(workspace);
    await writeStudy(workspace);
    editor = await openEditor({ workspace, settings: { 'files.simpleDialog.enable': true } });
    window = await editor.openWindow();
    await window.openContainer('Data Transfer');
    await window.command('Data Transfer: Start Local Service');
    await window.tree('Databases').waitFor('the served folder', (rows) => rows.some(({ label }) => label === database));
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
    await closeEditors();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /**
   * Matches files with the spreadsheet, in which three IDs are unknown and two are repeated; resolves to the saved
   * table.
   */
  async function match(): Promise<string> {
    await window.command('Data Transfer: Match Table…');
    await window.pick('study.xlsx', 'Select the table to match');
    await window.pick('file_id', 'Select the column that identifies the files');
    await window.pick('File IDs', 'Select what this column contains (file_id)');
    await window.pick(database, 'Select the database that contains the files');
    await window.notifications.press(/^37 rows matched, 3 rows have no match\.$/, 'Save Table…');
    const saved = join(folder, 'result.csv');
    await window.quickInput.saveAs(saved, 'Save Table');
    await window.notifications.wait('Saved the table.');
    return await readFile(saved, 'utf8');
  }

  /** Checks each row of the result: the original columns, the row number in the spreadsheet, and the file. */
  function checkTable(text: string): void {
    const [head, ...rows] = text.trimEnd().split('\r\n');
    assert.equal(head, 'sample,file_id,catchment,row,match,matches,file_id_matched,file_name,file_path,bytes,hash');
    assert.equal(rows.length, 40);
    for (const [index, row] of rows.entries()) {
      const [sample, id = '', , line, ...found] = row.split(',');
      assert.deepEqual([sample, line], [`S${String(index + 1).padStart(2, '0')}`, String(index + 2)]);
      const isUnknown = id.startsWith('ALP-9');
      const path = getStudyPath(Number(id.slice(4)));
      const name = path.replace(/^.*\//, '');
      assert.deepEqual(
        found.slice(0, 5),
        isUnknown ? ['not found', '0', '', '', ''] : ['matched', '1', id, name, path],
      );
      assert.match(found.slice(5).join(), isUnknown ? /^,$/ : /^\d+,sha256:[0-9a-f]{64}$/);
    }
    assert.deepEqual(
      rows.slice(35).map((row) => row.split(',')[1]),
      ['ALP-9001', 'ALP-9002', 'ALP-9003', getStudyId(3), getStudyId(12)],
    );
  }

  async function transfer(): Promise<void> {
    await window.command('Data Transfer: Transfer Checked Files…');
    await fillTransfer(window, received);
    const { message, detail } = await window.notifications.dialog();
    assert.equal(message, `Transfer 35 files to ${received}?`);
    assert.match(
      detail,
      /^Licenses: CC-BY-4\.0 \(30 files\), All rights reserved \(3 files\), not stated \(2 files\)$/m,
    );
    assert.match(detail, /The license of 3 files forbids redistribution: All rights reserved/);
    await window.notifications.answer('Transfer');
    await window.notifications.wait(`Transferred 35 files to ${received}.`);
  }

  async function verify(): Promise<void> {
    const transfers = window.tree('Transfers');
    await (await transfers.row('Finished')).expand();
    await (await transfers.spokenRow(`→ ${received}, succeeded, 35 files`)).menu('Verify Transferred Files…');
    await window.notifications.wait('All 35 files verified: all hashes match.');
    await (await transfers.spokenRow(`→ ${received}, succeeded, 35 files`)).click();
    const page = await window.pageFrame(`Transfer to ${received}`);
    await page.getByText('All 35 files verified').waitFor();
  }

  async function share(entry: string): Promise<void> {
    const row = await window.tree('Transfers').spokenRow(`→ ${received}, succeeded, 35 files`);
    await row.submenu('Share', entry);
  }

  it('matches it, transfers the 35 files, verifies them, cites them and copies a statement for a paper', async () => {
    checkTable(await match());
    assert.equal(await window.tree('Search Results').description(), '35 ✓ 5.5 kB');
    await transfer();
    await verify();
    await share('Cite…');
    await window.pick('BibTeX', /1\/2/);
    await window.pick('Copy', /2\/2/);
    const entry = await window.clipboard((text) => text.startsWith('@dataset{'));
    const today = formatDay(Date.now());
    assert.equal(entry.match(/^@/gm)?.length, 1, 'one entry for the dataset');
    assert.match(entry, /^ {2}author = \{.*M\{\\"u\}ller.*Anna Lena.* and .*Okafor.*Chidi.*\},$/m);
    assert.match(entry, /^ {2}title = \{\{Temperature and discharge of alpine streams\}\},$/m);
    for (const field of [`doi = {${doi}}`, 'date = {2025-11-03}', 'version = {2}'])
      assert.ok(entry.includes(`\n  ${field},\n`), field);
    await share('Copy Data Availability Statement');
    const statement = await window.clipboard((text) => text.startsWith('The data that support'));
    assert.match(statement, /^The data that support this work consist of 35 files from Alpine Study\. /);
    assert.match(statement, /\. They were obtained through a local data transfer service\. /);
    assert.ok(statement.includes(` The transfer ended on or before ${today}.\n\n`), statement);
    assert.equal(statement.split('\n\n')[1], `- ${reference}\n`);
  });
});
