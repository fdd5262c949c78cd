import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uri } from 'vscode';
import { userDataFormat } from '../../src/core/userData/userData.ts';
import type { ScriptedPick } from '../support/scriptedInputs.ts';
import { hostileTransfer, createRecord } from '../unit/core/userDataSpecimens.ts';
import { eventually } from '../support/eventually.ts';
import { problem } from '../support/faultBehaviors.ts';
import { until } from '../unit/core/rig.ts';
import { assertPlain, hostileTexts } from './specimens.ts';
import { ledgerFolder, orcid, Stage } from './stage.ts';

const connection = { id: 'kbase', name: 'KBase', server: 'https://dts.example.org' };
const finishedRow = '2 finished transfers';
const finished = [createRecord(1), createRecord(2, { state: 'failed' })];
const active = createRecord(3, { state: 'active' });

describe('Data for another machine (D65)', () => {
  let stage: Stage;
  let folder: string;
  let file: string;
  const config = process.env['RCLONE_CONFIG'];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'moving-host-'));
    file = join(folder, 'moved.json');
    process.env['RCLONE_CONFIG'] = join(folder, 'rclone.conf');
    await writeFile(join(folder, 'rclone.conf'), `[lab]\ntype = alias\nremote = ${folder}\n`);
    stage = await Stage.open();
  });
  afterEach(async () => {
    await stage.close();
    if (config === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = config;
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  });

  const writeUserData = async (content: object): Promise<void> =>
    await writeFile(file, JSON.stringify({ format: userDataFormat, version: 1, ...content }, undefined, 1));

  const startImport = async (): Promise<void> => {
    const done = stage.run('dataTransfer.importUserData');
    (await stage.person.folderDialog()).choose(Uri.file(file));
    await done;
  };

  /** Imports the rows that `choose` selects in a list. Resolves to the list. */
  const importChosen = async (choose: (pick: ScriptedPick) => void): Promise<ScriptedPick> => {
    const done = startImport();
    const pick = await stage.person.pick();
    choose(pick);
    await done;
    return pick;
  };

  const exportAll = async (): Promise<void> => {
    const done = stage.run('dataTransfer.exportUserData');
    (await stage.person.saveDialog()).choose(Uri.file(file));
    await done;
  };
  const checked = (pick: ScriptedPick): readonly string[] => pick.selectedItems.map(({ label }) => label);
  const getDetail = (pick: ScriptedPick, label: string): string =>
    pick.items.find((item) => item.label === label)?.detail ?? '';
  const shownKeys = (): readonly string[] =>
    stage.parts.transferStore
      .getAll()
      .map(({ key }) => key)
      .toSorted();

  it('is exported to a file without keys, and imported on a machine that lacks it', async () => {
    await stage.connectToPublic();
    for (const transfer of [...finished, active]) await stage.parts.transferFlow.save(transfer);
    await stage.parts.settings.saveServedLocation({ name: 'Archive', folder });
    await exportAll();
    await stage.person.notice(
      /^Exported 3 transfers, 1 connection, 1 served database, your ORCID iD\. The file contains no API keys\.$/,
    );
    assert.doesNotMatch(await readFile(file, 'utf8'), /the-key/);
    const [saved] = stage.parts.settings.connections;
    await stage.close();

    stage = await Stage.open();
    assert.deepEqual([shownKeys(), stage.parts.settings.connections, stage.parts.settings.orcid], [[], [], '']);
    const pick = await importChosen((list) => {
      assert.deepEqual(checked(list), [finishedRow, 'DTS prototype', 'Archive', 'ORCID iD']);
      list.accept();
    });
    assert.deepEqual(pick.labels, [finishedRow, '1 unfinished transfer', 'DTS prototype', 'Archive', 'ORCID iD']);
    const notice = await stage.person.notice(
      /^Imported 2 transfers, 1 connection, 1 served database, your ORCID iD\.$/,
    );
    assert.deepEqual(notice.buttons, ['Set API Key…']);
    await stage.parts.transferFlow.loadFinished();
    assert.deepEqual(
      shownKeys(),
      finished.map(({ key }) => key),
    );
    assert.deepEqual(stage.parts.settings.connections, [saved]);
    assert.deepEqual(stage.parts.settings.servedLocations, [{ name: 'Archive', folder }]);
    assert.equal(stage.parts.settings.orcid, orcid);
    notice.press('Set API Key…');
    assert.match((await stage.person.textBox()).text, /Developer token/);
  });

  it('is reported as left out if a later version of the extension has a record of a transfer', async () => {
    const removed = join(ledgerFolder, 'removed');
    await mkdir(removed, { recursive: true });
    await writeFile(join(removed, `${createRecord(1).key}.json`), '{"version":2}');
    await writeUserData({ transfers: finished });
    await importChosen((list) => list.accept());
    const notice = await stage.person.notice(/^Imported/);
    const leftOut = '1 transfer was left out because this machine already has a record of it.';
    assert.equal(notice.message, `Imported 1 transfer. ${leftOut}`);
    await importChosen((list) => list.accept());
    assert.equal((await stage.person.notice(/^1 transfer was/)).message, leftOut);
  });

  it('reports that there is nothing to import', async () => {
    await stage.parts.transferFlow.save(createRecord(1));
    await exportAll();
    await startImport();
    await stage.person.notice(/^Nothing to import from moved\.json: its entries are already on this machine or /);
  });

  it('shows an unfinished transfer after the user imports it, without resubmitting it (D12)', async () => {
    const unconfirmed = createRecord(4, { state: 'notConfirmed', id: undefined });
    await writeUserData({ transfers: [active, unconfirmed] });
    const pick = await importChosen((list) => {
      assert.deepEqual(checked(list), []);
      list.choose('2 unfinished transfers');
    });
    assert.match(getDetail(pick, '2 unfinished transfers'), /Nothing will be submitted again\.$/);
    const { transferStore } = stage.parts;
    await until(transferStore.onDidChange, () => shownKeys().length === 2);
    assert.deepEqual([shownKeys(), transferStore.getNotConfirmed().length], [[active.key, unconfirmed.key], 1]);
    assert.equal(stage.server.requestsTo('POST /api/v1/transfers').length, 0);
  });

  it('is imported even if the service of an imported transfer cannot be reached', async () => {
    const saved = { ...connection, server: stage.server.address };
    await stage.parts.settings.saveConnection(saved);
    await stage.parts.apiKeys.set(saved, 'the-key');
    stage.server.on('GET /', problem(503, 'Down for maintenance'));
    await writeUserData({ transfers: finished });
    await importChosen((list) => list.accept());
    await stage.person.notice(/^Imported 2 transfers\.$/);
    await eventually(async () => await Promise.resolve(stage.server.requests.length > 0 || undefined));
    stage.parts.connectFlow.close(saved.id);
  });

  it('replaces nothing that the user has not selected', async () => {
    const { settings, transferFlow } = stage.parts;
    await settings.saveConnection(connection);
    await settings.saveServedLocation({ name: 'Archive', folder });
    await settings.saveOrcid(orcid);
    await transferFlow.save(createRecord(1, { state: 'active', changes: [{ state: 'active', at: 1 }], createdAt: 1 }));
    const content = {
      orcid: '0000-0001-5109-3700',
      connections: [{ ...connection, name: 'Other', apiKeyVariable: 'DTS_KEY' }],
      databases: [{ name: 'Renamed', folder, readOnly: true }],
      transfers: [createRecord(1)],
    };
    await writeUserData(content);
    const labels = [
      '1 transfer with a different status',
      'Other',
      'Environment variable DTS_KEY',
      'Renamed',
      'ORCID iD',
    ];
    const before = [settings.connections, settings.servedLocations, settings.orcid];
    const pick = await importChosen((list) => list.escape());
    assert.deepEqual([pick.labels, checked(pick)], [labels, []]);
    assert.deepEqual([settings.connections, settings.servedLocations, settings.orcid], before);
    assert.equal(getDetail(pick, 'Other'), 'Replaces KBase (https://dts.example.org) on this machine.');
    assert.equal(getDetail(pick, 'Environment variable DTS_KEY'), 'Its value will be sent to https://dts.example.org.');
    assert.equal(getDetail(pick, 'Renamed'), 'Replaces Archive on this machine.');
    assert.equal(getDetail(pick, 'ORCID iD'), `Replaces ${orcid}.`);

    await importChosen((list) => list.choose(...labels));
    assert.deepEqual(settings.connections, [{ ...connection, name: 'Other', apiKeyVariable: 'DTS_KEY' }]);
    assert.deepEqual(settings.servedLocations, [{ name: 'Renamed', folder, readOnly: true }]);
    assert.equal(settings.orcid, '0000-0001-5109-3700');
    const { transferStore } = stage.parts;
    await until(transferStore.onDidChange, () => transferStore.get(createRecord(1).key)?.state === 'succeeded');
  });

  it('offers missing folders and stores, without adding them silently', async () => {
    const here = join(folder, 'here');
    await mkdir(here);
    await writeUserData({
      databases: [
        { name: 'Received Files', folder: join(here, '..', 'here') },
        { name: 'Gone', folder: join(folder, 'gone') },
        { name: 'Elsewhere', folder: String.raw`C:\data` },
        { name: 'Lab', remote: 'lab:bucket' },
        { name: 'Cluster', remote: 'cluster:' },
        { name: 'Root', folder: '/' },
      ],
    });
    const pick = await importChosen((list) => {
      assert.deepEqual(list.labels, ['Received Files (2)', 'Gone', 'Elsewhere', 'Lab', 'Cluster']);
      assert.deepEqual(checked(list), ['Received Files (2)', 'Lab']);
      list.accept();
    });
    for (const name of ['Gone', 'Elsewhere'])
      assert.equal(getDetail(pick, name), "This folder doesn't exist on this machine.");
    assert.equal(getDetail(pick, 'Cluster'), 'No rclone remote named “cluster” on this machine.');
    assert.deepEqual(stage.parts.settings.servedLocations, [
      { name: 'Received Files (2)', folder: here },
      { name: 'Lab', remote: 'lab:bucket' },
    ]);
  });

  it('does not change the permission to restore archived files on this machine (D67)', async () => {
    const { settings } = stage.parts;
    const restores = [{ restore: { days: 3 } }, {}];
    for (const [index, restore] of restores.entries())
      await settings.saveServedLocation({ name: `Lab ${index}`, remote: `lab:${index}`, ...restore });
    const entries = restores.map((_, index) => ({
      name: `New ${index}`,
      remote: `lab:${index}`,
      restore: { days: 9 },
    }));
    await writeUserData({ databases: entries });
    await importChosen((list) => list.choose('New 0', 'New 1'));
    assert.deepEqual(settings.servedLocations, [
      { name: 'New 0', remote: 'lab:0', restore: { days: 3 } },
      { name: 'New 1', remote: 'lab:1' },
    ]);
  });

  it('reports the line of a suspected key, and opens it', async () => {
    await writeUserData({ connections: [{ ...connection, apiKey: 'a-made-up-key' }], transfers: [{}] });
    const pick = importChosen((list) => list.accept());
    const notice = await stage.person.notice(
      /^moved\.json contains what looks like an API key or a password on line 9\./,
    );
    await pick;
    assert.deepEqual(stage.parts.settings.connections, [connection]);
    const report = await stage.person.notice(/^Imported/);
    assert.equal(report.message, 'Imported 1 connection. 1 invalid entry was left out (line 13).');
    notice.press('Open');
    await stage.tab('moved.json');
    await stage.closePages();
    assert.doesNotMatch(stage.person.everythingShown, /a-made-up-key/);
  });

  for (const [name, text, message] of [
    ['broken JSON', '{\n"format": ', /^moved\.json isn't valid JSON \(line 2, column 11\)\.$/],
    ['another file', '{"transfers": []}', /^moved\.json wasn't created with "Export Data for Another Machine…"\.$/],
    [
      'a later version',
      JSON.stringify({ format: userDataFormat, version: 2 }),
      /^moved\.json was written by a later version of the extension\. Update/,
    ],
  ] as const) {
    it(`rejects ${name}`, async () => {
      await writeFile(file, text);
      await startImport();
      const notice = await stage.person.notice();
      assert.match(notice.message, message);
    });
  }

  it('rejects a file that is too large without reading it', async () => {
    await writeFile(file, '');
    await truncate(file, 300_000_000);
    await startImport();
    await stage.person.notice(/^Could not read moved\.json: the file is larger than 256 MB$/);
  });

  it('shows hostile strings as plain text, and imports them as data (D53)', async () => {
    const texts = Object.values(hostileTexts).map((text) => text.slice(0, 900));
    const connections = texts.map((name, index) => ({ ...connection, id: `c${String(index)}`, name: `A${name}` }));
    await writeUserData({
      connections: connections.map((one, index) => ({ ...one, port: index + 1 })),
      transfers: [hostileTransfer],
    });
    const pick = await importChosen((list) => list.escape());
    assert.equal(pick.items.length, texts.length + 1);
    for (const { label, description, detail } of pick.items) {
      for (const text of [label, description ?? '', detail ?? '']) assertPlain(text, 'a row');
      assert.doesNotMatch(label, /\$\(|\]\(/);
    }
  });

  it('reports a file that cannot be written, and leaves nothing behind', async () => {
    await stage.parts.transferFlow.save(createRecord(1));
    const taken = join(folder, 'taken.json');
    await mkdir(taken);
    const done = stage.run('dataTransfer.exportUserData');
    (await stage.person.saveDialog()).choose(Uri.file(taken));
    await done;
    await stage.person.notice(/^Could not write taken\.json: /);
    assert.deepEqual((await readdir(folder)).sort(), ['rclone.conf', 'taken.json']);
  });
});
