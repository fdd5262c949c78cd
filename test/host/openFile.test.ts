import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { extensions, FileSystemError, Uri, window, workspace } from 'vscode';
import type { ContentFlow } from '../../src/core/search/contentFlow.ts';
import type { FileNode } from '../../src/extension/editor/contributions.ts';
import { localConnectionId } from '../../src/extension/editor/machine.ts';
import { maxOpenBytes, maxUnaskedBytes } from '../../src/extension/editor/remoteFiles.ts';
import { FilePreviews } from '../../src/extension/features/files/filePreviews.ts';
import { TabFiles } from '../../src/extension/features/files/tabFiles.ts';
import { Gate } from '../support/gate.ts';
import { createImages, createPng } from '../support/tinyImages.ts';
import { until } from '../unit/core/rig.ts';
import { extensionId, Stage } from './stage.ts';

describe('Opening a file without a transfer', () => {
  let stage: Stage;
  afterEach(async () => {
    mock.restoreAll();
    await stage.closePages();
    await stage.close();
  });

  async function findFile(database: string, query: string): Promise<FileNode> {
    const search = await stage.search(database, query);
    const [file] = search.files;
    assert.ok(file?.kind === 'file');
    return { kind: 'file', searchKey: search.key, connectionId: search.connectionId, file };
  }

  async function findSample(): Promise<FileNode> {
    stage = await Stage.openWithService();
    await stage.run('dataTransfer.startLocalService');
    return await findFile('Sample Data', 'observations-2023');
  }

  it('shows its text, read-only, under its name', async () => {
    const node = await findSample();
    await stage.run('dataTransfer.openFile', node);
    const document = window.activeTextEditor?.document;
    assert.ok(document);
    assert.match(document.uri.path, /\/Sample Data\/.*observations-2023\.csv$/);
    assert.equal(Buffer.byteLength(document.getText()), node.file.sizeBytes);
    assert.equal(workspace.fs.isWritableFileSystem(document.uri.scheme), false);
    await assert.rejects(async () => await workspace.fs.writeFile(document.uri, new Uint8Array()), FileSystemError);
    await assert.rejects(async () => await workspace.fs.delete(document.uri), FileSystemError);
    await assert.rejects(async () => await workspace.fs.readFile(document.uri.with({ query: '{}' })), FileSystemError);
    const sibling = Uri.joinPath(document.uri, '..', 'other.csv');
    await assert.rejects(async () => await workspace.fs.stat(sibling), FileSystemError);
  });

  it('asks before it reads a large one, and refuses one that is too large for the editor', async () => {
    const node = await findSample();
    const content = Buffer.alloc(maxUnaskedBytes + 1, 'x\n');
    let totalBytes = content.length;
    const read = mock.method(
      stage.parts.contentFlow,
      'read',
      async (_: unknown, range: { offset: number; limit: number }) => {
        const bytes = content.subarray(range.offset, range.offset + range.limit);
        return await Promise.resolve({ part: { bytes, totalBytes, entityTag: '"1"' } });
      },
    );
    const { person } = stage;
    const left = stage.run('dataTransfer.openFile', node);
    const question = await person.notice(/^Open observations-2023\.csv, which has 10\.?\d* MB\?$/);
    assert.equal(question.isModal, true);
    question.dismiss();
    await left;
    assert.equal(read.mock.callCount(), 1);
    const opened = stage.run('dataTransfer.openFile', node);
    (await person.notice(/^Open observations/)).press('Open');
    await opened;
    assert.equal(window.activeTextEditor?.document.getText().length, content.length);
    totalBytes = maxOpenBytes + 1;
    const refused = stage.run('dataTransfer.openFile', node);
    await person.notice(/^observations-2023\.csv has 2\d\d MB, too much to open\. Transfer it instead\.$/);
    await refused;
  });

  it('asks no service for it that does not offer that', async () => {
    stage = await Stage.openConnected();
    const { server, parts } = stage;
    const [database] = parts.connectionStore.listing.databases;
    assert.ok(database);
    const before = server.requests.length;
    const ref = {
      connectionId: parts.connectionStore.shown?.id ?? '',
      database: database.name,
      id: 'x',
      name: 'x.csv',
    };
    await stage.run('dataTransfer.openFile', ref);
    await stage.person.notice(/^x\.csv can't be opened: the service doesn't show the content of files$/);
    assert.equal(server.requests.length, before);
  });
});

