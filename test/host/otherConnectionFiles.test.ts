import assert from 'node:assert/strict';
import type { FileEntry } from '../../src/core/model/fileEntry.ts';
import { fileEntry } from './specimens.ts';
import { orcid, Stage } from './stage.ts';

const jgi = 'JGI Data Portal';
const nmdc = 'National Microbiome Data Collaborative';

describe('A transfer of files of several connections', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.openWithOther(orcid);
    await stage.connect('other-key', stage.other);
    check('2', '3');
    await stage.connect('the-key');
  });
  afterEach(async () => {
    await stage.closePages();
    await stage.close();
  });

  /** Checks files of the active connection in a new search. */
  const check = (...digits: readonly string[]): void => {
    const connectionId = stage.parts.sessions.active?.connection.id ?? assert.fail();
    add(
      connectionId,
      digits.length,
      digits.map((digit) => `JDP:00000${digit}`),
    );
  };
  const add = (connectionId: string, key: number, ids: readonly string[]): void => {
    const { searchStore } = stage.parts;
    const files = ids.map((id): FileEntry => fileEntry(id, { database: jgi }));
    const name = `${connectionId} ${String(key)}`;
    searchStore.open(name, connectionId, { database: jgi, query: '', pageSize: 10 });
    searchStore.update(name, { files, isLoading: false });
    searchStore.checkAll(name);
  };

  it('names the other connection, and can be limited to the files of the active one', async () => {
    check('1');
    const done = stage.run('dataTransfer.transferCheckedFiles');
    const question = await stage.person.notice(/files/);
    assert.equal(question.message, "2 of these 3 files don't belong to DTS prototype, the active connection.");
    assert.equal(question.detail, 'Other Service: 2 files');
    assert.deepEqual(question.buttons, ['Only This File', 'Switch to Other Service']);
    question.press('Only This File');
    (await stage.person.pick()).choose(nmdc);
    (await stage.person.pick()).choose('Continue');
    (await stage.person.notice(/^Transfer 1 file to /)).press('Transfer');
    await done;
    const bodies = stage.server.requestsTo('POST /api/v1/transfers').map(({ body }) => JSON.parse(body) as unknown);
    assert.deepEqual((bodies[0] as { readonly file_ids: readonly string[] }).file_ids, ['JDP:000001']);
    assert.equal(stage.parts.searchStore.getCheckedFiles().length, 2, 'the other files stay checked');
  });

  it('switches to the other connection', async () => {
    const done = stage.run('dataTransfer.transferCheckedFiles');
    const question = await stage.person.notice(/files/);
    assert.equal(question.message, 'None of these files belong to DTS prototype, the active connection.');
    assert.deepEqual(question.buttons, ['Switch to Other Service']);
    question.press('Switch to Other Service');
    await done;
    assert.equal(stage.parts.sessions.active?.connection.name, 'Other Service');
    assert.equal(stage.other.requestsTo('POST /api/v1/transfers').length, 0);
  });

  it('offers to pick a connection if there are several, and lists a limited number of them', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) add(id, 1, ['x']);
    check('1', '2', '3', '4', '5');
    const done = stage.run('dataTransfer.transferCheckedFiles');
    const question = await stage.person.notice(/files/);
    assert.equal(question.message, "7 of these 12 files don't belong to DTS prototype, the active connection.");
    const removed = Array.from({ length: 4 }, () => 'Removed connection: 1 file');
    assert.deepEqual(question.detail.split('\n').toSorted(), ['1 other', 'Other Service: 2 files', ...removed]);
    assert.deepEqual(question.buttons, ['Only These 5 Files', 'Switch Connection…']);
    question.dismiss();
    await done;
    assert.equal(stage.server.requestsTo('POST /api/v1/transfers').length, 0);
  });
});
