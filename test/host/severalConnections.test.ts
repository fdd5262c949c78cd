import assert from 'node:assert/strict';
import { env } from 'vscode';
import type { Connection } from '../../src/core/model/connection.ts';
import { ApiKeys } from '../../src/extension/editor/apiKeys.ts';
import { json } from '../support/faultBehaviors.ts';
import { publicLike } from '../support/faultPersonality.ts';
import { eventually } from '../support/eventually.ts';
import { until } from '../unit/core/rig.ts';
import { transfer } from './specimens.ts';
import { keysOfSecrets, orcid, Stage } from './stage.ts';

describe('Saved connections', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openWithOther();
  });
  afterEach(() => stage.close());

  const connectToBoth = async (): Promise<readonly [Connection, Connection]> => {
    await stage.connect('the-key');
    await stage.connect('other-key', stage.other);
    const [first, second] = stage.parts.settings.connections;
    assert.ok(first && second);
    return [first, second];
  };

  const shownId = (): string | undefined => stage.parts.connectionStore.shown?.id;

  const isConnectedTo = (id: string): boolean =>
    shownId() === id && stage.parts.connectionStore.state.kind === 'connected';

  /** Creates the key storage of another window of the same user. */
  const otherWindow = (): ApiKeys =>
    new ApiKeys({
      secrets: stage.parts.context.secrets,
      markerFolder: stage.parts.apiKeys['dependencies'].markerFolder,
      environment: {},
    });

  /** Writes the setting as a manual edit or another window would. */
  const write = async (entries: readonly unknown[]): Promise<void> => {
    await stage.settings.update('connections', entries, true);
  };

  const running = (connectionId: string): void => {
    const { transferStore } = stage.parts;
    transferStore.put([transfer('t', { state: 'active' }, { connectionId })]);
  };

  it('are listed with their status, and the chosen one becomes active', async () => {
    const [first, second] = await connectToBoth();
    assert.equal(shownId(), second.id);
    const done = stage.run('dataTransfer.switchConnection');
    const pick = await stage.person.pick();
    assert.deepEqual(pick.labels, ['DTS prototype', 'Other Service', 'Local Service', 'Connect to Another Service…']);
    assert.deepEqual(
      pick.items.map(({ description }) => description),
      [
        `${stage.server.address} · connected in the background`,
        `${stage.other.address} · connected`,
        'folders and stores',
        undefined,
      ],
    );
    pick.choose('DTS prototype');
    await done;
    assert.ok(isConnectedTo(first.id));
    assert.ok(stage.parts.sessions.get(second.id), 'the other one stays open for its transfers');
  });

  it('can be created from the list of connections', async () => {
    const done = stage.run('dataTransfer.switchConnection');
    (await stage.person.pick()).choose('Connect to Another Service…');
    const box = await stage.person.textBox();
    assert.equal(box.prompt, 'Service address');
    box.escape();
    await done;
  });

  it('are distinguished by address if two services have the same name', async () => {
    stage.other.on('GET /', json({ name: 'DTS prototype', version: '1' }));
    await stage.connect('the-key');
    await stage.settings.update('orcid', undefined, true);
    const done = stage.run('dataTransfer.connect');
    (await stage.person.textBox()).enter(stage.other.address);
    (await stage.person.textBox()).enter('other-key');
    const last = await stage.person.textBox();
    assert.match(last.prompt ?? '', /^Found DTS prototype 1, 3 databases\. Your ORCID iD/);
    assert.equal(stage.parts.settings.connections.length, 1, 'nothing is saved before the last answer');
    last.enter(orcid);
    await done;
    assert.deepEqual(
      stage.parts.settings.connections.map(({ name }) => name),
      ['DTS prototype', `DTS prototype (${new URL(stage.other.address).host})`],
    );
  });

  it('are created without asking for a port if the address has a path', async () => {
    const done = stage.run('dataTransfer.connect');
    (await stage.person.textBox()).enter('http://127.0.0.1/dts/');
    const box = await stage.person.textBox();
    assert.equal(box.password, true);
    box.goBack();
    const address = await stage.person.textBox();
    assert.equal(address.value, 'http://127.0.0.1/dts');
    address.enter('http://[::1]');
    const port = await stage.person.textBox();
    assert.match(port.prompt ?? '', /^Port/, 'the colons of an IPv6 address are not a port');
    port.escape();
    await done;
  });

  describe('that are removed', () => {
    it('are deleted with their key, and return to their position with Undo', async () => {
      const [first, second] = await connectToBoth();
      const done = stage.run('dataTransfer.forgetConnection', { kind: 'connection', id: first.id });
      const notice = await stage.person.notice(/^Removed DTS prototype and its saved key\.$/);
      await done;
      const { settings, apiKeys, context, sessions } = stage.parts;
      assert.deepEqual(settings.connections, [second]);
      assert.deepEqual(await keysOfSecrets(context), [`dataTransfer.apiKey.${second.id}`]);
      assert.equal(sessions.get(first.id), undefined);
      assert.ok(isConnectedTo(second.id));
      notice.press('Undo');
      await eventually(async () => (settings.connections.length === 2 ? await Promise.resolve(true) : undefined));
      assert.deepEqual(settings.connections, [first, second]);
      assert.equal(await apiKeys.get(first), 'the-key');
    });

    it('are reconnected by Undo if they were active', async () => {
      const [, second] = await connectToBoth();
      const done = stage.run('dataTransfer.forgetConnection');
      (await stage.person.pick()).choose('Other Service');
      const notice = await stage.person.notice(/^Removed/);
      await done;
      assert.equal(stage.parts.connectionStore.state.kind, 'disconnected');
      notice.press('Undo');
      await until(stage.parts.connectionStore.onDidChange, () => isConnectedTo(second.id));
    });

    it('are removed without a prompt from their row in the tree', async () => {
      const [first] = await connectToBoth();
      await stage.run('dataTransfer.forgetConnection', { kind: 'connection' });
      await stage.person.notice(/^Removed Other Service and its saved key\.$/);
      assert.deepEqual(stage.parts.settings.connections, [first]);
    });

    it('require confirmation while their transfers are running', async () => {
      await stage.connect('the-key');
      const [connection] = stage.parts.settings.connections;
      assert.ok(connection);
      running(connection.id);
      const kept = stage.run('dataTransfer.forgetConnection', { kind: 'connection', id: connection.id });
      const question = await stage.person.notice(/^Remove the DTS prototype connection and its saved key\?$/);
      assert.match(question.detail, /^1 transfer is still running on this service\./);
      question.dismiss();
      await kept;
      assert.deepEqual(stage.parts.settings.connections, [connection]);
      assert.equal(await stage.parts.apiKeys.get(connection), 'the-key');
    });

    it('by another window are closed in this window', async () => {
      const [first, second] = await connectToBoth();
      await write([first]);
      await until(stage.parts.connectionStore.onDidChange, () => shownId() === undefined);
      assert.equal(stage.parts.sessions.get(second.id), undefined);
      assert.equal(await stage.parts.apiKeys.get(second), 'other-key', 'only Remove Connection removes a key');
      await stage.parts.apiKeys.forget(second.id);
    });
  });

  describe('whose key', () => {
    it('is changed by another window are reopened with the new key in this window', async () => {
      await stage.connect('the-key');
      const [connection] = stage.parts.settings.connections;
      assert.ok(connection);
      publicLike(stage.server, 'new-key');
      const { sessions } = stage.parts;
      const before = sessions.active;
      await otherWindow().set(connection, 'new-key');
      await until(sessions.onDidChange, () => sessions.active !== undefined && sessions.active !== before);
      assert.ok(isConnectedTo(connection.id));
      assert.deepEqual(stage.person.notices.length, 1, 'only the one for connecting');
    });

    it('is deleted by another window are closed, with a notification', async () => {
      await stage.connect('the-key');
      const [connection] = stage.parts.settings.connections;
      assert.ok(connection);
      const { connectionStore, sessions } = stage.parts;
      await otherWindow().forget(connection.id);
      await until(connectionStore.onDidChange, () => connectionStore.state.kind === 'failed');
      assert.equal(connectionStore.state.kind === 'failed' && connectionStore.state.reason.kind, 'keyMissing');
      assert.equal(sessions.get(connection.id), undefined);
    });

    it('was lost by the editor stay open, and ask for it with the reason next time', async () => {
      await stage.connect('the-key');
      const [connection] = stage.parts.settings.connections;
      assert.ok(connection);
      await stage.parts.context.secrets.delete(`dataTransfer.apiKey.${connection.id}`);
      assert.ok(isConnectedTo(connection.id));
      await stage.run('dataTransfer.disconnect');
      const done = stage.run('dataTransfer.switchConnection');
      (await stage.person.pick()).choose('DTS prototype');
      const box = await stage.person.textBox();
      assert.match(box.prompt ?? '', /^Could not connect: the saved API key is gone/);
      box.enter('the-key');
      const notice = await stage.person.notice(/^This editor doesn't store secrets/);
      await done;
      assert.deepEqual(notice.buttons, ['Use an Environment Variable']);
    });

    it('is in an environment variable are opened with it, without a prompt', async () => {
      process.env['DTS_TEST_KEY'] = 'the-key';
      const entry = { id: 'v', name: 'By Variable', server: stage.server.address, apiKeyVariable: 'DTS_TEST_KEY' };
      await write([entry]);
      const done = stage.run('dataTransfer.switchConnection');
      (await stage.person.pick()).choose('By Variable');
      await done;
      delete process.env['DTS_TEST_KEY'];
      assert.ok(isConnectedTo('v'));
      assert.deepEqual(await keysOfSecrets(stage.parts.context), []);
    });

    it('cannot be saved can use an environment variable, which is tested first', async () => {
      await stage.connect('the-key');
      const [connection] = stage.parts.settings.connections;
      assert.ok(connection);
      await stage.parts.context.secrets.delete(`dataTransfer.apiKey.${connection.id}`);
      await stage.run('dataTransfer.disconnect');
      const again = stage.run('dataTransfer.switchConnection');
      (await stage.person.pick()).choose('DTS prototype');
      (await stage.person.textBox()).enter('the-key');
      (await stage.person.notice(/^This editor doesn't store secrets/)).press('Use an Environment Variable');
      await again;
      process.env['DTS_TEST_KEY'] = 'wrong';
      const box = await stage.person.textBox();
      box.enter('the key');
      assert.match(await box.complaint(), /^The name can contain only letters/);
      box.enter('DTS_TEST_KEY');
      assert.equal(
        await box.complaint(),
        'Could not connect: the service rejected the API key: KBase Auth error: 401.',
      );
      process.env['DTS_TEST_KEY'] = 'the-key';
      box.enter('DTS_TEST_KEY');
      const { settings } = stage.parts;
      await eventually(async () => await Promise.resolve(settings.connections[0]?.apiKeyVariable));
      delete process.env['DTS_TEST_KEY'];
      assert.equal(settings.connections[0]?.apiKeyVariable, 'DTS_TEST_KEY');
    });
  });

  it('of another machine are reported with its name, and not contacted from this one (D30)', async () => {
    await stage.run('dataTransfer.refreshDatabases', { kind: 'connection', id: 'local@hpc-login2' });
    const { message } = await stage.person.notice();
    assert.equal(
      message,
      'Local Service on hpc-login2 can only be reached from its own machine. Open a window on that machine.',
    );
  });

  it('are listed in diagnostics without keys, paths or any part of the address except the host', async () => {
    await connectToBoth();
    const entry = { id: 'p', name: 'Secret Project', server: 'https://p.example.org/way/to?x=1', port: 99 };
    await write([...stage.parts.settings.connections, entry]);
    await stage.settings.update('search.pageSize', 7, true);
    stage.parts.recentProblems.error('Could not ask https://p.example.org/way/to/it?token=abc with the-key of /home');
    stage.parts.recentProblems.error("invalid ORCID '0000-0001-5109-3700'");
    await stage.run('dataTransfer.copyDiagnostics');
    const text = await env.clipboard.readText();
    assert.match(text, /^Data Transfer Explorer, diagnostics\n\n```text\nVersions:\n/);
    assert.match(text, /1\. http:\/\/127\.0\.0\.1:\d+; open: DTS prototype 0\.12\.1; key: saved/);
    assert.match(text, /2\. http:\/\/127\.0\.0\.1:\d+; shown; open: Other Service 2\.0; key: saved/);
    assert.match(text, /3\. .*not open; key: keyMissing/);
    assert.match(text, /dataTransfer\.search\.pageSize: 7/);
    assert.match(text, /dataTransfer\.connections: 3 entries/);
    assert.match(text, /dataTransfer\.orcid: set/);
    assert.match(text, /error: Could not ask https:\/\/p\.example\.org with \[redacted\]/);
    assert.match(text, /\n```\n$/);
    assert.doesNotMatch(text, /\b(?:\d{4}-){3}\d{4}\b/);
    for (const secret of ['the-key', 'other-key', 'way/to', 'token=abc', 'Secret Project']) {
      assert.ok(!text.includes(secret), secret);
    }
  });
});
