import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commands, env, window } from 'vscode';
import { dropBeforeAnswer, json, problem } from '../support/faultBehaviours.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { Stage } from './stage.ts';

const nmdc = 'National Microbiome Data Collaborative';

describe('Transferring in the editor', () => {
  let stage: Stage;
  let service: ReturnType<typeof publicLike>;
  beforeEach(async () => {
    stage = await Stage.open();
    service = publicLike(stage.server, 'the-key');
    await stage.connect('the-key');
    await stage.search('JGI Data Portal', 'JDP:00000');
  });
  afterEach(() => stage.close());

  const moveOn = (status: string, message?: string): Promise<void> => stage.moveOn(service, status, message);

  it('asks for destination, description and instructions, sums up, and sends what was said (§4.5)', async () => {
    const { person, parts, server } = stage;
    const [search] = parts.searchStore.all();
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
    (await person.textBox()).enter('For the **first** look');
    (await person.pick()).choose('Type instructions as JSON…');
    const box = await person.textBox();
    box.enter('[1]');
    assert.equal(await box.complaint(), 'This is not a JSON object yet.');
    box.enter('{"type": "assembly"}');
    const summary = await person.notice();
    assert.equal(summary.message, `Transfer 1 file to ${nmdc}?`);
    assert.deepEqual(summary.detail.split('\n'), ['Size: 10 bytes', 'From: JGI Data Portal', `To: ${nmdc}`]);
    assert.deepEqual(summary.buttons, ['Transfer', 'Back']);
    summary.press('Transfer');
    await done;
    const [submission] = server.requestsTo('POST /api/v1/transfers');
    const body = JSON.parse(submission?.body ?? '{}') as Record<string, unknown>;
    assert.deepEqual(body['file_ids'], [file.id]);
    assert.equal(body['description'], 'For the **first** look');
    assert.deepEqual(body['instructions'], { type: 'assembly' });
  });

  it('transfers the file of a page, and calls the databases as the service wants, also before any search (D7)', async () => {
    const { person, parts } = stage;
    const [connection] = parts.settings.connections;
    assert.ok(connection);
    stage.server.on('GET /', json({ name: 'DTS prototype', version: 'another one, of which nothing is known' }));
    await stage.connect('the-key');
    const ref = { connectionId: connection.id, database: 'JGI Data Portal', id: 'JDP:000007', name: 'seven.csv' };
    const done = stage.run('dataTransfer.transferFiles', ref);
    (await person.pick()).choose(nmdc);
    (await person.textBox()).enter('');
    (await person.pick()).choose('No instructions');
    const summary = await person.notice(/^Transfer 1 file/);
    assert.match(summary.detail, /^Size: 10 bytes$/m);
    summary.press('Transfer');
    await done;
    assert.equal(parts.transferStore.all()[0]?.problem, undefined);
    assert.equal(service.transfers.size, 1);
  });

  it('sends nothing when the person leaves before the end, and keeps the checks', async () => {
    const { person, parts, server } = stage;
    const [search] = parts.searchStore.all();
    const files = search?.files.filter((found) => found.kind === 'file') ?? [];
    parts.searchStore.setChecked(search?.key ?? '', files, true);
    for (const leaveAt of [0, 1, 2, 3]) {
      const done = stage.run('dataTransfer.transferCheckedFiles');
      const acts = [
        async () => (await person.pick()).choose(nmdc),
        async () => (await person.textBox()).enter(''),
        async () => (await person.pick()).choose('No instructions'),
      ];
      for (const act of acts.slice(0, leaveAt)) await act();
      if (leaveAt < 3) (await person.input()).escape();
      else (await person.notice()).dismiss();
      await done;
    }
    assert.deepEqual(server.requestsTo('POST /api/v1/transfers'), []);
    assert.deepEqual(parts.transferStore.all(), []);
    assert.equal(parts.searchStore.checkedFiles().length, 10);
  });

  it('says why the service refused, offers its page, keeps the record, and keeps the checks', async () => {
    stage.server.on('POST /api/v1/transfers', problem(400, 'the destination is full'));
    await stage.transferAll(nmdc);
    const notice = await stage.person.notice();
    assert.equal(
      notice.message,
      `Could not transfer 10 files to ${nmdc}: the service refused the request: the destination is full`,
    );
    assert.deepEqual(notice.buttons, ['Show Progress']);
    assert.equal(stage.parts.transferStore.all()[0]?.state, 'refused');
    assert.equal(stage.parts.searchStore.checkedFiles().length, 10);
  });

  it('says that nothing was sent where the transfer cannot be saved first, and keeps the checks', async () => {
    const { context, transferStore, searchStore } = stage.parts;
    const folder = join(context.globalStorageUri.fsPath, 'transfers', 'submitting');
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, 'no folder');
    try {
      await stage.transferAll(nmdc);
    } finally {
      await rm(folder);
    }
    const text = `Could not transfer 10 files to ${nmdc}: nothing was sent, because it could not be saved first: `;
    assert.ok((await stage.person.notice()).message.startsWith(text));
    assert.deepEqual([transferStore.all().length, searchStore.checked.count], [0, 10]);
    assert.equal(stage.server.requestsTo('POST /api/v1/transfers').length, 0);
  });

  it('says when it is not known whether the service has begun (D12)', async () => {
    stage.server.on('POST /api/v1/transfers', dropBeforeAnswer());
    await stage.transferAll(nmdc);
    const notice = await stage.person.notice();
    assert.match(
      notice.message,
      /^It is not known whether the transfer of 10 files to .* has begun: the connection was lost/,
    );
    assert.equal(stage.parts.transferStore.all()[0]?.state, 'notConfirmed');
    assert.equal(stage.server.requestsTo('POST /api/v1/transfers').length, 1);
  });

  it('does not count a transfer that was not confirmed as running (D12)', async () => {
    stage.server.on('POST /api/v1/transfers', dropBeforeAnswer());
    await stage.transferAll(nmdc);
    const { transferStore } = stage.parts;
    assert.deepEqual([transferStore.running().length, transferStore.notConfirmed().length], [0, 1]);
  });

  it('does not send the files of one service to another', async () => {
    const { person, parts, server } = stage;
    const [search] = parts.searchStore.all();
    const files = search?.files.flatMap((found) => (found.kind === 'file' ? [found] : [])) ?? [];
    parts.searchStore.open('elsewhere', 'another connection', { database: 'JGI Data Portal', query: '', pageSize: 10 });
    parts.searchStore.setChecked('elsewhere', files.slice(0, 1), true);
    await stage.run('dataTransfer.transferCheckedFiles');
    await person.notice(/^Some of the files belong to another service\. Switch to it to transfer them\.$/);
    assert.equal(server.requestsTo('POST /api/v1/transfers').length, 0);
  });

  it('asks as from the palette when the focused row is of another kind, as the buttons above a view pass it', async () => {
    const { person, parts } = stage;
    const [search] = parts.searchStore.all();
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
      person.notices.filter(({ message }) => /went wrong/.test(message)),
      [],
    );
  });

  it('tells once that a transfer ended, with a button that shows it', async () => {
    await stage.transferAll(nmdc);
    await moveOn('succeeded');
    const notice = await stage.person.notice();
    assert.equal(notice.message, `Transferred 10 files to ${nmdc}.`);
    notice.press('Show Progress');
    await stage.tab(`Transfer to ${nmdc}`);
    await stage.closePages();
  });

  it('tells why a transfer failed, in the words of the service on one line', async () => {
    await stage.transferAll(nmdc);
    await moveOn('failed', 'no room\nat all $(alert)');
    const notice = await stage.person.notice();
    assert.equal(notice.kind, 'error');
    assert.equal(notice.message, `Transfer of 10 files to ${nmdc} failed: no room at all $ (alert)`);
  });

  it('copies the id of a transfer, and the ids of files', async () => {
    await stage.transferAll(nmdc);
    await stage.run('dataTransfer.copyTransferId', stage.firstTransfer);
    assert.equal(await env.clipboard.readText(), stage.parts.transferStore.all()[0]?.id);
    const done = stage.run('dataTransfer.copyFileId');
    const pick = await stage.person.pick();
    pick.choose(...pick.labels.slice(0, 2));
    await done;
    assert.equal(await env.clipboard.readText(), 'JDP:000000\nJDP:000001');
    assert.deepEqual(stage.person.said.slice(-2), ['Copied the id.', 'Copied 2 ids.']);
  });

  it('shows the metadata of a file as JSON', async () => {
    const done = stage.run('dataTransfer.showMetadataJson');
    const pick = await stage.person.pick();
    pick.choose(pick.labels[0] ?? '');
    await done;
    const document = window.activeTextEditor?.document;
    assert.equal(document?.languageId, 'json');
    assert.equal((JSON.parse(document.getText()) as { id: string }).id, 'JDP:000000');
    assert.deepEqual([document.isUntitled, document.isDirty], [false, false], 'nothing asks to be saved');
    await commands.executeCommand('workbench.action.closeActiveEditor');
  });

  it('keeps an open list of transfers true, with its rows where they are', async () => {
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
    assert.deepEqual(pick.activeItems, [pick.items[1]], 'what was reached is still reached');
    pick.escape();
    await done;
  });

  for (const id of ['showTransferProgress', 'copyTransferId', 'showRunningTransfers'] as const) {
    it(`lists the transfers of earlier sessions for ${id}, when there are no others`, async () => {
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

/** Resolves when the ledger has what the store has: it writes one transfer after the other. */
async function written({ parts }: Stage): Promise<void> {
  const [transfer] = parts.transferStore.all();
  assert.ok(transfer);
  await parts.transferFlow.keep(transfer);
}
