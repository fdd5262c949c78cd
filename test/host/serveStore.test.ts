import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { window } from 'vscode';
import { until } from '../unit/core/rig.ts';
import { Stage } from './stage.ts';

describe('Serving a store as a database (D62)', () => {
  let stage: Stage;
  let root: string;
  let bucket: string;
  let name: string;
  const config = process.env['RCLONE_CONFIG'];

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'serve-store-'));
    // The name is unique, because the service stores the names and listings of stores.
    bucket = basename(root);
    name = `Lab ${bucket}`;
    const folder = join(root, 'store', bucket);
    await mkdir(join(folder, 'deep'), { recursive: true });
    await writeFile(join(folder, 'a.txt'), 'a');
    await writeFile(join(folder, 'deep', 'b.txt'), 'b');
    process.env['RCLONE_CONFIG'] = join(root, 'rclone.conf');
    const remotes = ['[lab]', 'type = alias', `remote = ${join(root, 'store')}`, '[gone]', 'type = alias'];
    await writeFile(join(root, 'rclone.conf'), [...remotes, `remote = ${join(root, 'gone')}`, ''].join('\n'));
    stage = await Stage.openWithOrcid();
  });
  afterEach(async () => {
    await stage.settings.update('rclone.path', undefined, true);
    await stage.close();
    if (config === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = config;
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  });

  const listing = () => stage.parts.connectionStore.findDatabase(name)?.listing;

  const serve = async (): Promise<void> => {
    const done = stage.run('dataTransfer.serveStore');
    (await stage.person.pick()).choose('lab:');
    (await stage.person.pick()).choose(bucket);
    (await stage.person.pick()).choose(`Serve lab:${bucket}`);
    const box = await stage.person.textBox();
    assert.equal(box.prompt, `Database name for lab:${bucket} (1 folder, 1 file)`);
    assert.equal(box.value, bucket);
    box.enter(name);
    await done;
  };

  it('browses a remote, saves the store and shows it after its first scan', async () => {
    await serve();
    assert.deepEqual(stage.parts.settings.servedLocations, [{ name, remote: `lab:${bucket}` }]);
    await until(stage.parts.connectionStore.onDidChange, () => listing()?.state === 'listed');
    assert.equal(listing()?.files, 2);
    assert.equal((await stage.search(name, 'b')).files.length, 1);
  });

  it('scans a store again on request, and stops serving it', async () => {
    await serve();
    await until(stage.parts.connectionStore.onDidChange, () => listing()?.state === 'listed');
    await writeFile(join(root, 'store', bucket, 'c.txt'), 'c');
    await stage.run('dataTransfer.scanStore', { kind: 'database', name });
    await until(stage.parts.connectionStore.onDidChange, () => listing()?.files === 3);
    await stage.run('dataTransfer.stopServing', { kind: 'database', name });
    assert.deepEqual(stage.parts.settings.servedLocations, []);
  });

  it('reads the scan interval from the settings, and ignores an invalid one', async () => {
    const entries = [{ rescanMinutes: 5 }, { rescanMinutes: 0 }, { rescanMinutes: 'often' }];
    const databases = entries.map((entry, index) => ({ name: `Lab ${index}`, remote: 'lab:', ...entry }));
    await stage.settings.update('localService.databases', databases, true);
    assert.deepEqual(stage.parts.settings.servedLocations, [
      { name: 'Lab 0', remote: 'lab:', rescanMinutes: 5 },
      { name: 'Lab 1', remote: 'lab:' },
      { name: 'Lab 2', remote: 'lab:' },
    ]);
  });

  it('reads the bandwidth limit from the settings, and ignores an invalid one', async () => {
    for (const [text, limit] of [
      ['10M', 10_485_760],
      ['fast', undefined],
      ['', undefined],
    ] as const) {
      await stage.settings.update('rclone.bandwidth', text, true);
      assert.equal(stage.parts.settings.storeBytesPerSecond, limit, text);
    }
  });

  it('reports a store that is already served', async () => {
    await stage.parts.settings.saveServedLocation({ name: 'Mine', remote: 'lab:' });
    const done = stage.run('dataTransfer.serveStore');
    (await stage.person.pick()).choose('lab:');
    (await stage.person.pick()).choose('Serve lab:');
    await done;
    assert.equal((await stage.person.notice()).message, 'lab: is already served as Mine.');
  });

  it('explains why a store cannot be listed, and offers to add one', async () => {
    const done = stage.run('dataTransfer.serveStore');
    (await stage.person.pick()).choose('gone:');
    const { message, buttons } = await stage.person.notice();
    assert.equal(message, "Could not list gone: (its folder or bucket doesn't exist)");
    assert.deepEqual(buttons, ['Add a Store…', 'Show Log']);
    await done;
    assert.deepEqual(stage.parts.settings.servedLocations, []);
  });

  it('rejects a connection string in the settings without repeating it', async () => {
    await stage.run('dataTransfer.startLocalService');
    const entry = { name: 'Bad', remote: ":sftp,ssh='touch /tmp/x',pass=planted:" };
    for (const [more, reason] of [
      [{}, 'remote must be the name of an rclone remote'],
      [{ restore: { days: 0 } }, 'restore.days must be '],
    ] as const) {
      await stage.settings.update('localService.databases', [{ ...entry, ...more }], true);
      const { message } = await stage.person.notice();
      assert.ok(message.includes(`your settings: Bad: ${reason}`), message);
      assert.doesNotMatch(message, /planted/);
    }
  });

  it('reports an invalid permission to restore archived files in the settings (D67)', async () => {
    await stage.run('dataTransfer.startLocalService');
    const entry = { name: 'Lab', remote: 'lab:', restore: { days: 0 } };
    await stage.settings.update('localService.databases', [entry], true);
    const { message } = await stage.person.notice();
    assert.match(message, /your settings: Lab \(lab:\): restore\.days must be /);
    await stage.settings.update('localService.databases', [{ ...entry, restore: { days: 7 } }], true);
    await until(stage.parts.connectionStore.onDidChange, () =>
      stage.parts.connectionStore.listing.databases.some(({ name }) => name === 'Lab'),
    );
  });

  it('opens the configuration of rclone in a terminal to add a store', async () => {
    const before = window.terminals.length;
    await stage.run('dataTransfer.addStore');
    assert.equal(window.terminals.length, before + 1);
    for (const terminal of window.terminals) terminal.dispose();
  });

  it('explains how to install rclone if there is none at the path in the settings', async () => {
    await stage.settings.update('rclone.path', join(root, 'no-rclone'), true);
    await stage.run('dataTransfer.serveStore');
    const { message, buttons } = await stage.person.notice();
    assert.match(message, /^rclone wasn't found at .*no-rclone\. Check the dataTransfer\.rclone\.path setting\.$/);
    assert.deepEqual(buttons, ['Installation Guide', 'Set Path']);
  });
});
