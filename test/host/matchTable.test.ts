import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TabInputWebview, Uri, window } from 'vscode';
import { createXlsx } from '../support/xlsxFile.ts';
import { Stage } from './stage.ts';

/** Resolves when the active tab is a page with a title. */
async function assertShown(title: string): Promise<void> {
  const isShown = (): boolean => {
    const { activeTab } = window.tabGroups.activeTabGroup;
    return activeTab?.label === title && activeTab.input instanceof TabInputWebview;
  };
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (!isShown()) return;
      listener.dispose();
      resolve();
    };
    const listener = window.tabGroups.onDidChangeTabs(check);
    check();
  });
}

describe('Matching a table', () => {
  let stage: Stage;
  let folder: string;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    folder = await mkdtemp(join(tmpdir(), 'match-'));
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('reads a sheet of a spreadsheet from the Explorer, shows the result, and checks the unique files', async () => {
    const rows = [
      ['site', 'file_id'],
      ['Amazon', 'JDP:000001'],
      ['Congo', 'JDP:nobody'],
      ['Nile'],
      ['Ganges', { number: '9007199254740993' }],
      [{ number: '9007199254740993' }, 'JDP:nobody'],
    ];
    const file = join(folder, 'study.xlsx');
    await writeFile(file, createXlsx({ 'Read me': [['nothing']], Samples: rows }));
    const done = stage.run('dataTransfer.matchTable', Uri.file(file));
    (await stage.person.pick()).choose('Samples');
    const columns = await stage.person.pick();
    assert.deepEqual(
      columns.activeItems.map(({ label, description }) => [label, description]),
      [['file_id', 'JDP:000001, JDP:nobody, 9007199254740993']],
    );
    columns.choose('file_id');
    (await stage.person.pick()).choose('File IDs');
    (await stage.person.pick()).choose('JGI Data Portal');
    const notice = await stage.person.notice(
      /^1 row matched, 1 row is in doubt, 2 rows have no match, 1 row has no value\. Numbers .* rounded .*: row 5 \(9007/,
    );
    assert.deepEqual(notice.buttons, ['Save Table…', 'Transfer Checked Files…']);
    await assertShown('Match: study.xlsx');
    const checked = stage.parts.searchStore.getCheckedFiles().map(({ file: { id } }) => id);
    assert.deepEqual(checked, ['JDP:000001']);
    notice.press('Save Table…');
    const saved = join(folder, 'result.tsv');
    (await stage.person.saveDialog()).choose(Uri.file(saved));
    await stage.person.notice(/^Saved the table\.$/);
    await done;
    const savedRows = (await readFile(saved, 'utf8')).split('\r\n');
    assert.ok(savedRows.includes('Congo\tJDP:nobody\t3\tnot found\t0\t\t\t\t\t'), savedRows.join('\n'));
  });

  it('offers to save the result after the notification was closed, from its tab and the palette', async () => {
    const file = join(folder, 'late.csv');
    await writeFile(file, 'file_id\nJDP:000001\n');
    const matched = stage.run('dataTransfer.matchTable', Uri.file(file));
    (await stage.person.pick()).choose('file_id');
    (await stage.person.pick()).choose('File IDs');
    (await stage.person.pick()).choose('JGI Data Portal');
    (await stage.person.notice(/^1 row matched/)).dismiss();
    await matched;
    for (const place of ['tab', 'palette']) {
      if (place === 'palette') await stage.closePages();
      else await assertShown('Match: late.csv');
      const saved = Uri.file(join(folder, `late-${place}.csv`));
      const done = stage.run('dataTransfer.saveMatchedTable');
      (await stage.person.saveDialog()).choose(saved);
      await stage.person.notice(/^Saved the table\.$/);
      await done;
      assert.match(await readFile(saved.fsPath, 'utf8'), /JDP:000001/);
    }
  });

  it('lists the open tables first, and highlights only the first one', async () => {
    const file = join(folder, 'open.csv');
    await writeFile(file, 'file_id\nJDP:000001\n');
    await window.showTextDocument(Uri.file(file));
    const done = stage.run('dataTransfer.matchTable');
    const files = await stage.person.pick();
    assert.match(files.labels[0] ?? '', /open\.csv$/);
    assert.deepEqual(files.activeItems, [], 'the editor highlights the first one');
    files.escape();
    await done;
  });

  it('shows a constant number of steps, which includes optional steps only when they are shown', async () => {
    const known = join(folder, 'known.csv');
    await writeFile(known, 'site,file_id\nAmazon,JDP:000001\n');
    await window.showTextDocument(Uri.file(known));
    const unclear = join(folder, 'unclear.xlsx');
    const rows = [
      ['alpha', 'JDP:first'],
      ['beta', 'JDP:second'],
    ];
    await writeFile(unclear, createXlsx({ A: [['nothing']], B: rows }));
    const run = async (file: Uri | undefined, labels: readonly (string | undefined)[]): Promise<readonly string[]> => {
      const counts: string[] = [];
      const done = stage.run('dataTransfer.matchTable', file);
      for (const label of labels) {
        const pick = await stage.person.pick();
        counts.push(`${String(pick.step)}/${String(pick.totalSteps)}`);
        if (label === undefined) pick.escape();
        else pick.choose(label === 'the first' ? (pick.labels[0] ?? '') : label);
      }
      await done;
      return counts;
    };
    const short = await run(undefined, ['the first', 'file_id', 'File IDs', undefined]);
    assert.deepEqual(short, ['1/4', '2/4', '3/4', '4/4']);
    const long = await run(Uri.file(unclear), ['B', 'alpha', 'First row is data', 'File IDs', undefined]);
    assert.deepEqual(long, ['1/4', '2/4', '3/5', '4/5', '5/5']);
  });

  it('asks whether the first row is a header if its content is ambiguous, and matches it if it is data', async () => {
    const file = join(folder, 'study.csv');
    await writeFile(file, 'alpha,JDP:first\nbeta,JDP:second\n');
    const done = stage.run('dataTransfer.matchTable', Uri.file(file));
    (await stage.person.pick()).choose('alpha');
    const headerPick = await stage.person.pick();
    assert.equal(headerPick.placeholder, 'Is the first row a header?');
    assert.deepEqual(
      headerPick.items.map(({ label, description }) => [label, description]),
      [
        ['First row is a header', 'column names: alpha, JDP:first'],
        ['First row is data', 'values: alpha, JDP:first'],
      ],
    );
    headerPick.choose('First row is data');
    const keys = await stage.person.pick();
    assert.match(keys.placeholder ?? '', /this column contains \(Column 1\)$/);
    keys.choose('File IDs');
    (await stage.person.pick()).choose('JGI Data Portal');
    const notice = await stage.person.notice(/^0 rows matched, 2 rows have no match\.$/);
    notice.press('Save Table…');
    const saved = join(folder, 'result.csv');
    (await stage.person.saveDialog()).choose(Uri.file(saved));
    await stage.person.notice(/^Saved the table\.$/);
    await done;
    assert.match(await readFile(saved, 'utf8'), /^column_1,column_2,row,[^\n]*\nalpha,JDP:first,1,/);
  });

  it('matches the first row of a table without column names', async () => {
    const file = join(folder, 'study.csv');
    await writeFile(file, 'Congo,JDP:000002\nAmazon,JDP:000001\n');
    const done = stage.run('dataTransfer.matchTable', Uri.file(file));
    (await stage.person.pick()).choose('JDP:000002');
    (await stage.person.pick()).choose('File IDs');
    (await stage.person.pick()).choose('JGI Data Portal');
    const notice = await stage.person.notice(/^2 rows matched\.$/);
    await assertShown('Match: study.csv');
    notice.dismiss();
    await done;
  });

  const refuse = async (name: string, message: RegExp): Promise<void> => {
    const done = stage.run('dataTransfer.matchTable', Uri.file(join(folder, name)));
    await stage.person.notice(message);
    await done;
  };

  for (const [name, bytes, message] of [
    ['study.xlsx', 'PK not a spreadsheet', /study\.xlsx is damaged or isn't a workbook \(\.xlsx, \.xlsm, \.ods\)\.$/],
    [
      'study.xlsx',
      createXlsx({ S: [['id']] }, { declaredBytes: 2_000_000_000 }),
      /study\.xlsx is larger than 250 MB when unpacked\. Save the sheet as CSV\.$/,
    ],
    ['study.csv', '', /study\.csv doesn't contain a table\.$/],
    ['study.csv', new Uint8Array(32_000_001), /study\.csv is larger than 32 MB\.$/],
    ['study.csv', ','.repeat(100_000), /study\.csv has more than 100,000 columns or 20,000,000 cells, /],
  ] as const) {
    it(`explains why ${name} is not read: ${message.source}`, async () => {
      await writeFile(join(folder, name), bytes);
      await refuse(name, message);
    });
  }

  it('explains that the file is a folder or does not exist', async () => {
    await mkdir(join(folder, 'x.csv'));
    await refuse('x.csv', /x\.csv is a folder\. Select a file\.$/);
    await refuse('gone.csv', /gone\.csv no longer exists\.$/);
  });

  it('rejects a pipe without waiting for its content', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
    await refuse('pipe.csv', /^Could not read .*pipe\.csv: .*\(EINVAL\)$/);
  });

  it('explains that a column under a header is empty', async () => {
    const file = join(folder, 'study.csv');
    await writeFile(file, 'id,name\n');
    const done = stage.run('dataTransfer.matchTable', Uri.file(file));
    (await stage.person.pick()).choose('id');
    (await stage.person.pick()).choose('File IDs');
    (await stage.person.pick()).choose('JGI Data Portal');
    await stage.person.notice(/^The selected column \(id\) contains no values\.$/);
    await done;
  });
});
