import assert from 'node:assert/strict';
import { DataTransferClient } from '../../src/core/client/dataTransferClient.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import type { Answer } from '../support/contractRig.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const orcid = '0000-0002-1825-0097';

interface Problem {
  readonly detail: string;
  readonly errors: readonly { message: string; location: string }[];
}

describe('Unknown files in metadata requests (§4.4) and in submissions (§4.5)', () => {
  let rig: ServiceRig;

  before(async () => {
    const names = Array.from({ length: 700 }, (_, index) => `data/file-${index}.txt`);
    rig = await ServiceRig.start(Object.fromEntries(names.map((name) => [name, name])));
  });

  after(async () => await rig.stop());

  async function byPost(ids: readonly string[], page: object = {}): Promise<Answer> {
    return await rig.call('POST', '/api/v1/files/by-id', { database: 'Source Data', orcid, file_ids: ids, ...page });
  }

  async function byGet(ids: readonly string[]): Promise<Answer> {
    const list = ids.map(encodeURIComponent).join(',');
    return await rig.call('GET', `/api/v1/files/by-id?database=Source%20Data&orcid=${orcid}&ids=${list}`);
  }

  it('are each named with their location, without any results', async () => {
    const response = await byPost(['data/file-1.txt', 'no', 'data/file-2.txt', '../secret', 'no'], { limit: 1 });
    assert.equal(response.status, 404);
    assert.deepEqual((response.body as Problem).errors, [
      { message: 'unknown: "no"', location: 'body.file_ids.1' },
      { message: 'unknown: "../secret"', location: 'body.file_ids.3' },
    ]);
  });

  it('are each named for a GET request too', async () => {
    const response = await byGet(['data/file-1.txt', 'no', 'nor this']);
    assert.equal(response.status, 404);
    assert.deepEqual((response.body as Problem).errors, [
      { message: 'unknown: "no"', location: 'query.ids' },
      { message: 'unknown: "nor this"', location: 'query.ids' },
    ]);
  });

  it('are listed up to a hundred, and the others are counted', async () => {
    const response = await byPost(Array.from({ length: 250 }, (_, index) => `no-${index}`));
    const { errors } = response.body as Problem;
    assert.equal(errors.length, 101);
    assert.deepEqual(errors[99], { message: 'unknown: "no-99"', location: 'body.file_ids.99' });
    assert.deepEqual(errors[100], { message: 'and 150 more', location: 'body.file_ids' });
  });

  it('are reported in the same form as unknown databases of a submission, each with its location', async () => {
    const body = { orcid, source: 'Nowhere', destination: 'Nobody', file_ids: ['x'] };
    const response = await rig.call('POST', '/api/v1/transfers', body);
    assert.equal(response.status, 404);
    assert.deepEqual((response.body as Problem).errors, [
      { message: 'There is no database "Nowhere".', location: 'body.source' },
      { message: 'There is no database "Nobody".', location: 'body.destination' },
    ]);
  });

  it('are reported like list entries of the wrong type: the first hundred, and the number of others', async () => {
    const body = { database: 'Source Data', orcid, file_ids: Array.from({ length: 130 }, () => 7) };
    const { errors } = (await rig.call('POST', '/api/v1/files/by-id', body)).body as Problem;
    assert.deepEqual(errors.at(-1), { message: 'and 30 more', location: 'body.file_ids' });
  });

  it('are truncated in messages, without misleading characters', async () => {
    const response = await byPost(['x'.repeat(100_000), 'a\u202eb\u0000\u001b[31m\ud800c']);
    const { errors } = response.body as Problem;
    assert.equal(errors[0]?.message, `unknown: "${'x'.repeat(100)}…"`);
    assert.equal(errors[1]?.message, 'unknown: "a\ufffdb\ufffd\ufffd[31m\ufffdc"');
  });

  for (const scheme of ['base64', 'plain'] as const) {
    it(`are left out and named by our own client (D8, token ${scheme})`, async () => {
      const client = new DataTransferClient({ log: new MemoryLog() });
      await client.connect({ server: rig.service.address, apiKey: rig.service.token, scheme });
      const good = Array.from({ length: 700 }, (_, index) => `data/file-${index}.txt`);
      const bad = ['data/file-1', 'file-2.txt', 'no, not this', 'data/file-3.txt.gz', 'x'.repeat(3_000)];
      const ids = good.flatMap((id, index) => (index % 140 === 7 ? [bad[(index - 7) / 140] ?? '', id] : [id]));
      const reply = await client.fetchMetadata({ database: 'Source Data', orcid, ids });
      assert.deepEqual(
        reply.value.map((file) => (file.kind === 'file' ? file.id : '')),
        good,
      );
      assert.deepEqual(reply.refusedIds?.map(({ id }) => id).sort(), [...bad].sort());
      assert.equal(reply.reason, undefined);
      client.dispose();
    });
  }

  const control = /[\p{Cc}\p{Cf}\p{Cs}]/u;
  const hostileId = 'a\u001b[31m\u202eb\u0000\ud800c';

  it('are reported for a submission with the same status and names as for metadata (D26)', async () => {
    const ids = [
      'data/file-1.txt',
      'no',
      hostileId,
      'y'.repeat(500),
      ...Array.from({ length: 150 }, (_, i) => `n${i}`),
    ];
    const [metadata, submission] = [await byPost(ids), await rig.submit(ids)];
    assert.equal(submission.status, 404);
    assert.deepEqual(submission.body, metadata.body);
    assert.equal((submission.body as Problem).errors.at(-1)?.message, 'and 53 more');
    assert.deepEqual([(await byPost([])).status, (await rig.submit([])).status], [422, 422]);
  });

  it('are reported after the repeated files of a submission, once each with their locations (D26)', async () => {
    const response = await rig.submit(['data/file-1.txt', 'no', 'data/file-1.txt', 'no', 'no', hostileId, hostileId]);
    assert.equal(response.status, 422);
    assert.deepEqual((response.body as Problem).errors, [
      { message: 'given more than once: "data/file-1.txt"', location: 'body.file_ids.2' },
      { message: 'given more than once: "no"', location: 'body.file_ids.3' },
      { message: 'given more than once: "a\ufffd[31m\ufffdb\ufffd\ufffdc"', location: 'body.file_ids.6' },
      { message: 'unknown: "no"', location: 'body.file_ids.1' },
      { message: 'unknown: "a\ufffd[31m\ufffdb\ufffd\ufffdc"', location: 'body.file_ids.5' },
    ]);
  });

  const long = 'x'.repeat(7_000_000);
  const echoed: [what: string, ids: readonly string[], more: object][] = [
    ['an unknown id', [long], {}],
    ['an id given twice', [long.slice(0, 3_500_000), long.slice(0, 3_500_000)], {}],
    ['a source', ['data/file-1.txt'], { source: long }],
    ['a destination', ['data/file-1.txt'], { destination: long }],
    ['a source with control characters', ['data/file-1.txt'], { source: hostileId }],
    ['a destination with control characters', ['data/file-1.txt'], { destination: hostileId }],
    ['an unknown field', ['data/file-1.txt'], { [hostileId + long]: 1 }],
  ];
  for (const [what, ids, more] of echoed) {
    it(`are reported like ${what} of a submission, in a few printable characters`, async () => {
      const response = await rig.submit(ids, more);
      assert.ok(response.status === 404 || response.status === 422);
      const { detail, errors } = response.body as Problem;
      const texts = [detail, ...errors.flatMap(({ message, location }) => [message, location])];
      assert.deepEqual(
        texts.filter((text) => control.test(text) || text.length > 500),
        [],
      );
    });
  }

  it('are the reason that our own client reports when no file is known (D2)', async () => {
    const client = new DataTransferClient({ log: new MemoryLog() });
    await client.connect({ server: rig.service.address, apiKey: rig.service.token });
    const reply = await client.fetchMetadata({ database: 'Source Data', orcid, ids: ['no', 'nor'] });
    assert.deepEqual(reply.value, []);
    assert.deepEqual(
      reply.refusedIds?.map(({ id, reason }) => [id, reason.status]),
      [
        ['no', 404],
        ['nor', 404],
      ],
    );
    client.dispose();
  });
});
