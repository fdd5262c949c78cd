import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uri, window } from 'vscode';
import { publicLike } from '../support/faultPersonality.ts';
import { createXlsx } from '../support/xlsxFile.ts';
import { Stage } from './stage.ts';

describe('Matching a table', () => {
  let stage: Stage;
  let folder: string;
  beforeEach(async () => {
    stage = await Stage.open();
    folder = await mkdtemp(join(tmpdir(), 'match-'));
    publicLike(stage.server, 'the-key');
    await stage.connect('the-key');
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('reads a sheet of a spreadsheet of the Explorer view, shows the result, and checks the unique files', async () => {
    const rows = [
      ['site', 'file_id'],
      ['Amazon', 'JDP:000001'],
      ['Congo', 'JDP:nobody'],
      [{ number: '9007199254740993' }],
    ];
    const file = join(folder, 'study.xlsx');
    await writeFile(file, createXlsx({ 'Read me': [['nothing']], Samples: rows }));
    const done = stage.run('dataTransfer.matchTable', Uri.file(file));
    (await stage.person.pick()).choose('Samples');
    const columns = await stage.person.pick();
    assert.deepEqual(
      columns.activeItems.map(({ label }) => label),
      ['file_id'],
    );
    columns.choose('file_id');
    (await stage.person.pick()).choose('File IDs');
    (await stage.person.pick()).choose('JGI Data Portal');
    const notice = await stage.person.notice(/^1 row matched, 1 row not found, 1 row without a value\. 1 number/);
    assert.deepEqual(notice.buttons, ['Save Table…', 'Transfer Checked Files…']);
    const text = window.activeTextEditor?.document.getText() ?? '';
    assert.match(text, /^Amazon\tJDP:000001\t2\tmatched\t1\tJDP:000001\t/m);
    assert.match(text, /^Congo\tJDP:nobody\t3\tnot found\t0\t/m);
    const checked = stage.parts.searchStore.getCheckedFiles().map(({ file: { id } }) => id);
    assert.deepEqual(checked, ['JDP:000001']);
    notice.press('Save Table…');
    const saved = join(folder, 'result.tsv');
    (await stage.person.saveDialog()).choose(Uri.file(saved));
    await stage.person.notice(/^Saved the table\.$/);
    await done;
    assert.equal(await readFile(saved, 'utf8'), text.replaceAll(/\r?\n/g, '\r\n'));
  });

  it('reports that a spreadsheet is damaged', async () => {
    const file = join(folder, 'study.xlsx');
    await writeFile(file, 'PK not a spreadsheet');
    const done = stage.run('dataTransfer.matchTable', Uri.file(file));
    await stage.person.notice(/^Could not read .*study\.xlsx: /);
    await done;
  });
});
