import assert from 'node:assert/strict';
import { problem } from '../support/faultBehaviors.ts';
import { eventually } from '../support/eventually.ts';
import { until } from '../unit/core/rig.ts';
import { hostileTexts, transfer } from './specimens.ts';
import { Stage } from './stage.ts';

describe('Saved connections edited by hand', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openWithOther();
  });
  afterEach(() => stage.close());

  const isConnectedTo = (id: string): boolean => {
    const { state } = stage.parts.connectionStore;
    return state.kind === 'connected' && state.connection.id === id;
  };

  const write = async (entries: readonly unknown[]): Promise<void> => {
    await stage.settings.update('connections', entries, true);
  };

  it('show a new name immediately, and stay open', async () => {
    await stage.connect('the-key');
    const [connection] = stage.parts.settings.connections;
    const { active } = stage.parts.sessions;
    await write([{ ...connection, name: 'Our Service' }]);
    const { connectionStore, sessions } = stage.parts;
    await until(connectionStore.onDidChange, () => connectionStore.shown?.name === 'Our Service');
    assert.equal(sessions.active, active);
  });

  it('are closed if their address changed, so that the key is not sent to another server', async () => {
    await stage.connect('the-key');
    const [connection] = stage.parts.settings.connections;
    await write([{ ...connection, server: stage.other.address }]);
    const { connectionStore } = stage.parts;
    await until(connectionStore.onDidChange, () => connectionStore.state.kind === 'failed');
    assert.equal(connectionStore.state.kind === 'failed' && connectionStore.state.reason.kind, 'keyElsewhere');
    assert.deepEqual(stage.other.requests, []);
  });

  it('are closed when they are removed, even if another service cannot be reached', async () => {
    await stage.connect('the-key');
    const { settings, apiKeys, connectFlow, connectionStore, sessions, transferStore } = stage.parts;
    const [shown] = settings.connections;
    const saved = { id: 'unreachable', name: 'Other Service', server: stage.other.address };
    await apiKeys.set(saved, 'other-key');
    transferStore.put([transfer('one', {}, { connectionId: saved.id })]);
    await write([shown, saved]);
    await until(sessions.onDidChange, () => sessions.get(saved.id) !== undefined);
    stage.other.on('GET /', problem(503, 'Down for maintenance'));
    const before = stage.other.requests.length;
    await write([{ ...saved, transport: 'editor' }]);
    await until(connectionStore.onDidChange, () => connectionStore.state.kind === 'disconnected');
    await eventually(async () => await Promise.resolve(stage.other.requests.length > before || undefined));
    connectFlow.close(saved.id);
  });

  const right = { id: 'a', name: 'Alpha', server: 'https://a.example.org' };
  for (const [what, entry, problem] of [
    ['is not an object', 'https://b.example.org', 'entry 2: it must be an object'],
    ['has no ID', { name: 'Beta', server: 'https://b.example.org' }, 'entry 2 (Beta): "id" is missing'],
    [
      'has an empty name',
      { ...right, id: 'b', name: ' ' },
      'entry 2 (https://a.example.org): "name" must be a non-empty string',
    ],
    [
      'has an address without a scheme',
      { ...right, id: 'b', server: 'b.example.org' },
      '"server" must be an address that starts',
    ],
    ['has an invalid port', { ...right, id: 'b', port: 70_000 }, '"port" must be a whole number from 1 to 65535'],
    ['has an invalid key scheme', { ...right, id: 'b', scheme: 'odd' }, '"scheme" must be one of "base64", "plain"'],
    ['has a list as key scheme', { ...right, id: 'b', scheme: ['plain'] }, '"scheme" must be one of "base64", "plain"'],
    [
      'has an invalid variable name',
      { ...right, id: 'b', apiKeyVariable: 'a key' },
      'the name of an environment variable',
    ],
    ['has a duplicate ID', { ...right, name: 'Again' }, 'entry 2 (Again): its ID is already used by Alpha'],
  ] as const) {
    it(`are reported in one notification if an entry ${what}; the others are used, and nothing is lost`, async () => {
      const last = { id: 'z', name: 'Omega', server: 'https://z.example.org' };
      await write([right, entry, last]);
      const notice = await stage.person.notice(/^The dataTransfer\.connections setting is invalid: /);
      assert.ok(notice.message.includes(problem), notice.message);
      assert.deepEqual(notice.buttons, ['Open Settings']);
      const { settings } = stage.parts;
      assert.deepEqual(settings.connections, [right, last]);
      await settings.saveConnection({ ...last, name: 'Omega 2' });
      assert.deepEqual(stage.settings.get('connections'), [right, entry, { ...last, name: 'Omega 2' }]);
      assert.equal(stage.person.notices.length, 1, 'the problem is reported once');
    });
  }

  it('are reported in one notification if several are invalid', async () => {
    await write([1, 2, 3]);
    assert.match((await stage.person.notice()).message, /entry 1: it must be an object\. \(2 more\)$/);
  });

  it('are not overwritten if the setting is not an array', async () => {
    await stage.settings.update('connections', { a: 1 }, true);
    assert.match((await stage.person.notice()).message, /it must be a list/);
    await assert.rejects(stage.parts.settings.saveConnection(right), /must be a list\. Fix it first/);
    assert.deepEqual(stage.settings.get('connections'), { a: 1 });
  });

  it('stay open while their entry is invalid, until it is fixed', async () => {
    await stage.connect('the-key');
    const [connection] = stage.parts.settings.connections;
    assert.ok(connection);
    await write([{ ...connection, port: 'x' }]);
    await stage.person.notice(/"port" must be/);
    assert.ok(isConnectedTo(connection.id));
  });

  for (const [what, name] of Object.entries(hostileTexts)) {
    it(`are shown as plain text if a name contains ${what}`, async () => {
      await write([
        { ...right, name: `x${name}` },
        { ...right, name: `y${name}` },
      ]);
      const notice = await stage.person.notice();
      const done = stage.run('dataTransfer.switchConnection');
      const pick = await stage.person.pick();
      for (const text of [notice.message, ...pick.labels]) {
        assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\$\(|\]\(/u);
        assert.ok(text.length < 1000, `${text.length} characters`);
      }
      pick.escape();
      await done;
    });
  }
});
