import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uri, window, workspace } from 'vscode';
import { problem } from '../support/faultBehaviors.ts';
import { fileEntry } from './specimens.ts';
import { Stage } from './stage.ts';

const jgi = 'JGI Data Portal';
const kss = 'KBase Workspace Service (KSS)';
const nmdc = 'National Microbiome Data Collaborative';
const route = 'POST /api/v1/transfers';

describe('The steps of a transfer', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    // With this search, the client learns how the service identifies its databases (D7: database name or id).
    await stage.search(jgi, 'JDP:00000');
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
  });

  /** Adds searches with the given files, all of them checked. */
  const check = (
    ...searches: readonly (readonly [database: string, sizes: readonly (number | undefined)[]])[]
  ): void => {
    const { searchStore, sessions } = stage.parts;
    const connectionId = sessions.active?.connection.id ?? '';
    for (const [database, sizes] of searches) {
      const files = sizes.map((sizeBytes, index) =>
        fileEntry(`${database} ${index}`, { database, ...(sizeBytes !== undefined && { sizeBytes }) }),
      );
      searchStore.open(database, connectionId, { database, query: '', pageSize: 10, status: 'unstaged' });
      searchStore.update(database, { files, isLoading: false });
      searchStore.checkAll(database);
    }
  };

  const start = async (): Promise<{ readonly done: Promise<void> }> => {
    const done = stage.run('dataTransfer.transferCheckedFiles');
    (await stage.person.pick()).choose(nmdc);
    return { done };
  };

  const bodies = (): readonly Record<string, unknown>[] =>
    stage.server.requestsTo(route).map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  it('summarize sizes, staging and sources, and mention that one transfer becomes several (D31)', async () => {
    check([jgi, [1_000_000, undefined]], [kss, [500]]);
    const { done } = await start();
    (await stage.person.pick()).choose('Continue');
    const summary = await stage.person.notice();
    assert.equal(summary.message, `Transfer 3 files to ${nmdc}?`);
    assert.deepEqual(summary.detail.split('\n'), [
      `Files: ${jgi} 0.csv, ${jgi} 1.csv, ${kss} 0.csv`,
      'Size: 1 MB, plus 1 file of unknown size',
      'Staging: 3 unstaged (may have to be prepared or restored first)',
      `From: ${jgi} (2 files, 1 MB, plus 1 file of unknown size)`,
      `From: ${kss} (1 file, 500 bytes)`,
      `To: ${nmdc}`,
      'Will run as 2 transfers, one per source.',
    ]);
    summary.press('Transfer');
    await done;
    assert.deepEqual(bodies().map(({ source }) => source).length, 2);
    assert.equal(stage.parts.searchStore.checked.count, 0);
  });

  it('report the failure of each source, send the others, and keep files of failed submissions checked', async () => {
    check([jgi, [1]], [kss, [1, 1]]);
    stage.server.on(route, problem(400, 'no room'));
    const { done } = await start();
    (await stage.person.pick()).choose('Continue');
    (await stage.person.notice()).press('Transfer');
    const refused = await stage.person.notice(/^Could not transfer/);
    const again = await stage.person.notice(/^Could not transfer/);
    await done;
    assert.deepEqual(
      [refused.message, again.message],
      [
        `Could not transfer 1 file from ${jgi} to ${nmdc}: the service refused the request: no room`,
        `Could not transfer 2 files from ${kss} to ${nmdc}: the service refused the request: no room`,
      ],
    );
    assert.equal(stage.parts.searchStore.checked.count, 3);
  });

  it('can be revisited from the summary, and keep their values', async () => {
    check([jgi, [1]]);
    const { done } = await start();
    (await stage.person.pick()).choose('Description…');
    (await stage.person.textBox()).enter('First');
    (await stage.person.pick()).choose('Continue');
    (await stage.person.notice()).press('Back');
    (await stage.person.pick()).choose('Description…');
    const description = await stage.person.textBox();
    assert.equal(description.value, 'First');
    description.goBack();
    (await stage.person.pick()).goBack();
    (await stage.person.pick()).choose(kss);
    (await stage.person.pick()).choose('Description…');
    (await stage.person.textBox()).enter('Second');
    (await stage.person.pick()).choose('Continue');
    const summary = await stage.person.notice();
    assert.equal(summary.message, `Transfer 1 file to ${kss}?`);
    summary.press('Transfer');
    await done;
    assert.deepEqual(
      bodies().map(({ destination, description: said }) => [destination, said]),
      [['kbase', 'Second']],
    );
  });

  it('show the position of an error in typed instructions, and suggest the last instructions (§4.5)', async () => {
    check([jgi, [1]]);
    const first = await start();
    (await stage.person.pick()).choose('Instructions…');
    (await stage.person.pick()).choose('Enter instructions (JSON)…');
    const box = await stage.person.textBox();
    box.enter('{"type": }');
    assert.equal(await box.complaint(), 'Invalid JSON at character 10.');
    box.enter('{"type": "assembly"}');
    (await stage.person.pick()).choose('Continue');
    (await stage.person.notice()).press('Transfer');
    await first.done;
    check([jgi, [1]]);
    const second = await start();
    (await stage.person.pick()).choose('Instructions…');
    (await stage.person.pick()).choose('Enter instructions (JSON)…');
    assert.equal((await stage.person.textBox()).value, '{"type":"assembly"}');
    stage.person.inputs.at(-1)?.escape();
    await second.done;
  });

  it('offer the last description', async () => {
    check([jgi, [1]]);
    const first = await start();
    (await stage.person.pick()).choose('Description…');
    (await stage.person.textBox()).enter('For the *first* look');
    (await stage.person.pick()).choose('Continue');
    (await stage.person.notice()).press('Transfer');
    await first.done;
    check([jgi, [1]]);
    const second = await start();
    (await stage.person.pick()).choose('Description…');
    const box = await stage.person.textBox();
    assert.equal(box.value, '');
    box.press('Use Last Description');
    const again = await stage.person.textBox();
    assert.equal(again.value, 'For the *first* look');
    again.escape();
    await second.done;
  });

  it('offer each detail of the last transfer as one choice on a single page', async () => {
    check([jgi, [1]]);
    const first = await start();
    (await stage.person.pick()).choose('Description…');
    (await stage.person.textBox()).enter('For the *first* look');
    (await stage.person.pick()).choose('Instructions…');
    (await stage.person.pick()).choose('Enter instructions (JSON)…');
    (await stage.person.textBox()).enter('{"type": "assembly"}');
    (await stage.person.pick()).choose('Continue');
    (await stage.person.notice()).press('Transfer');
    await first.done;
    check([jgi, [1]]);
    const second = await start();
    const details = await stage.person.pick();
    assert.deepEqual(details.labels, [
      ...['Continue', 'Description…', 'Instructions…', 'Last used'],
      ...['Use Last Description', 'Use Last Instructions'],
    ]);
    details.choose('Use Last Description');
    (await stage.person.pick()).choose('Use Last Instructions');
    const filled = await stage.person.pick();
    assert.deepEqual(filled.labels, ['Continue', 'Description…', 'Instructions…']);
    filled.choose('Continue');
    (await stage.person.notice()).press('Transfer');
    await second.done;
    const [, sent] = bodies();
    assert.deepEqual([sent?.['description'], sent?.['instructions']], ['For the *first* look', { type: 'assembly' }]);
  });

  it('list the first files and the number of remaining ones', async () => {
    check([jgi, [1, 1, 1, 1, 1]]);
    const { done } = await start();
    (await stage.person.pick()).choose('Continue');
    const summary = await stage.person.notice();
    assert.equal(summary.detail.split('\n')[0], `Files: ${jgi} 0.csv, ${jgi} 1.csv, ${jgi} 2.csv and 2 more`);
    summary.dismiss();
    await done;
  });

  it('reject instructions with a number that JSON cannot represent', async () => {
    check([jgi, [1]]);
    const { done } = await start();
    (await stage.person.pick()).choose('Instructions…');
    (await stage.person.pick()).choose('Enter instructions (JSON)…');
    const box = await stage.person.textBox();
    box.enter('{"a": [1e999]}');
    const complaint = 'The JSON object contains a number that is too large. Put it in quotation marks.';
    assert.equal(await box.complaint(), complaint);
    box.escape();
    await done;
  });

  describe('with workspace files', () => {
    let folder: string;
    beforeEach(async () => {
      const [open] = workspace.workspaceFolders ?? [];
      folder = await mkdtemp(join(open?.uri.fsPath ?? tmpdir(), 'instructions-'));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    it('reject an invalid file with the position of its error, open it there, and accept it once fixed', async () => {
      const file = join(folder, 'assembly.json');
      await writeFile(file, '{\n  "type": assembly\n}\n');
      const label = workspace.asRelativePath(Uri.file(file));
      check([jgi, [1]]);
      const { done } = await start();
      (await stage.person.pick()).choose('Instructions…');
      const files = await stage.person.pick();
      await files.settled();
      files.choose(label);
      const refusal = await stage.person.notice();
      assert.equal(refusal.message, `${label} isn't valid JSON (line 2, column 11).`);
      refusal.press('Open File');
      const opened = new Promise<void>((resolve) => {
        const subscription = window.onDidChangeTextEditorSelection(() => {
          subscription.dispose();
          resolve();
        });
      });
      await opened;
      assert.deepEqual(
        [window.activeTextEditor?.selection.active.line, window.activeTextEditor?.selection.active.character],
        [1, 10],
      );
      await writeFile(file, '{"type": "assembly"}');
      const again = await stage.person.pick();
      await again.settled();
      again.choose(label);
      (await stage.person.pick()).choose('Continue');
      (await stage.person.notice(/^Transfer 1 file/)).press('Transfer');
      await done;
      assert.deepEqual(bodies()[0]?.['instructions'], { type: 'assembly' });
    });
  });

  it('are canceled if another connection becomes active, and send nothing', async () => {
    check([jgi, [1]]);
    const { done } = await start();
    const details = await stage.person.pick();
    await stage.run('dataTransfer.startLocalService');
    details.goBack();
    await done;
    await stage.person.notice(/^The command was canceled because its connection is no longer active\.$/);
    assert.deepEqual(bodies(), []);
  });
});
