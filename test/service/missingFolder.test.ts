import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import type { Answer } from '../support/contractRig.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const orcid = '0000-0002-1825-0097';
const database = 'Source Data';
const problemType = 'application/problem+json';

describe('A database whose folder is missing (D20)', () => {
  let rig: ServiceRig;

  beforeEach(async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a', 'sub/b.txt': 'b' });
    assert.deepEqual(await rig.find(''), ['a.txt', 'sub/b.txt']);
  });

  afterEach(async () => await rig.stop());

  const requests: [what: string, request: () => Promise<Answer>][] = [
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

  async function assertProblem(request: () => Promise<Answer>, detail: string): Promise<void> {
    const response = await request();
    assert.equal(response.headers.get('content-type'), problemType);
    assert.deepEqual(response.body, { title: 'Internal Server Error', status: 500, detail });
  }

  for (const [what, request] of requests) {
    it(`responds to ${what} with a problem, and correctly as soon as the folder is back`, async () => {
      await fs.rename(rig.source, `${rig.source}-away`);
      await assertProblem(request, "The folder of the database Source Data doesn't exist.");
      await fs.rename(`${rig.source}-away`, rig.source);
      const response = await request();
      assert.ok(response.status < 300, JSON.stringify(response.body));
    });

    it(`responds to ${what} with a problem when the folder is unreadable`, async () => {
      await fs.rename(rig.source, `${rig.source}-away`);
      await fs.symlink('source', rig.source);
      await assertProblem(request, "The folder of the database Source Data can't be read.");
    });
  }

  it('counts as missing when a file is in its place', async () => {
    await fs.rm(rig.source, { recursive: true });
    await fs.writeFile(rig.source, 'x');
    const response = await rig.call('POST', '/api/v1/files', { database, orcid, query: '' });
    assert.deepEqual(response.body, {
      title: 'Internal Server Error',
      status: 500,
      detail: "The folder of the database Source Data doesn't exist.",
    });
  });

  it('is still listed, and named in a warning (§4.2)', async () => {
    await rig.restart({ whileStopped: () => rmSync(rig.source, { recursive: true }) });
    const { body } = await rig.call('GET', '/api/v1/databases');
    assert.deepEqual(
      (body as { name: string }[]).map(({ name }) => name),
      ['Source Data', 'Target'],
    );
    await assert.rejects(rig.find(''));
    assert.equal(rig.logged.filter((line) => line.includes(`${rig.source} cannot be read`)).length, 1);
  });

  it('serves its current content when it appears after a start without it', async () => {
    await fs.rm(rig.source, { recursive: true });
    await rig.restart();
    await assert.rejects(rig.find(''), /doesn't exist/);
    await rig.write({ 'c.txt': 'c' });
    assert.deepEqual(await rig.find(''), ['c.txt']);
  });

  it('returns an empty result only when it is empty', async () => {
    await fs.rm(rig.source, { recursive: true });
    await rig.restart();
    await assert.rejects(rig.find(''), /doesn't exist/);
    await fs.mkdir(rig.source);
    assert.deepEqual(await rig.find(''), []);
  });

  it('responds correctly to concurrent searches when it is back', async () => {
    await fs.rename(rig.source, `${rig.source}-away`);
    await assert.rejects(rig.find(''), /doesn't exist/);
    await fs.rename(`${rig.source}-away`, rig.source);
    const answers = await Promise.all(Array.from({ length: 8 }, async () => await rig.find('')));
    for (const response of answers) assert.deepEqual(response, ['a.txt', 'sub/b.txt']);
  });

  it('is complete in the first search after a transfer to it', async () => {
    await fs.mkdir(`${rig.target}-kept`);
    await fs.writeFile(`${rig.target}-kept/old.txt`, 'old');
    await fs.rmdir(rig.target);
    await rig.restart({ retryDelayMs: 20 });
    const id = await rig.mustSubmit(['a.txt']);
    await rig.waitForStatus(id, 'inactive');
    await fs.rename(`${rig.target}-kept`, rig.target);
    await rig.waitForStatus(id, 'succeeded');
    const found = await rig.find('', { database: 'Target' });
    assert.deepEqual(found, [`dts-${id}/a.txt`, `dts-${id}/manifest.json`, 'old.txt']);
  });

  it('lists 500 as a possible status in the OpenAPI document (D26)', async () => {
    const { body } = await rig.call('GET', '/openapi.json');
    const { paths } = body as { paths: Record<string, Record<string, { responses: object }>> };
    const operations = [paths['/api/v1/files']?.['post'], paths['/api/v1/files/by-id']?.['get']];
    for (const operation of operations) assert.ok(operation !== undefined && '500' in operation.responses);
  });
});
