import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiKeys } from '../../../src/host/apiKeys.ts';
import { SecretDrawer } from '../../support/secretDrawer.ts';

describe('The keys of connections', () => {
  const connection = { id: 'c', name: 'C', server: 'https://dts.example.org' };
  const withVariable = { ...connection, apiKeyVariable: 'DTS_KEY' };
  let folder: string;
  let drawer: SecretDrawer;
  let environment: Record<string, string>;
  let keys: ApiKeys;

  const newWindow = (): ApiKeys => new ApiKeys({ secrets: drawer, markFolder: join(folder, 'marks'), environment });

  const reasonOf = async (of: ApiKeys, one = connection): Promise<string | undefined> =>
    (await of.find(one)).reason?.kind;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keys-'));
    drawer = new SecretDrawer();
    environment = {};
    keys = newWindow();
  });
  afterEach(async () => {
    keys.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('are missing where none was ever saved, and gone where the editor has lost one', async () => {
    assert.equal(await reasonOf(keys), 'keyMissing');
    assert.equal(await keys.set(connection, 'the-key'), true);
    assert.deepEqual(await keys.find(connection), { key: 'the-key' });
    drawer.lose();
    assert.equal(await reasonOf(keys), 'keyGone');
    assert.equal(await reasonOf(newWindow()), 'keyGone');
  });

  it('are missing, not gone, once they were forgotten', async () => {
    await keys.set(connection, 'the-key');
    await keys.forget('c');
    assert.equal(await reasonOf(keys), 'keyMissing');
    assert.deepEqual(await readdir(join(folder, 'marks')), []);
  });

  it('tell whether the editor has kept them', async () => {
    drawer.isLeaky = true;
    assert.equal(await keys.set(connection, 'the-key'), false);
    assert.equal(await reasonOf(keys), 'keyGone');
  });

  it('leave no trace of themselves in the marks', async () => {
    await keys.set(connection, 'the-key');
    const [mark = ''] = await readdir(join(folder, 'marks'));
    assert.match(mark, /^[\da-f]{32}$/);
  });

  it('are kept where the marks cannot be written', async () => {
    const elsewhere = new ApiKeys({ secrets: drawer, markFolder: '/dev/null/marks', environment });
    assert.equal(await elsewhere.set(connection, 'the-key'), true);
  });

  it('go to no other address than the one they were given for', async () => {
    await keys.set(connection, 'the-key');
    assert.equal(await reasonOf(keys, { ...connection, server: 'https://other.example.org' }), 'keyElsewhere');
    assert.equal(await keys.get({ ...connection, server: `${connection.server}/path` }), 'the-key');
  });

  describe('in the environment', () => {
    it('are used instead of a saved one, where the variable is set', async () => {
      await keys.set(connection, 'the-key');
      environment['DTS_KEY'] = ' of-the-environment\n';
      assert.equal(await keys.get(withVariable), 'of-the-environment');
      assert.equal(await keys.get(connection), 'the-key');
      assert.equal(keys.isFromEnvironment(withVariable), true);
    });

    it('give way to a saved one, where the variable is not set', async () => {
      assert.deepEqual(await keys.find(withVariable), { reason: { kind: 'variableEmpty', detail: 'DTS_KEY' } });
      environment['DTS_KEY'] = '';
      await keys.set(connection, 'the-key');
      assert.equal(await keys.get(withVariable), 'the-key');
      assert.equal(keys.isFromEnvironment(withVariable), false);
    });
  });

  describe('of two windows', () => {
    let other: ApiKeys;
    beforeEach(async () => {
      other = newWindow();
      await keys.set(connection, 'the-key');
      await other.get(connection);
    });
    afterEach(() => other.dispose());

    it('are seen to change in the other one', async () => {
      assert.equal(await other.compare(connection), undefined);
      await keys.set(connection, 'another');
      assert.equal(await other.compare(connection), 'changed');
      assert.equal(await other.compare(connection), undefined, 'once');
      assert.equal(await keys.compare(connection), undefined, 'who changed it knows');
    });

    it('are seen to be forgotten in the other one', async () => {
      await keys.forget('c');
      assert.equal(await other.compare(connection), 'forgotten');
      assert.equal(await other.compare(connection), undefined, 'once');
    });

    it('are seen to change and to be forgotten also where the editor reads secrets only once', async () => {
      const cached = new SecretDrawer();
      const stale = new ApiKeys({ secrets: cached, markFolder: join(folder, 'marks'), environment });
      await cached.store('dataTransfer.apiKey.c', (await drawer.get('dataTransfer.apiKey.c')) ?? '');
      assert.equal(await stale.get(connection), 'the-key');
      await keys.set(connection, 'another');
      assert.equal(await stale.compare(connection), 'unreadable');
      assert.equal(await stale.compare(connection), undefined, 'once');
      await keys.forget('c');
      assert.equal(await stale.compare(connection), 'forgotten');
      stale.dispose();
    });

    it('are not taken for forgotten when only the editor has lost them', async () => {
      drawer.lose();
      assert.equal(await other.compare(connection), undefined);
    });

    it('are told of by the id of the connection, where the editor tells', async () => {
      const heard: string[] = [];
      other.onDidChange((id) => heard.push(id));
      await keys.set(connection, 'another');
      await drawer.store('of.something.else', 'x');
      assert.deepEqual(heard, ['c']);
    });
  });
});
