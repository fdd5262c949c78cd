import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uri } from 'vscode';
import { publicLike } from '../support/faultPersonality.ts';
import { transfer } from './specimens.ts';
import { Stage } from './stage.ts';

describe('The history of transfers', () => {
  let stage: Stage;
  let round = 0;
  // What was removed once is not taken in again under the same key.
  const key = (name: string): string => `${name}-${String(round)}`;
  beforeEach(async () => {
    round += 1;
    stage = await Stage.open();
    publicLike(stage.server, 'the-key');
    const { transferFlow } = stage.parts;
    await transferFlow.keep(
      transfer(key('old'), { state: 'succeeded', createdAt: 1 }, { description: 'winter =survey' }),
    );
    await transferFlow.keep(transfer(key('new'), { state: 'failed', createdAt: 2 }, { destination: 'Gamma' }));
    await transferFlow.keep(transfer(key('open'), { state: 'notConfirmed', createdAt: 3 }, { destination: 'Delta' }));
  });
  afterEach(() => stage.close());

  const names = (): readonly string[] => stage.parts.transferStore.all().map((one) => one.key.replace(/-\d+$/, ''));

  it('lets go of one at once, and takes it back', async () => {
    await stage.run('dataTransfer.removeFromHistory', { kind: 'transfer', key: key('old') });
    assert.deepEqual(names(), ['open', 'new']);
    (await stage.person.notice(/^Removed the transfer of 2 files to Beta from the history\.$/)).press('Undo');
    await stage.transferHere(key('old'));
    assert.deepEqual(names(), ['open', 'new', 'old']);
  });

  it('keeps one that runs', async () => {
    await stage.parts.transferFlow.keep(transfer(key('runs'), { createdAt: 4 }));
    await stage.run('dataTransfer.removeFromHistory', { kind: 'transfer', key: key('runs') });
    await stage.person.notice(/^This transfer is still running\. Cancel it first\.$/);
    assert.equal(names()[0], 'runs');
  });

  it('lets go of one whose cancel the service never follows (D13), after a question, and takes it back', async () => {
    const stuck = transfer(key('stuck'), { state: 'staging', createdAt: 4, cancelAcceptedAt: 5, cancelUnheeded: true });
    await stage.parts.transferFlow.keep(stuck);
    const done = stage.run('dataTransfer.removeFromHistory', { kind: 'transfer', key: stuck.key });
    const question = await stage.person.notice(/^Remove the transfer of 2 files to Beta from the history\?$/);
    assert.match(question.detail, /accepted the cancel but has not followed it/);
    question.press('Remove');
    await done;
    assert.ok(!names().includes('stuck'));
    (await stage.person.notice(/^Removed the transfer of/)).press('Undo');
    await stage.transferHere(stuck.key);
    assert.deepEqual(
      stage.parts.transferStore.running().map((one) => one.key),
      [stuck.key],
    );
  });

  it('is cleared of all that ended, and of nothing else, and takes it back', async () => {
    await stage.run('dataTransfer.clearFinishedTransfers');
    assert.deepEqual(names(), ['open']);
    (await stage.person.notice(/^Removed 2 finished transfers from the history\. Their files are kept\.$/)).press(
      'Undo',
    );
    await stage.transferHere(key('old'));
    await stage.transferHere(key('new'));
    assert.deepEqual(names(), ['open', 'new', 'old']);
  });

  it('is asked about before more than twenty transfers are cleared', async () => {
    const { transferFlow, transferStore } = stage.parts;
    const more = Array.from({ length: 19 }, (_, index) => transfer(key(`more${index}`), { state: 'succeeded' }));
    for (const one of more) await transferFlow.keep(one);
    const left = stage.run('dataTransfer.clearFinishedTransfers');
    const question = await stage.person.notice(/^Remove 21 finished transfers from the history\?$/);
    assert.equal(question.isModal, true);
    assert.match(question.detail, /For a day, you can restore them with "Restore Removed Transfers…"/);
    question.dismiss();
    await left;
    assert.equal(transferStore.finished().length, 21);
    const cleared = stage.run('dataTransfer.clearFinishedTransfers');
    (await stage.person.notice(/^Remove 21 finished/)).press('Remove');
    await cleared;
    assert.equal(transferStore.finished().length, 0);
  });

  it('restores what was removed within a day, one by one or all at once, without the notice', async () => {
    await stage.run('dataTransfer.clearFinishedTransfers');
    const one = stage.run('dataTransfer.restoreRemovedTransfers');
    const pick = await stage.person.pick();
    assert.match(pick.labels[0] ?? '', /^Restore all \d+ transfers$/);
    pick.type('gamma');
    assert.ok(pick.labels.length > 0 && pick.labels.every((label) => label === '2 files to Gamma'));
    pick.choose('2 files to Gamma');
    await one;
    assert.equal(stage.parts.transferStore.finished().length, 1);
    const all = stage.run('dataTransfer.restoreRemovedTransfers');
    const again = await stage.person.pick();
    again.choose(again.labels[0] ?? '');
    await all;
    await stage.transferHere(key('old'));
    await stage.transferHere(key('new'));
  });

  it('is searched by files, databases, descriptions and ids, and shows what was found', async () => {
    const done = stage.run('dataTransfer.findInHistory');
    const pick = await stage.person.pick();
    assert.deepEqual(pick.labels, ['2 files to Gamma', '2 files to Beta']);
    for (const [text, labels] of [
      ['f2.csv', ['2 files to Gamma', '2 files to Beta']],
      ['gamma', ['2 files to Gamma']],
      ['Winter', ['2 files to Beta']],
      ['id-new', ['2 files to Gamma']],
      ['nothing has this', []],
    ] as const) {
      pick.type(text);
      assert.deepEqual(pick.labels, labels, text);
      assert.ok(pick.items.every(({ alwaysShow }) => alwaysShow));
    }
    pick.type('f1.csv beta');
    assert.equal(pick.items[0]?.detail, 'with f1.csv');
    pick.choose('2 files to Beta');
    await done;
    await stage.tab('Transfer to Beta');
    await stage.closePages();
  });

  describe('exported', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'history-'));
    });
    afterEach(() => rm(folder, { recursive: true }));

    const exportTo = async (name: string): Promise<string> => {
      const done = stage.run('dataTransfer.exportTransferHistory');
      const dialog = await stage.person.saveDialog();
      assert.match(dialog.text, /transfers-\d{4}-\d\d-\d\d\.csv/);
      dialog.choose(Uri.file(join(folder, name)));
      await done;
      await stage.person.notice(/^Exported 3 transfers\.$/);
      assert.deepEqual(await readdir(folder), [name]);
      return await readFile(join(folder, name), 'utf8');
    };

    it('is a table where the file is called so', async () => {
      const lines = (await exportTo('h.CSV')).split('\r\n');
      assert.equal(lines.length, 5);
      assert.match(lines[3] ?? '', /^id-old-\d+,c,Alpha,Beta,succeeded,2,,,/);
    });

    it('is JSON otherwise', async () => {
      const { transfers } = JSON.parse(await exportTo('h.json')) as { transfers: { key: string }[] };
      assert.deepEqual(
        transfers.map((one) => one.key.replace(/-\d+$/, '')),
        ['open', 'new', 'old'],
      );
    });

    it('says why it could not be written, and leaves nothing behind', async () => {
      const done = stage.run('dataTransfer.exportTransferHistory');
      (await stage.person.saveDialog()).choose(Uri.file(join(folder, 'missing', 'h.csv')));
      await done;
      await stage.person.notice(/^Could not export the history to .*ENOENT/);
      assert.deepEqual(await readdir(folder), []);
    });
  });
});
