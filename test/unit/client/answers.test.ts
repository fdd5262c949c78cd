import assert from 'node:assert/strict';
import type { FoundFile } from '../../../src/core/model/fileEntry.ts';
import { json, text } from '../../support/faultBehaviours.ts';
import { startBench } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import { transferId } from './contractCalls.ts';

describe('how answers are read (D15)', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await startBench();
    await bench.connect();
  });

  afterEach(async () => {
    await bench.end();
  });

  async function files(resources: unknown): Promise<readonly FoundFile[]> {
    bench.server.on('POST /api/v1/files', json({ resources }));
    const reply = await bench.client.search({ database: 'D', orcid: 'O', query: '' });
    assert.equal(reply.reason, undefined);
    return reply.value;
  }

  it('§2.3 a resource becomes a file, with all that came', async () => {
    const resource = {
      id: 'JDP:1',
      name: 'reads',
      path: 'a/b/reads.fastq.gz',
      title: 'Reads',
      description: 'About',
      format: 'fastq',
      mediatype: 'application/gzip',
      bytes: 12,
      hash: 'abc',
      credit: { comment: '' },
    };
    assert.deepEqual(await files([resource]), [
      {
        kind: 'file',
        id: 'JDP:1',
        database: 'D',
        name: 'reads.fastq.gz',
        path: 'a/b/reads.fastq.gz',
        title: 'Reads',
        description: 'About',
        format: 'fastq',
        mediaType: 'application/gzip',
        sizeBytes: 12,
        hash: 'abc',
        resource,
      },
    ]);
  });

  for (const [told, name] of [
    [{ name: 'n', path: 'a/b.csv' }, 'b.csv'],
    [{ name: 'n', path: 'a/' }, 'n'],
    [{ name: 'n', path: null }, 'n'],
    [{ name: ' ', path: '' }, 'the-id'],
    [{}, 'the-id'],
  ] as const) {
    it(`a file with ${JSON.stringify(told)} is called ${name}`, async () => {
      const [file] = await files([{ id: 'the-id', ...told }]);
      assert.equal(file?.kind === 'file' && file.name, name);
    });
  }

  for (const bytes of [1e300, -5, 1.5]) {
    it(`D39 a size of ${String(bytes)} bytes is not known, and stays in the resource`, async () => {
      const [file] = await files([{ id: 'x', bytes }]);
      assert.deepEqual(file, { kind: 'file', id: 'x', database: 'D', name: 'x', resource: { id: 'x', bytes } });
    });
  }

  it('D15 null and absent fields are absent', async () => {
    const [file] = await files([{ id: 'x', title: null, bytes: null, hash: null, format: null }]);
    assert.deepEqual(Object.keys(file ?? {}).sort(), ['database', 'id', 'kind', 'name', 'resource']);
  });

  for (const none of [null, undefined, []]) {
    it(`D15 resources ${none === undefined ? 'left out' : JSON.stringify(none)} is an empty list`, async () => {
      assert.deepEqual(await files(none), []);
    });
  }

  for (const broken of [null, 5, 'x', [], {}, { id: 5 }, { id: 'x', bytes: '12' }, { id: 'x', path: {} }]) {
    it(`D15 ${JSON.stringify(broken)} is unreadable, and the others are not lost`, async () => {
      const found = await files([{ id: 'a' }, broken, { id: 'b' }]);
      assert.deepEqual(found[1], { kind: 'unreadable', text: JSON.stringify(broken) });
      assert.equal(found.filter((file) => file.kind === 'file').length, 2);
    });
  }

  it('D15 a resource nested without end is unreadable, and the others are not lost', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    bench.server.on('POST /api/v1/files', text(200, `{"resources":[{"id":"a"},{"id":"b","x":${deep}}]}`));
    const { value } = await bench.client.search({ database: 'D', orcid: 'O', query: '' });
    assert.deepEqual(
      value.map(({ kind }) => kind),
      ['file', 'unreadable'],
    );
  });

  it('D15 names that mean something to the language do no harm', async () => {
    bench.server.on(
      'POST /api/v1/files',
      text(200, '{"resources":[{"id":"a","__proto__":{"name":"x"},"constructor":1}]}'),
    );
    const { value } = await bench.client.search({ database: 'D', orcid: 'O', query: '' });
    assert.equal(value[0]?.kind === 'file' && value[0].name, 'a');
    assert.equal(({} as Record<string, unknown>)['name'], undefined);
  });

  it('a byte order mark is no part of the JSON', async () => {
    bench.server.on('GET /api/v1/databases', text(200, '\ufeff[]'));
    assert.deepEqual(await bench.client.databases(), { value: [] });
  });

  it('§4.2 databases without id or name are passed over; what else is missing is empty', async () => {
    const listing = [{ id: 'a', name: 'A', organization: null }, { id: 'b' }, null, 5, { id: 1, name: 'C' }];
    bench.server.on('GET /api/v1/databases', json(listing));
    assert.deepEqual(await bench.client.databases(), { value: [{ id: 'a', name: 'A', organization: '', url: '' }] });
  });

  it('§2.4 every field of a status may be absent or null', async () => {
    for (const told of [{}, { id: null, status: null, message: null, num_files: null, num_files_transferred: null }]) {
      bench.server.on('GET /api/v1/transfers/*', json(told));
      assert.deepEqual(await bench.client.transferStatus(transferId), { value: {} });
    }
  });

  it('§2.4 a status is told as it came, an unknown word too (D10)', async () => {
    const told = { id: transferId, status: 'resting', message: 'm', num_files: 4, num_files_transferred: 0 };
    bench.server.on('GET /api/v1/transfers/*', json(told));
    assert.deepEqual(await bench.client.transferStatus(transferId), {
      value: { id: transferId, status: 'resting', message: 'm', fileCount: 4, movedFileCount: 0 },
    });
  });

  it('§2.4 a status of other types is unreadable, and says where', async () => {
    bench.server.on('GET /api/v1/transfers/*', json({ status: 5 }));
    const { reason } = await bench.client.transferStatus(transferId);
    assert.equal(reason?.kind, 'unreadable');
    assert.match(reason.detail ?? '', /"status"/);
  });

  it('D26 search parameters are told with their values', async () => {
    const told = { d: { type: 'array(string)', value: ['asc', 'desc'] }, q: { type: 'string' }, broken: { value: 1 } };
    bench.server.on('GET /api/v1/databases/*', json(told));
    assert.deepEqual(await bench.client.searchParameters('jdp'), {
      value: { d: { type: 'array(string)', values: ['asc', 'desc'] }, q: { type: 'string', values: [] } },
    });
  });

  it('D26 a server that does not tell of search parameters has none, which is no error', async () => {
    assert.deepEqual(await bench.client.searchParameters('jdp'), { value: {} });
    assert.deepEqual(bench.log.errors, []);
  });
});
