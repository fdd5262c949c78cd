import assert from 'node:assert/strict';
import type { Connection } from '../../src/core/model/connection.ts';
import { reopenUnlessShown } from '../../src/extension/features/connections/connectionPicker.ts';
import { watchRunningTransfers } from '../../src/extension/features/connections/connectionSync.ts';
import { problem } from '../support/faultBehaviors.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { until } from '../unit/core/rig.ts';
import { transfer } from './specimens.ts';
import { Stage } from './stage.ts';

describe('A connection with running transfers', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openWithOther();
  });
  afterEach(() => stage.close());

  it('is opened in the background if another window starts one, but not again after the user closed it', async () => {
    await stage.connect('the-key');
    const { settings, apiKeys, sessions, connectionStore, transferStore } = stage.parts;
    const [shown] = settings.connections;
    const saved = { id: 'started-elsewhere', name: 'Other Service', server: stage.other.address };
    await apiKeys.set(saved, 'other-key');
    await stage.settings.update('connections', [shown, saved], true);
    assert.equal(sessions.get(saved.id), undefined, 'no transfer is running there');
    transferStore.put([transfer('one', {}, { connectionId: saved.id })]);
    await until(sessions.onDidChange, () => sessions.get(saved.id) !== undefined);
    assert.equal(connectionStore.shown?.id, shown?.id);
    sessions.close(saved.id);
    const before = stage.other.requests.length;
    transferStore.put([transfer('two', {}, { connectionId: saved.id })]);
    await stage.run('dataTransfer.refreshDatabases');
    assert.equal(sessions.get(saved.id), undefined);
    assert.equal(stage.other.requests.length, before);
  });

  it('is opened in the background when a window starts and another connection is already shown', async () => {
    await stage.connect('the-key');
    const { settings, apiKeys, sessions, connectionStore, transferStore } = stage.parts;
    const [shown] = settings.connections;
    const saved = { id: 'saved-elsewhere', name: 'Other Service', server: stage.other.address };
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

  it('does not replace a connection that was requested first and whose key is still being read', async () => {
    await stage.connect('the-key');
    const { settings, apiKeys, connectFlow, connectionStore } = stage.parts;
    const [first] = settings.connections;
    const saved = { id: 'requested-later', name: 'Other Service', server: stage.other.address };
    await apiKeys.set(saved, 'other-key');
    await stage.settings.update('connections', [first, saved], true);
    connectFlow.disconnect();
    const before = stage.other.requests.length;
    await reopenWhileReading([first?.id, saved.id]);
    assert.deepEqual([connectionStore.shown?.id, connectionStore.state.kind], [first?.id, 'connected']);
    assert.equal(stage.other.requests.length, before);
  });

  it('is not opened if the user disconnects while its key is being read', async () => {
    await stage.connect('the-key');
    const { settings, connectFlow, connectionStore, sessions } = stage.parts;
    connectFlow.disconnect();
    await reopenWhileReading([settings.connections[0]?.id], () => connectFlow.disconnect());
    assert.deepEqual([connectionStore.state.kind, sessions.getAll()], ['disconnected', []]);
  });

  it('is opened once its service responds, even if an attempt that fails was in progress at startup', async () => {
    await stage.connect('the-key');
    const { settings, connectFlow, connectionStore, transferStore } = stage.parts;
    const { id } = settings.connections[0] ?? assert.fail();
    connectFlow.disconnect();
    transferStore.put([transfer('one', {}, { connectionId: id })]);
    stage.server.on('GET /', problem(503, 'Down for maintenance'));
    const attempt = reopenUnlessShown(stage.parts, id);
    const watch = watchRunningTransfers(stage.parts);
    await attempt;
    assert.equal(connectionStore.state.kind, 'failed');
    publicLike(stage.server, 'the-key');
    await until(connectionStore.onDidChange, () => connectionStore.state.kind === 'connected');
    watch.dispose();
  });

  /**
   * Reopens connections. Delays reading their keys until all keys have been requested and `meanwhile` has been called.
   */
  async function reopenWhileReading(
    ids: readonly (string | undefined)[],
    meanwhile: () => void = () => undefined,
  ): Promise<void> {
    const { apiKeys } = stage.parts;
    const find = apiKeys.find.bind(apiKeys);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    Object.assign(apiKeys, {
      find: async (connection: Connection) => {
        await released;
        return await find(connection);
      },
    });
    try {
      const openings = ids.map((id) => reopenUnlessShown(stage.parts, id));
      meanwhile();
      release();
      await Promise.all(openings);
    } finally {
      Reflect.deleteProperty(apiKeys, 'find');
    }
  }
});
