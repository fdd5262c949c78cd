import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commands, env, window } from 'vscode';
import { dropBeforeAnswer, json, problem } from '../support/faultBehaviors.ts';
import type { PublicState } from '../support/faultPersonality.ts';
import { ledgerFolder, Stage } from './stage.ts';

const nmdc = 'National Microbiome Data Collaborative';

describe('Transferring in the editor', () => {
  let stage: Stage;
  let service: PublicState;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    service = stage.service;
    await stage.search('JGI Data Portal', 'JDP:00000');
  });
  afterEach(() => stage.close());

  const moveOn = (status: string, message?: string): Promise<void> => stage.moveOn(service, status, message);

  it('asks for destination, description and instructions, shows a summary, and sends them (§4.5)', async () => {
    const { person, parts, server } = stage;
    const [search] = parts.searchStore.getAll();
    const file = search?.files.find((found) => found.kind === 'file');
    assert.ok(search && file?.kind === 'file');
    const done = stage.run('dataTransfer.transferFiles', {
      kind: 'file',
      searchKey: search.key,
      connectionId: search.connectionId,
      file,
    });
    const destinations = await person.pick();
    assert.deepEqual(destinations.labels, ['KBase Workspace Service (KSS)', nmdc]);
    destinations.choose(nmdc);
    const details = await person.pick();
    assert.deepEqual(details.labels, ['Continue', 'Description…', 'Instructions…']);
    details.choose('Description…');
    (await person.textBox()).enter('For the **first** look');
    (await person.pick()).choose('Instructions…');
    (await person.pick()).choose('Enter instructions (JSON)…');
    const box = await person.textBox();
    box.enter('[1]');
    assert.equal(await box.complaint(), 'Enter a JSON object.');
    box.enter('{"type": "assembly"}');
    const filled = await person.pick();
    assert.deepEqual(
      filled.items.map(({ description }) => description),
      [undefined, 'For the **first** look', '{"type":"assembly"}'],
    );
    filled.choose('Continue');
    const summary = await person.notice();
    assert.equal(summary.message, `Transfer 1 file to ${nmdc}?`);
    assert.deepEqual(summary.detail.split('\n'), [
      `File: ${file.name}`,
      'Size: 10 bytes',
      'From: JGI Data Portal',
      `To: ${nmdc}`,
      'Description: For the **first** look',
      'Instructions: {"type":"assembly"}',
    ]);
    assert.deepEqual(summary.buttons, ['Transfer', 'Back']);
    assert.deepEqual([summary.isModal, summary.kind], [true, 'information'], 'there is nothing to warn about');
    summary.press('Transfer');
    await done;
    const [submission] = server.requestsTo('POST /api/v1/transfers');
    const body = JSON.parse(submission?.body ?? '{}') as Record<string, unknown>;
    assert.deepEqual(body['file_ids'], [file.id]);
    assert.equal(body['description'], 'For the **first** look');
    assert.deepEqual(body['instructions'], { type: 'assembly' });
  });

  it('transfers the file of a metadata page, with database names as the service expects, even before any search (D7)', async () => {
    const { person, parts } = stage;
    const [connection] = parts.settings.connections;
    assert.ok(connection);
    stage.server.on('GET /', json({ name: 'DTS prototype', version: 'another one, of which nothing is known' }));
    await stage.connect('the-key');
    const ref = { connectionId: connection.id, database: 'JGI Data Portal', id: 'JDP:000007', name: 'seven.csv' };
    const done = stage.run('dataTransfer.transferFiles', ref);
    (await person.pick()).choose(nmdc);
    (await person.pick()).choose('Continue');
    const summary = await person.notice(/^Transfer 1 file/);
    assert.match(summary.detail, /^File: JDP:000007\.csv\nSize: 10 bytes$/m);
    summary.press('Transfer');
    await done;
    assert.equal(parts.transferStore.getAll()[0]?.problem, undefined);
    assert.equal(service.transfers.size, 1);
  });

  it('sends nothing if the user cancels, and keeps the files checked', async () => {
    const { person, parts, server } = stage;
    const [search] = parts.searchStore.getAll();
    const files = search?.files.filter((found) => found.kind === 'file') ?? [];
    parts.searchStore.setChecked(search?.key ?? '', files, true);
    for (const leaveAt of [0, 1, 2]) {
      const done = stage.run('dataTransfer.transferCheckedFiles');
      const acts = [
        async () => (await person.pick()).choose(nmdc),
        async () => (await person.pick()).choose('Continue'),
      ];
      for (const act of acts.slice(0, leaveAt)) await act();
      if (leaveAt < 2) (await person.input()).escape();
      else (await person.notice()).dismiss();
      await done;
    }
    assert.deepEqual(server.requestsTo('POST /api/v1/transfers'), []);
    assert.deepEqual(parts.transferStore.getAll(), []);
    assert.equal(parts.searchStore.getCheckedFiles().length, 10);
  });

  it('reports the reason for a rejection, offers the page, and keeps the record and the checked files', async () => {
    stage.server.on('POST /api/v1/transfers', problem(400, 'the destination is full'));
    await stage.transferAll(nmdc);
    const notice = await stage.person.notice();
    assert.equal(
      notice.message,
      `Could not transfer 10 files to ${nmdc}: the service refused the request: the destination is full`,
    );
    assert.deepEqual(notice.buttons, ['Show Details']);
    assert.equal(stage.parts.transferStore.getAll()[0]?.state, 'refused');
    assert.equal(stage.parts.searchStore.getCheckedFiles().length, 10);
  });

  it('reports that nothing was sent because the transfer could not be saved, and keeps the files checked', async () => {
    const { transferStore, searchStore } = stage.parts;
    const folder = join(ledgerFolder, 'submitting');
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, 'no folder');
    try {
      await stage.transferAll(nmdc);
    } finally {
      await rm(folder);
    }
    const text = `Could not transfer 10 files to ${nmdc}: nothing was sent because the transfer couldn't be saved: `;
    assert.ok((await stage.person.notice()).message.startsWith(text));
    assert.deepEqual([transferStore.getAll().length, searchStore.checked.count], [0, 10]);
    assert.equal(stage.server.requestsTo('POST /api/v1/transfers').length, 0);
  });

  it('reports a submission that may or may not have started (D12)', async () => {
    stage.server.on('POST /api/v1/transfers', dropBeforeAnswer());
    await stage.transferAll(nmdc);
    const notice = await stage.person.notice();
    assert.match(
      notice.message,
      /^It's unclear whether the transfer of 10 files to .* has started: the connection was lost/,
    );
    assert.equal(stage.parts.transferStore.getAll()[0]?.state, 'notConfirmed');
    assert.equal(stage.server.requestsTo('POST /api/v1/transfers').length, 1);
  });

  it('does not count an unconfirmed transfer as running (D12)', async () => {
    stage.server.on('POST /api/v1/transfers', dropBeforeAnswer());
    await stage.transferAll(nmdc);
    const { transferStore } = stage.parts;
    assert.deepEqual([transferStore.getRunning().length, transferStore.getNotConfirmed().length], [0, 1]);
  });

  it('does not send the files of one service to another', async () => {
    const { person, parts, server } = stage;
    const [search] = parts.searchStore.getAll();
    const files = search?.files.flatMap((found) => (found.kind === 'file' ? [found] : [])) ?? [];
    parts.searchStore.open('elsewhere', 'another connection', { database: 'JGI Data Portal', query: '', pageSize: 10 });
    parts.searchStore.setChecked('elsewhere', files.slice(0, 1), true);
    const done = stage.run('dataTransfer.transferCheckedFiles');
    const question = await person.notice(/^This file doesn't belong to .*, the active connection\.$/);
    assert.deepEqual([question.kind, question.buttons], ['information', ['Switch Connection…']]);
    question.dismiss();
    await done;
    assert.equal(server.requestsTo('POST /api/v1/transfers').length, 0);
  });

  it('prompts as from the Command Palette if a title button passes a focused row of the wrong kind', async () => {
    const { person, parts } = stage;
    const [search] = parts.searchStore.getAll();
    const file = search?.files.find((found) => found.kind === 'file');
    assert.ok(search && file?.kind === 'file');
    const row = { kind: 'file', searchKey: search.key, connectionId: search.connectionId, file };
    const searching = commands.executeCommand('dataTransfer.searchFiles', row);
    const databases = await person.pick();
    assert.ok(databases.labels.includes('JGI Data Portal'));
    databases.escape();
    await searching;
    const transferring = commands.executeCommand('dataTransfer.transferFiles', { kind: 'transfer', key: 'k' }, [
      { kind: 'transfer', key: 'k' },
    ]);
    (await person.pick()).escape();
    await transferring;
    assert.deepEqual(
      person.notices.filter(({ message }) => /Unexpected error/.test(message)),
      [],
    );
  });

  it('reports the end of a transfer once, with a button that shows the transfer', async () => {
    await stage.transferAll(nmdc);
    await moveOn('succeeded');
    const notice = await stage.person.notice();
    assert.equal(notice.message, `Transferred 10 files to ${nmdc}.`);
    notice.press('Show Details');
    await stage.tab(`Transfer to ${nmdc}`);
    await stage.closePages();
  });

  it("reports the reason why a transfer failed, with the service's message on one line", async () => {
    await stage.transferAll(nmdc);
    await moveOn('failed', 'no room\nat all $(alert)');
    const notice = await stage.person.notice();
    assert.equal(notice.kind, 'error');
    assert.equal(notice.message, `Transfer of 10 files to ${nmdc} failed: no room at all $ (alert)`);
  });

  it('copies the ID of a transfer, and the IDs of files', async () => {
    await stage.transferAll(nmdc);
    await stage.run('dataTransfer.copyTransferId', stage.firstTransfer);
    assert.equal(await env.clipboard.readText(), stage.parts.transferStore.getAll()[0]?.id);
    const done = stage.run('dataTransfer.copyFileId');
    const pick = await stage.person.pick();
    pick.choose(...pick.labels.slice(0, 2));
    await done;
    assert.equal(await env.clipboard.readText(), 'JDP:000000\nJDP:000001');
    assert.deepEqual(stage.person.statusMessages.slice(-2), ['Copied the ID.', 'Copied 2 IDs.']);
    const single = stage.run('dataTransfer.copyFileId');
    const next = await stage.person.pick();
    next.choose(...next.labels.slice(0, 1));
    await single;
    assert.equal(await env.clipboard.readText(), 'JDP:000000');
    assert.equal(stage.person.statusMessages.at(-1), 'Copied the ID.');
  });

  it('shows the metadata of a file as JSON', async () => {
    const done = stage.run('dataTransfer.showMetadataJson');
    const pick = await stage.person.pick();
    pick.choose(pick.labels[0] ?? '');
    await done;
    const document = window.activeTextEditor?.document;
    assert.equal(document?.languageId, 'json');
    assert.equal((JSON.parse(document.getText()) as { id: string }).id, 'JDP:000000');
    assert.deepEqual([document.isUntitled, document.isDirty], [false, false], 'there is nothing to save');
    await commands.executeCommand('workbench.action.closeActiveEditor');
  });

  it('updates an open list of transfers without moving its rows', async () => {
    await stage.transferAll(nmdc);
    await stage.transferAll(nmdc);
    const done = stage.run('dataTransfer.showRunningTransfers');
    const pick = await stage.person.pick();
    const [, second] = pick.items;
    assert.ok(second);
    pick.activeItems = [second];
    await moveOn('succeeded');
    assert.deepEqual(
      pick.items.map(({ description }) => description),
      ['succeeded · 10 of 10 files', 'succeeded · 10 of 10 files'],
    );
    assert.deepEqual(pick.activeItems, [pick.items[1]], 'the active row stays active');
    pick.escape();
    await done;
  });

  for (const id of ['showTransferProgress', 'copyTransferId', 'showRunningTransfers'] as const) {
    it(`lists the transfers of earlier sessions for ${id} if there are no others`, async () => {
      const { parts, person } = stage;
      await stage.transferAll(nmdc);
      await moveOn('succeeded');
      await written(stage);
      parts.transferStore.remove([stage.firstTransfer.key]);
      parts.transferStore.setHasEarlier(true);
      const done = stage.run(`dataTransfer.${id}`);
      const pick = await person.pick();
      assert.deepEqual(pick.labels, [`10 files to ${nmdc}`]);
      pick.escape();
      await done;
    });
  }
});

/** Resolves when the ledger, which writes one transfer at a time, has caught up with the store. */
async function written({ parts }: Stage): Promise<void> {
  const [transfer] = parts.transferStore.getAll();
  assert.ok(transfer);
  await parts.transferFlow.save(transfer);
}
