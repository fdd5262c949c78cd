import assert from 'node:assert/strict';
import { watchRunningTransfers } from '../../src/extension/commands/connections/watchedTransfers.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { FaultServer } from '../support/faultServer.ts';
import { until } from '../unit/core/rig.ts';
import { transfer } from './specimens.ts';
import { Stage } from './stage.ts';

describe('A connection with running transfers', () => {
  let stage: Stage;
  let other: FaultServer;
  beforeEach(async () => {
    stage = await Stage.open();
    other = await FaultServer.start();
    publicLike(stage.server, 'the-key');
    publicLike(other, 'other-key');
  });
  afterEach(async () => {
    await stage.close();
    await other.stop();
  });

  it('is opened in the background if another window starts one, but not again after the user closed it', async () => {
    await stage.connect('the-key');
    const { settings, apiKeys, sessions, connectionStore, transferStore } = stage.parts;
    const [shown] = settings.connections;
    const saved = { id: 'saved-elsewhere', name: 'Other Service', server: other.address };
    await apiKeys.set(saved, 'other-key');
    await stage.settings.update('connections', [shown, saved], true);
    assert.equal(sessions.get(saved.id), undefined, 'nothing runs there');
    transferStore.put([transfer('one', {}, { connectionId: saved.id })]);
    await until(sessions.onDidChange, () => sessions.get(saved.id) !== undefined);
    assert.equal(connectionStore.shown?.id, shown?.id);
    sessions.close(saved.id);
    const before = other.requests.length;
    transferStore.put([transfer('two', {}, { connectionId: saved.id })]);
    await stage.run('dataTransfer.refreshDatabases');
    assert.equal(sessions.get(saved.id), undefined);
    assert.equal(other.requests.length, before);
  });

  it('is opened in the background when a window starts and another connection is already shown', async () => {
    await stage.connect('the-key');
    const { settings, apiKeys, sessions, connectionStore, transferStore } = stage.parts;
    const [shown] = settings.connections;
    const saved = { id: 'saved-elsewhere', name: 'Other Service', server: other.address };
    const isOpen = (): boolean => sessions.get(saved.id) !== undefined;
    await apiKeys.set(saved, 'other-key');
    transferStore.put([transfer('one', {}, { connectionId: saved.id })]);
    await stage.settings.update('connections', [shown, saved], true);
    await until(sessions.onDidChange, isOpen);
    sessions.close(saved.id);
    const watch = watchRunningTransfers(stage.parts);
    await until(sessions.onDidChange, isOpen);
    watch.dispose();
    assert.equal(connectionStore.shown?.id, shown?.id);
  });
});
