import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commands } from 'vscode';
import { transfer } from './specimens.ts';
import { ledgerFolder, Stage } from './stage.ts';

describe('A removal', () => {
  let stage: Stage;
  let isUndoEnabled: unknown;
  const { executeCommand } = commands;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    const record = async (id: string, ...rest: unknown[]): Promise<unknown> => {
      if (id === 'setContext' && rest[0] === 'dataTransfer.canUndo') isUndoEnabled = rest[1];
      return await executeCommand(id, ...rest);
    };
    isUndoEnabled = undefined;
    Object.assign(commands, { executeCommand: record });
  });
  afterEach(async () => {
    Object.assign(commands, { executeCommand });
    await stage.close();
  });

  const shown = (): readonly string[] => stage.parts.searchStore.getAll().map(({ query }) => query.query);

  /** Runs a command and closes the notification that reports the removal. */
  const remove = async (text: RegExp, ...[id, argument]: Parameters<Stage['run']>): Promise<void> => {
    await stage.run(id, argument);
    (await stage.person.notice(text)).dismiss();
  };

  /** Undoes the last removal, and returns the confirmation. */
  const undo = async (): Promise<string | undefined> => {
    await stage.run('dataTransfer.undoRemoval');
    return stage.person.statusMessages.at(-1);
  };

  it('can be undone after its notification was closed, the last one first', async () => {
    const [connection] = stage.parts.settings.connections;
    const { key } = await stage.search('JGI Data Portal', 'JDP:000001');
    const ended = transfer(`ended-${Date.now()}`, { state: 'succeeded' });
    await stage.parts.transferFlow.save(ended);
    await remove(/^Removed search/, 'dataTransfer.dismissSearch', { kind: 'search', key });
    await remove(/^Removed “2 files/, 'dataTransfer.removeFromHistory', { kind: 'transfer', key: ended.key });
    await remove(/^Removed DTS prototype/, 'dataTransfer.forgetConnection', { kind: 'connection' });
    assert.equal(isUndoEnabled, true);
    assert.equal(await undo(), 'Undone: Removed DTS prototype and its saved key.');
    assert.deepEqual(stage.parts.settings.connections, [connection]);
    assert.equal(stage.parts.transferStore.get(ended.key), undefined);
    assert.equal(await undo(), 'Undone: Removed “2 files to Beta” from the history.');
    assert.ok(stage.parts.transferStore.get(ended.key));
    assert.deepEqual([shown(), isUndoEnabled], [[], true]);
    assert.equal(await undo(), 'Undone: Removed search: “JDP:000001”');
    assert.deepEqual([shown(), isUndoEnabled], [['JDP:000001'], false]);
  });

  it('of a connection is not undone if the connection was saved again meanwhile', async () => {
    const { settings, apiKeys } = stage.parts;
    const [connection] = settings.connections;
    assert.ok(connection);
    await remove(/^Removed DTS prototype/, 'dataTransfer.forgetConnection', { kind: 'connection' });
    await settings.saveConnection({ ...connection, name: 'Newer' });
    await apiKeys.set(connection, 'a newer key');
    await stage.run('dataTransfer.undoRemoval');
    await stage.person.notice(/^DTS prototype was saved again, so there is nothing to restore\.$/);
    assert.deepEqual(
      settings.connections.map(({ name }) => name),
      ['Newer'],
    );
    assert.equal(await apiKeys.get(connection), 'a newer key');
    assert.equal(isUndoEnabled, false);
  });

  it('is undone only once, by its notification or by the command', async () => {
    for (const words of ['JDP:000001', 'JDP:000002']) await stage.search('JGI Data Portal', words);
    await stage.run('dataTransfer.clearResults');
    const notice = await stage.person.notice(/^Removed 2 searches\.$/);
    await stage.search('JGI Data Portal', 'JDP:000003');
    await remove(/^Removed search/, 'dataTransfer.clearResults');
    notice.press('Undo');
    await stage.searchesUntil((all) => all.length === 2);
    assert.equal(await undo(), 'Undone: Removed search: “JDP:000003”');
    assert.deepEqual(shown(), ['JDP:000003', 'JDP:000002', 'JDP:000001']);
    await stage.run('dataTransfer.undoRemoval');
    await stage.person.notice(/^There is no removal to undo in this window\.$/);
  });

  it('of a served database can be undone again if undoing failed, and adds no second entry', async () => {
    const folder = { name: 'Lab Share', folder: '/lab/share' };
    const { settings, parts } = stage;
    await parts.settings.saveServedLocation(folder);
    const done = stage.run('dataTransfer.stopServing');
    (await stage.person.pick()).choose('Lab Share');
    await done;
    (await stage.person.notice(/^Removed Lab Share/)).dismiss();
    await settings.update('localService.databases', { a: 1 }, true);
    await stage.run('dataTransfer.undoRemoval');
    await stage.person.notice(/must be a list\. Fix it first/);
    await settings.update('localService.databases', [folder], true);
    assert.match((await undo()) ?? '', /^Undone: Removed Lab Share/);
    assert.deepEqual(parts.settings.servedLocations, [folder]);
  });

  it('of a served database is not undone if the settings list the database again meanwhile', async () => {
    const folder = { name: 'Lab Share', folder: '/lab/share' };
    const newer = { ...folder, folder: '/lab/share/', name: 'Newer', organization: 'Lab' };
    const { settings, parts } = stage;
    await parts.settings.saveServedLocation(folder);
    const done = stage.run('dataTransfer.stopServing');
    (await stage.person.pick()).choose('Lab Share');
    await done;
    (await stage.person.notice(/^Removed Lab Share/)).dismiss();
    await settings.update('localService.databases', [newer], true);
    await stage.run('dataTransfer.undoRemoval');
    await stage.person.notice(/^Lab Share was saved again, so there is nothing to restore\.$/);
    assert.deepEqual(parts.settings.servedLocations, [newer]);
  });

  it('of transfers is reported as undone only if their records still exist', async () => {
    const { transferFlow, transferStore } = stage.parts;
    const ended = ['one', 'two'].map((name) => transfer(`${name}-${Date.now()}`, { state: 'succeeded' }));
    const [one, two] = ended;
    assert.ok(one && two);
    for (const each of ended) await transferFlow.save(each);
    await remove(/^Removed “2 files/, 'dataTransfer.removeFromHistory', { kind: 'transfer', key: one.key });
    await remove(/^Removed “2 files/, 'dataTransfer.removeFromHistory', { kind: 'transfer', key: two.key });
    await transferFlow.restore([two.key]);
    assert.equal(await undo(), 'Undone: Removed “2 files to Beta” from the history.', 'it was restored already');
    await rm(join(ledgerFolder, 'removed', `${one.key}.json`));
    await stage.run('dataTransfer.undoRemoval');
    await stage.person.notice(/^1 transfer couldn't be restored\. Removed transfers are kept for one day\.$/);
    assert.deepEqual([transferStore.get(one.key), transferStore.get(two.key)?.key], [undefined, two.key]);
    assert.equal(isUndoEnabled, false);
  });
});
