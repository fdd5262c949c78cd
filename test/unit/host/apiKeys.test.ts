import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiKeys } from '../../../src/extension/editor/apiKeys.ts';
import { LossySecretStorage } from '../../support/lossySecretStorage.ts';

describe('API keys', () => {
  const connection = { id: 'c', name: 'C', server: 'https://dts.example.org' };
  const withVariable = { ...connection, apiKeyVariable: 'DTS_KEY' };
  let folder: string;
  let secrets: LossySecretStorage;
  let environment: Record<string, string>;
  let keys: ApiKeys;

  const newWindow = (): ApiKeys => new ApiKeys({ secrets, markerFolder: join(folder, 'marks'), environment });

  const readReason = async (of: ApiKeys, one = connection): Promise<string | undefined> =>
    (await of.find(one)).reason?.kind;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keys-'));
    secrets = new LossySecretStorage();
    environment = {};
    keys = newWindow();
  });
  afterEach(async () => {
    keys.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('are missing if none was saved, and gone if the editor has lost one', async () => {
    assert.equal(await readReason(keys), 'keyMissing');
    assert.equal(await keys.set(connection, 'the-key'), true);
    assert.deepEqual(await keys.find(connection), { key: 'the-key' });
    secrets.loseAll();
    assert.equal(await readReason(keys), 'keyGone');
    assert.equal(await readReason(newWindow()), 'keyGone');
  });

  it('are missing, not gone, after they were deleted', async () => {
    await keys.set(connection, 'the-key');
    await keys.forget('c');
    assert.equal(await readReason(keys), 'keyMissing');
    assert.deepEqual(await readdir(join(folder, 'marks')), []);
  });

  it('report that the editor has not stored them', async () => {
    secrets.isLeaky = true;
    assert.equal(await keys.set(connection, 'the-key'), false);
    assert.equal(await readReason(keys), 'keyGone');
  });

  it('are not in the marker files', async () => {
    await keys.set(connection, 'the-key');
    const [marker = ''] = await readdir(join(folder, 'marks'));
    assert.match(marker, /^[\da-f]{32}$/);
  });

  it('are stored even if the marker files cannot be written', async () => {
    const elsewhere = new ApiKeys({ secrets, markerFolder: '/dev/null/marks', environment });
    assert.equal(await elsewhere.set(connection, 'the-key'), true);
  });

  it('are bound to the address that they were saved for', async () => {
    await keys.set(connection, 'the-key');
    assert.equal(await readReason(keys, { ...connection, server: 'https://other.example.org' }), 'keyElsewhere');
    assert.equal(await keys.get({ ...connection, server: `${connection.server}/path` }), 'the-key');
  });

  describe('in the environment', () => {
    it('replace a saved key if the variable is set', async () => {
      await keys.set(connection, 'the-key');
      environment['DTS_KEY'] = ' of-the-environment\n';
      assert.equal(await keys.get(withVariable), 'of-the-environment');
      assert.equal(await keys.get(connection), 'the-key');
      assert.equal(keys.isFromEnvironment(withVariable), true);
    });

    it('are ignored in favor of a saved key if the variable is not set', async () => {
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

    /** Opens a window that doesn't receive the changes to the secrets. */
    const openStaleWindow = async (): Promise<ApiKeys> => {
      const cached = new LossySecretStorage();
      const stale = new ApiKeys({ secrets: cached, markerFolder: join(folder, 'marks'), environment });
      await cached.store('dataTransfer.apiKey.c', (await secrets.get('dataTransfer.apiKey.c')) ?? '');
      assert.equal(await stale.get(connection), 'the-key');
      return stale;
    };

    it('are noticed as changed in the other window', async () => {
      assert.equal(await other.compare(connection), undefined);
      await keys.set(connection, 'another');
      assert.equal(await other.compare(connection), 'changed');
      assert.equal(await other.compare(connection), undefined, 'once');
      assert.equal(await keys.compare(connection), undefined, 'who changed it knows');
    });

    it('are noticed as deleted in the other window', async () => {
      await keys.forget('c');
      assert.equal(await other.compare(connection), 'forgotten');
      assert.equal(await other.compare(connection), undefined, 'once');
    });

    it('are noticed as changed and deleted if the editor reads secrets only once', async () => {
      const stale = await openStaleWindow();
      await keys.set(connection, 'another');
      assert.equal(await stale.compare(connection), 'unreadable');
      assert.equal(await stale.compare(connection), undefined, 'once');
      await keys.forget('c');
      assert.equal(await stale.compare(connection), 'forgotten');
      stale.dispose();
    });

    it('are not reported as changed if the same key was saved again', async () => {
      const stale = await openStaleWindow();
      await keys.set(connection, 'the-key');
      assert.equal(await stale.compare(connection), undefined);
      stale.dispose();
    });

    it('are noticed as changed if a window restores the key from before a change that it missed', async () => {
      const stale = await openStaleWindow();
      await keys.set(connection, 'another');
      assert.equal(await stale.compare(connection), 'unreadable');
      await stale.set(connection, 'the-key');
      assert.equal(await keys.compare(connection), 'unreadable');
      stale.dispose();
    });

    it('are noticed as changed if a window with an outdated key reads it late and saves it again', async () => {
      const cached = new LossySecretStorage();
      await cached.store('dataTransfer.apiKey.c', (await secrets.get('dataTransfer.apiKey.c')) ?? '');
      await keys.set(connection, 'another');
      const late = new ApiKeys({ secrets: cached, markerFolder: join(folder, 'marks'), environment });
      assert.equal(await late.get(connection), 'the-key');
      await late.set(connection, 'the-key');
      assert.equal(await keys.compare(connection), 'unreadable');
      late.dispose();
    });

    it('are not reported as deleted when the editor has lost them', async () => {
      secrets.loseAll();
      assert.equal(await other.compare(connection), undefined);
    });

    it('are reported by the ID of the connection if the editor reports changes', async () => {
      const reported: string[] = [];
      other.onDidChange((id) => reported.push(id));
      await keys.set(connection, 'another');
      await secrets.store('of.something.else', 'x');
      assert.deepEqual(reported, ['c']);
    });
  });
});
