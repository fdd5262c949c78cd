import assert from 'node:assert/strict';
import { publicLike } from '../support/faultPersonality.ts';
import { FaultServer } from '../support/faultServer.ts';
import { until } from '../unit/core/rig.ts';
import { transfer } from './specimens.ts';
import { Stage } from './stage.ts';

describe('A connection whose transfer is started by another window', () => {
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

  it('is opened in the background, but not again after the user closed it', async () => {
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
});