describe('The tab of an opened file that returns', () => {
  let stage: Stage;
  let files: TabFiles;
  afterEach(async () => {
    files.dispose();
    await stage.close();
  });

  /** Reads the file of a tab as in a window that has just been reloaded. */
  const read = async (connectionId: string): Promise<unknown> =>
    await files.readFile(stage.parts.remoteFiles.getUri({ connectionId, database: 'Lab', id: 'x' }, 'runs/x.csv'));

  it('opens its connection, and says if the service does not show the content of files', async () => {
    stage = await Stage.openConnected();
    const { sessions, connectionStore } = stage.parts;
    const id = connectionStore.shown?.id ?? '';
    const text = /x\.csv can't be opened: the service doesn't show the content of files$/;
    await stage.run('dataTransfer.disconnect');
    assert.equal(sessions.get(id), undefined);
    files = new TabFiles(stage.parts);
    await Promise.all([assert.rejects(read(id), text), assert.rejects(read(id), text), stage.person.notice(text)]);
    assert.equal(sessions.get(id)?.connection.id, id);
    await stage.run('dataTransfer.disconnect');
    await assert.rejects(read(id), /x\.csv can't be opened: not connected to the service$/);
  });

  it('does not open its connection again if the user disconnects in the meantime', async () => {
    stage = await Stage.openConnected();
    const { sessions, connectionStore } = stage.parts;
    const id = connectionStore.shown?.id ?? '';
    await stage.run('dataTransfer.disconnect');
    files = new TabFiles(stage.parts);
    const gate = new Gate();
    gate.hold();
    stage.server.holdAt(gate, 'GET /');
    const reading = assert.rejects(read(id), /x\.csv can't be opened: not connected to the service$/);
    await until(connectionStore.onDidChange, () => connectionStore.state.kind === 'connecting');
    await stage.run('dataTransfer.disconnect');
    gate.release();
    await reading;
    assert.equal(sessions.get(id), undefined);
    assert.equal(connectionStore.state.kind, 'disconnected');
  });

  it('offers to set a missing key', async () => {
    stage = await Stage.openConnected();
    const { apiKeys, connectionStore } = stage.parts;
    const id = connectionStore.shown?.id ?? '';
    await stage.run('dataTransfer.disconnect');
    files = new TabFiles(stage.parts);
    const find = mock.method(apiKeys, 'find', () => Promise.resolve({ reason: { kind: 'keyMissing' } }));
    await assert.rejects(read(id), /x\.csv can't be opened: /);
    find.mock.restore();
    const notice = await stage.person.notice(/^x\.csv can't be opened: /);
    assert.deepEqual(notice.buttons, ['Set API Key…', 'Show Log']);
  });

  it('says if its connection is no longer saved', async () => {
    stage = await Stage.openWithOrcid();
    files = new TabFiles(stage.parts);
    await Promise.all([assert.rejects(read('gone')), stage.person.notice(/^This connection is no longer saved\./)]);
  });

  it('starts the local service, but not after the user has stopped it', async () => {
    stage = await Stage.openWithOrcid();
    files = new TabFiles(stage.parts);
    await assert.rejects(read(localConnectionId), /x\.csv/);
    assert.equal(stage.parts.localService.isRunning, true);
    await stage.run('dataTransfer.startLocalService');
    await stage.run('dataTransfer.stopLocalService');
    const text = /x\.csv can't be opened: the local service is stopped$/;
    await Promise.all([assert.rejects(read(localConnectionId), text), stage.person.notice(text)]);
    assert.equal(stage.parts.localService.isRunning, false);
  });
});

describe('The beginning of a file on its page', () => {
  const file = { connectionId: 'c', database: 'Lab', id: 'a.csv', name: 'a.csv' };

  const unanswered = { read: () => Promise.resolve({ reason: { kind: 'timeout' } }) };

  async function read(content: string | Buffer, path = 'a.csv') {
    const whole = Buffer.from(content);
    const readRange = (_: unknown, { offset, limit }: { readonly offset: number; readonly limit: number }) =>
      Promise.resolve({
        part: { bytes: whole.subarray(offset, offset + limit), totalBytes: whole.length, entityTag: '' },
      });
    return await readFrom({ read: readRange }, path);
  }

  async function readFrom(flow: object, path: string) {
    return await new FilePreviews(flow as ContentFlow).read(file, path, new AbortController().signal);
  }

  it('is a table, the sequences or the tree of a JSON', async () => {
    assert.deepEqual(await read('id,name\n1,x\n'), { state: 'table', header: ['id', 'name'], rows: [['1', 'x']] });
    const reads = { state: 'table', header: ['Name', 'Sequence', 'Quality'], rows: [['r1', 'AC', 'II']] };
    assert.deepEqual(await read('@r1\nAC\n+\nII\n', 'a.fq'), reads);
    assert.deepEqual(await read('{"a": 1}', 'a.json'), { state: 'json', value: { a: 1 } });
  });

  async function readParquet(name: string) {
    const root = extensions.getExtension(extensionId)?.extensionUri;
    assert.ok(root);
    const path = Uri.joinPath(root, 'test', 'fixtures', 'parquet', `${name}.parquet`);
    return await read(Buffer.from(await workspace.fs.readFile(path)), 'a.parquet');
  }

  it('is the first rows of a Parquet file, or its columns and why the rows are missing', async () => {
    const rows = await readParquet('empty-group');
    assert.ok(rows.state === 'table');
    assert.deepEqual(
      [rows.header, rows.rows[1], rows.note],
      [['int64', 'text'], ['9007199254740994', 'name1'], undefined],
    );
    assert.deepEqual(await readParquet('lz4'), {
      state: 'table',
      header: ['Column', 'Type'],
      rows: [['int64', 'INT64']],
      note: "The first rows can't be shown: their compression isn't supported.",
    });
    const text = "The beginning of the file can't be shown: it isn't valid Parquet.";
    assert.deepEqual(await read('id,name', 'a.parquet'), { state: 'problem', text });
  });

  it('is an image, whose bytes determine its type, whatever its name says', async () => {
    const bytes = createImages['image/webp'](30, 20);
    assert.deepEqual(await read(bytes, 'a.PNG'), {
      state: 'image',
      type: 'image/webp',
      width: 30,
      height: 20,
      content: bytes.toString('base64'),
      failure: "The image can't be shown: it is damaged.",
    });
  });

  it('is a sentence for an image that is no image, damaged, has too many pixels or cannot be read', async () => {
    const causes = [
      [await read('<svg/>', 'a.png'), "it isn't in PNG, JPEG, GIF or WebP"],
      [await read(createPng(1, 1).subarray(0, 20), 'a.png'), 'it is damaged'],
      [
        await read(createPng(1, 1, { width: 60_000, height: 60_000 }), 'a.png'),
        'it has too many pixels, 60,000 × 60,000',
      ],
      [await readFrom(unanswered, 'a.png'), "the service didn't respond in time"],
    ] as const;
    for (const [shown, cause] of causes)
      assert.deepEqual(shown, { state: 'problem', text: `The image can't be shown: ${cause}.` });
  });

  it('is a sentence and another way for an image that is too large, of which one byte is read', async () => {
    const ranges: unknown[] = [];
    const flow = {
      read: (_: unknown, range: unknown) => {
        ranges.push(range);
        return Promise.resolve({ part: { bytes: new Uint8Array(1), totalBytes: 4_200_000, entityTag: '' } });
      },
    };
    const text = "The image can't be shown: it is larger than 512 kB.";
    assert.deepEqual(await readFrom(flow, 'a.png'), { state: 'problem', text, remedy: 'open' });
    assert.deepEqual(ranges, [{ offset: 0, limit: 1 }]);
  });

  it('is offered for the names of formats that can be shown, if files of the connection can be opened', () => {
    const offers = (canRead: boolean): unknown =>
      ['a.csv', 'a.pq', 'a.webp', 'a.svg'].map((path) =>
        new FilePreviews({ canRead: () => canRead } as unknown as ContentFlow).findOffer('c', path),
      );
    assert.deepEqual(offers(true), ['beginning', 'beginning', 'image', undefined]);
    assert.deepEqual(offers(false), [undefined, undefined, undefined, undefined]);
  });

  it('is a sentence if there is nothing to show, or the file cannot be read', async () => {
    const text = "The beginning of the file can't be shown: it is empty.";
    assert.deepEqual(await read(''), { state: 'problem', text });
    assert.deepEqual(await readFrom(unanswered, 'a.csv'), {
      state: 'problem',
      text: "The beginning of the file can't be shown: the service didn't respond in time.",
    });
  });
});
