import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import { ServiceRig, type Answer } from '../support/serviceRig.ts';

const orcid = '0000-0002-1825-0097';
const database = 'Source Data';
const problemType = 'application/problem+json';

describe('A database whose folder is not there (D20)', () => {
  let rig: ServiceRig;

  beforeEach(async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a', 'sub/b.txt': 'b' });
    assert.deepEqual(await rig.find(''), ['a.txt', 'sub/b.txt']);
  });

  afterEach(async () => await rig.stop());

  const asks: [what: string, ask: () => Promise<Answer>][] = [
    ['a search', async () => await rig.call('POST', '/api/v1/files', { database, orcid, query: '' })],
    [
      'metadata by GET',
      async () => await rig.call('GET', '/api/v1/files/by-id?database=source-data&orcid=x&ids=a.txt'),
    ],
    [
      'metadata by POST',
      async () => await rig.call('POST', '/api/v1/files/by-id', { database, orcid, file_ids: ['a.txt'] }),
    ],
    ['a submission from it', async () => await rig.submit(['a.txt'])],
  ];

  async function assertProblem(ask: () => Promise<Answer>, detail: string): Promise<void> {
    const answer = await ask();
    assert.equal(answer.headers.get('content-type'), problemType);
    assert.deepEqual(answer.body, { title: 'Internal Server Error', status: 500, detail });
  }

  for (const [what, ask] of asks) {
    it(`answers ${what} with a problem that says so, and rightly again as soon as it is back`, async () => {
      await fs.rename(rig.source, `${rig.source}-away`);
      await assertProblem(ask, 'The folder of the database Source Data is not there.');
      await fs.rename(`${rig.source}-away`, rig.source);
      const answer = await ask();
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
    });

    it(`answers ${what} with a problem when it cannot be read`, async () => {
      await fs.rename(rig.source, `${rig.source}-away`);
      await fs.symlink('source', rig.source);
      await assertProblem(ask, 'The folder of the database Source Data cannot be read.');
    });
  }

  it('is not there either when a file stands in its place', async () => {
    await fs.rm(rig.source, { recursive: true });
    await fs.writeFile(rig.source, 'x');
    const answer = await rig.call('POST', '/api/v1/files', { database, orcid, query: '' });
    assert.deepEqual(answer.body, {
      title: 'Internal Server Error',
      status: 500,
      detail: 'The folder of the database Source Data is not there.',
    });
  });

  it('is listed all the same, and named in a warning (§4.2)', async () => {
    await fs.rm(rig.source, { recursive: true });
    await rig.restart();
    const { body } = await rig.call('GET', '/api/v1/databases');
    assert.deepEqual(
      (body as { name: string }[]).map(({ name }) => name),
      ['Source Data', 'Target'],
    );
    await assert.rejects(rig.find(''));
    assert.equal(rig.logged.filter((line) => line.includes(`${rig.source} cannot be read`)).length, 1);
  });

  it('is seen with what it then holds when it comes back after a start without it', async () => {
    await fs.rm(rig.source, { recursive: true });
    await rig.restart();
    await assert.rejects(rig.find(''), /is not there/);
    await rig.write({ 'c.txt': 'c' });
    assert.deepEqual(await rig.find(''), ['c.txt']);
  });

  it('is answered for as empty only when it is empty', async () => {
    await fs.rm(rig.source, { recursive: true });
    await rig.restart();
    await assert.rejects(rig.find(''), /is not there/);
    await fs.mkdir(rig.source);
    assert.deepEqual(await rig.find(''), []);
  });

  it('answers many searches at once rightly when it is back', async () => {
    await fs.rename(rig.source, `${rig.source}-away`);
    await assert.rejects(rig.find(''), /is not there/);
    await fs.rename(`${rig.source}-away`, rig.source);
    const answers = await Promise.all(Array.from({ length: 8 }, async () => await rig.find('')));
    for (const answer of answers) assert.deepEqual(answer, ['a.txt', 'sub/b.txt']);
  });

  it('is seen whole by the first search after a transfer landed in it', async () => {
    await fs.mkdir(`${rig.target}-kept`);
    await fs.writeFile(`${rig.target}-kept/old.txt`, 'old');
    await fs.rmdir(rig.target);
    await rig.restart({ retryDelayMs: 20 });
    const id = await rig.mustSubmit(['a.txt']);
    await rig.reaches(id, 'inactive');
    await fs.rename(`${rig.target}-kept`, rig.target);
    await rig.reaches(id, 'succeeded');
    const found = await rig.find('', { database: 'Target' });
    assert.deepEqual(found, [`dts-${id}/a.txt`, `dts-${id}/manifest.json`, 'old.txt']);
  });

  it('tells in the OpenAPI document that 500 can be the answer (D26)', async () => {
    const { body } = await rig.call('GET', '/openapi.json');
    const { paths } = body as { paths: Record<string, Record<string, { responses: object }>> };
    const operations = [paths['/api/v1/files']?.['post'], paths['/api/v1/files/by-id']?.['get']];
    for (const operation of operations) assert.ok(operation !== undefined && '500' in operation.responses);
  });
});
