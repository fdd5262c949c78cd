import assert from 'node:assert/strict';
import { env, Uri } from 'vscode';
import type { FileNode } from '../../src/extension/editor/contributions.ts';
import { problem } from '../support/faultBehaviors.ts';
import { publicLike, type PublicState } from '../support/faultPersonality.ts';
import { FaultServer } from '../support/faultServer.ts';
import { orcid, Stage, extensionId } from './stage.ts';

const key = 'the-key';
const jgi = 'JGI Data Portal';
const kss = 'KBase Workspace Service (KSS)';
const id = '123e4567-e89b-42d3-a456-426614174000';

describe('Links', () => {
  let stage: Stage;
  let service: PublicState;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    service = stage.service;
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
  });

  const copyLink = async (argument: Parameters<typeof stage.run<'dataTransfer.copyLink'>>[1]): Promise<Uri> => {
    await stage.run('dataTransfer.copyLink', argument);
    assert.equal(stage.person.statusMessages.at(-1), 'Copied the link.');
    return Uri.parse(await env.clipboard.readText(), true);
  };

  const makeLink = (kind: string, fields: object): Uri =>
    Uri.parse(`${env.uriScheme}://${extensionId}/${kind}?${encodeURIComponent(JSON.stringify(fields))}`, true);

  it('open a search after a confirmation that states what is sent', async () => {
    const search = await stage.search(jgi, 'JDP:00000');
    const link = await copyLink({ kind: 'search', key: search.key });
    assert.equal(link.scheme, env.uriScheme);
    assert.equal(link.authority, extensionId);
    assert.ok(!link.toString().includes(key));
    stage.parts.searchFlow.dismiss([search.key]);
    const sent = stage.server.requests.length;
    const done = stage.parts.openLink(link);
    const notice = await stage.person.notice(/^Open the search/);
    assert.equal(notice.isModal, true);
    assert.match(
      notice.detail,
      /^Database: JGI Data Portal\nSearch: “JDP:00000”\n\nThe search hasn't been sent yet\./m,
    );
    assert.equal(notice.detail.split(stage.server.address).length, 2, 'the address, once');
    assert.equal(stage.server.requests.length, sent);
    notice.press('Search');
    await done;
    assert.deepEqual(stage.parts.searchStore.getAll()[0]?.query, search.query);
  });

  it('are marked in the confirmation if they contain more than it shows', async () => {
    const long = 'x'.repeat(400);
    for (const [kind, fields, ids] of [
      ['search', { database: jgi, query: `harmless ${long}` }],
      ['search', { database: jgi, query: '', specific: { words: long } }],
      ['search', { database: jgi, query: 'words that are not sent' }, ['JDP:000001']],
      ['search', { database: long, query: '' }],
      ['file', { database: jgi, id: long, name: 'a.csv' }],
    ] as const) {
      const done = stage.parts.openLink(makeLink(kind, { service: stage.server.address, ...fields, ids }));
      const notice = await stage.person.notice(/^Open the (?:search|file)/);
      assert.match(notice.detail, /^The link contains more than is shown here\.\n\n/m, JSON.stringify(fields));
      notice.dismiss();
      await done;
    }
  });

  it('open the metadata of a file', async () => {
    const { key: searchKey, connectionId, files } = await stage.search(jgi, 'JDP');
    const [file] = files.filter((one) => one.kind === 'file');
    assert.ok(file);
    const row: FileNode = { kind: 'file', searchKey, connectionId, file };
    const done = stage.parts.openLink(await copyLink(row));
    (await stage.person.notice(/^Open the file/)).press('Show Metadata');
    await done;
    await stage.tab(file.name);
  });

  it('show the file name that the service reports, not the one in the link', async () => {
    const file = { database: jgi, id: 'JDP:000001', name: 'harmless.csv' };
    const done = stage.parts.openLink(makeLink('file', { service: stage.server.address, ...file }));
    (await stage.person.notice(/^Open the file/)).press('Show Metadata');
    await done;
    const { label } = await stage.tab('JDP:000001.csv');
    assert.equal(label, 'JDP:000001.csv');
    await stage.closePages();
    stage.server.on('POST /api/v1/files/by-id', problem(500, 'gone'));
    const lost = stage.parts.openLink(makeLink('file', { service: stage.server.address, ...file }));
    (await stage.person.notice(/^Open the file/)).press('Show Metadata');
    await lost;
    await stage.tab('JDP:000001');
    await stage.closePages();
    publicLike(stage.server, key);
    const connectionId = stage.parts.settings.connections[0]?.id ?? '';
    const transferred = stage.run('dataTransfer.transferFiles', { connectionId, ...file });
    (await stage.person.pick()).choose(kss);
    (await stage.person.pick()).choose('Continue');
    (await stage.person.notice(/^Transfer /)).press('Transfer');
    await transferred;
    const [transfer] = stage.parts.transferStore.getAll();
    assert.deepEqual(
      transfer?.order.files.map(({ name }) => name),
      ['JDP:000001.csv'],
    );
  });

  it('track a transfer, without starting one', async () => {
    service.transfers.set(id, { orcid, status: 'active', num_files: 3, num_files_transferred: 1 });
    const done = stage.parts.openLink(makeLink('transfer', { service: stage.server.address, id }));
    const notice = await stage.person.notice(/^Open the transfer/);
    assert.match(notice.detail, /It doesn't start a transfer\.$/);
    notice.press('Show Transfer');
    await done;
    assert.deepEqual(
      stage.parts.transferStore.getAll().map((transfer) => transfer.id),
      [id],
    );
    assert.equal(stage.server.requestsTo('POST /api/v1/transfers').length, 0);
    const link = await copyLink(stage.firstTransfer);
    assert.equal(link.toString(), makeLink('transfer', { service: stage.server.address, id }).toString());
  });

  it('send nothing if the user cancels', async () => {
    const sent = stage.server.requests.length;
    const done = stage.parts.openLink(makeLink('transfer', { service: stage.server.address, id }));
    (await stage.person.notice(/^Open the transfer/)).dismiss();
    await done;
    assert.equal(stage.server.requests.length, sent);
    assert.deepEqual(stage.parts.transferStore.getAll(), []);
  });

  it('reach another service only after the user has entered its key', async () => {
    const other = await FaultServer.start();
    try {
      publicLike(other, 'another-key');
      const link = makeLink('search', { service: other.address, database: jgi, query: 'JDP' });
      const refused = stage.parts.openLink(link);
      const notice = await stage.person.notice(/isn't among your connections/);
      assert.match(notice.detail, /Connect only if you trust this service, because it will receive your key\./);
      assert.ok(notice.detail.includes(other.address));
      notice.dismiss();
      await refused;
      const canceled = stage.parts.openLink(link);
      (await stage.person.notice(/isn't among your connections/)).press('Connect…');
      const address = await stage.person.textBox();
      assert.equal(address.value, other.address);
      address.escape();
      await canceled;
      assert.deepEqual(other.requests, []);
      assert.equal(stage.parts.settings.connections.length, 1);
    } finally {
      await other.stop();
    }
  });

  it('show one prompt if they are opened twice at the same time, and another one afterwards', async () => {
    const link = makeLink('search', { service: stage.server.address, database: jgi, query: 'JDP:00000' });
    const both = [stage.parts.openLink(link), stage.parts.openLink(link)];
    (await stage.person.notice(/^Open the search/)).press('Search');
    await Promise.all(both);
    assert.equal(stage.person.notices.filter(({ message }) => message.startsWith('Open the search')).length, 1);
    assert.equal(stage.parts.searchStore.getAll().length, 1);
    const again = stage.parts.openLink(link);
    (await stage.person.notice(/^Open the search/)).dismiss();
    await again;
  });

  it('connect to a saved service only after the confirmation, and report a failure', async () => {
    await stage.run('dataTransfer.disconnect');
    const sent = stage.server.requests.length;
    const link = makeLink('search', { service: stage.server.address, database: jgi, query: 'JDP:00000' });
    const done = stage.parts.openLink(link);
    const notice = await stage.person.notice(/^Open the search/);
    assert.equal(stage.server.requests.length, sent);
    notice.press('Search');
    await done;
    assert.equal(stage.parts.searchStore.getAll()[0]?.files.length, 10);
    await stage.run('dataTransfer.disconnect');
    await stage.server.stop();
    const failed = stage.parts.openLink(link);
    (await stage.person.notice(/^Open the search/)).press('Search');
    await failed;
    assert.match(stage.person.notices.at(-1)?.message ?? '', /^Could not connect to DTS prototype: .*ECONNREFUSED/);
  });

  it('show a link in a file name as text, and do not open it', async () => {
    const name = `vscode://${extensionId}/transfer?x [a](command:workbench.action.quit) $(flame) %00`;
    const done = stage.parts.openLink(
      makeLink('file', { service: stage.server.address, database: jgi, id: 'x', name }),
    );
    const notice = await stage.person.notice(/^Open the file/);
    const shown = `vscode://${extensionId}/transfer?x [a] (command:workbench.action.quit) $ (flame) %00`;
    assert.ok(notice.detail.includes(`File: ${shown}\nID: x`), notice.detail);
    notice.dismiss();
    await done;
  });

  it('are not copied if they could not be opened, with the reason', async () => {
    const { searchFlow, sessions } = stage.parts;
    const session = sessions.active;
    assert.ok(session);
    const ids = Array.from({ length: 5000 }, (_, index) => `JDP:${index}`);
    await env.clipboard.writeText('before');
    for (const [query, message] of [
      [{ query: 'a\u202eb' }, 'No link was copied: “query” may contain invisible characters or unusual spaces.'],
      [{ query: '', ids }, 'The link would be too long to copy.'],
    ] as const) {
      await searchFlow.runAll(session, [{ database: jgi, pageSize: 10, ...query }]);
      const [search] = stage.parts.searchStore.getAll();
      await stage.run('dataTransfer.copyLink', { kind: 'search', key: search?.key ?? '' });
      assert.equal((await stage.person.notice(/link/)).message, message);
    }
    assert.equal(await env.clipboard.readText(), 'before');
  });

  const file = { database: jgi, id: 'JDP:1', name: 'a' };
  const hostile: Readonly<Record<string, readonly [kind: string, fields: object, message: RegExp]>> = {
    'with another scheme': [
      'file',
      { ...file, service: 'javascript:alert(1)' },
      /^This link contains no valid service address\.$/,
    ],
    'with another link inside': [
      'file',
      { ...file, service: 'vscode://a.b/file' },
      /^This link contains no valid service address\.$/,
    ],
    'that are huge': ['file', { ...file, service: 'local', name: 'x'.repeat(20_000) }, /^This link is too long\.$/],
    'with control characters': [
      'file',
      { ...file, service: 'local', name: 'a\u0007b' },
      /^The “name” field in this link isn't valid\.$/,
    ],
    'with a key': [
      'file',
      { ...file, service: 'local', apiKey: 'x' },
      /^The “apiKey” field in this link isn't valid\.$/,
    ],
    'with markup in the name of a field': [
      'file',
      { ...file, service: 'local', '[a](b)$(x)': 1 },
      /“\[a\] \(b\)\$ \(x\)”/,
    ],
    'that submit a transfer': ['submit', { ...file, service: 'local' }, /^This kind of link can't be opened\.$/],
    'with bidirectional controls': [
      'search',
      { service: 'local', database: jgi, query: 'a\u202eb' },
      /^The “query” field in this link isn't valid\.$/,
    ],
    'with a null character': [
      'file',
      { ...file, service: 'local', id: 'a\0b' },
      /^The “id” field in this link isn't valid\.$/,
    ],
    'with 10,000 IDs': [
      'search',
      { service: 'local', database: jgi, query: '', ids: Array.from({ length: 10_000 }, (_, index) => `JDP:${index}`) },
      /^This link is too long\.$/,
    ],
    'of 1 MB': [
      'search',
      { service: 'local', database: jgi, query: 'x'.repeat(1_000_000) },
      /^This link is too long\.$/,
    ],
    'with a key in the address': [
      'file',
      { ...file, service: 'https://dts.example.org/?key=secret' },
      /^This link contains no valid service address\.$/,
    ],
    'with a password in the address': [
      'file',
      { ...file, service: 'https://me:secret@dts.example.org' },
      /^This link contains no valid service address\.$/,
    ],
    'without content': ['search', [], /can't be read\. It may have been cut off\.$/],
  };
  for (const [what, [kind, fields, message]] of Object.entries(hostile)) {
    it(`are rejected with the reason: links ${what}`, async () => {
      const sent = stage.server.requests.length;
      await stage.parts.openLink(makeLink(kind, fields));
      const notice = await stage.person.notice(/this (?:kind of )?link/i);
      assert.match(notice.message, message);
      assert.ok(notice.message.length <= 55, 'fits into one line of a notice');
      assert.equal(notice.isModal, false);
      assert.deepEqual(notice.buttons, []);
      assert.equal(stage.server.requests.length, sent);
    });
  }
});
