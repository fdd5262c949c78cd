import assert from 'node:assert/strict';
import { localServiceName } from '../../../src/contract/contract.ts';
import type { OpenConnections } from '../../../src/core/connections/openConnections.ts';
import { ContentFlow } from '../../../src/core/search/contentFlow.ts';
import { maxContentBytes } from '../../../src/core/util/fileContent.ts';
import { json, problem, type Behavior } from '../../support/faultBehaviors.ts';
import { startBench, type Bench } from './clientBench.ts';

const route = 'GET /databases/Lab%20Share/content';
const file = { connectionId: 'c', database: 'Lab Share', id: 'data/a #1.bin' };

/** Returns ranges of a file as the local service does; `change` is called after each response. */
function serve(content: Buffer, change: (tag: number) => number = (tag) => tag): Behavior {
  let tag = 1;
  return (request, response) => {
    const [from = 0, last = 0] = (/\d+-\d+/.exec(String(request.headers['range']))?.[0] ?? '').split('-').map(Number);
    const condition = request.headers['if-match'];
    if (condition !== undefined && condition !== `"${tag}"`)
      return problem(412, 'The file has changed.')(request, response);
    if (from >= content.length) return problem(416, 'The range is beyond the end.')(request, response);
    const bytes = content.subarray(from, Math.min(last + 1, from + maxContentBytes));
    response.writeHead(206, {
      'content-range': `bytes ${from}-${from + bytes.length - 1}/${content.length}`,
      'last-modified': 'Mon, 30 Nov 2026 12:00:00 GMT',
      etag: `"${tag}"`,
    });
    response.end(bytes);
    tag = change(tag);
  };
}

describe('The content of a file, requested by the client', () => {
  let bench: Bench;
  let flow: ContentFlow;

  beforeEach(async () => {
    bench = await startBench();
    bench.server.on('GET /', json({ name: localServiceName, version: '1', features: ['files.content'] }));
    flow = new ContentFlow({ get: () => ({ client: bench.client }) } as unknown as OpenConnections);
    await bench.connect();
  });
  afterEach(() => bench.end());

  async function read(offset: number, limit: number) {
    const { part, reason } = await flow.read(file, { offset, limit });
    return part ? Buffer.from(part.bytes) : reason;
  }

  it('is a range of bytes, which are no text, with the size, version and time of the file', async () => {
    bench.server.on(route, serve(Buffer.from([0xff, 0xfe, 0, 0x80, 10])));
    const { part } = await flow.read(file, { offset: 1, limit: 3 });
    assert.deepEqual(part && { ...part, bytes: [...part.bytes] }, {
      bytes: [0xfe, 0, 0x80],
      totalBytes: 5,
      entityTag: '"1"',
      modifiedMs: Date.UTC(2026, 10, 30, 12),
    });
    const [request] = bench.server.requests;
    assert.ok(request);
    assert.equal(request.headers['range'], 'bytes=1-3');
    assert.ok(request.url.endsWith('?id=data%2Fa%20%231.bin'), request.url);
  });

  it('is read in several requests, up to the limit or the end', async () => {
    const content = Buffer.alloc(2 * maxContentBytes + 5, 'ab');
    bench.server.on(route, serve(content));
    assert.ok(content.equals((await read(0, Infinity)) as Buffer));
    assert.equal(((await read(3, maxContentBytes + 1)) as Buffer).length, maxContentBytes + 1);
  });

  it('of an empty file is empty', async () => {
    bench.server.on(route, serve(Buffer.alloc(0)));
    assert.deepEqual(await read(0, 10), Buffer.alloc(0));
  });

  it('never mixes two versions of a file', async () => {
    bench.server.on(
      route,
      serve(Buffer.alloc(2 * maxContentBytes), (tag) => tag + 1),
    );
    const { kind, status } = (await read(0, Infinity)) as { kind: string; status: number };
    assert.deepEqual([kind, status], ['refused', 412]);
  });

  it('is never requested of a service that does not say that it has the route', async () => {
    bench.server.on('GET /', json({ name: localServiceName, version: '1', features: ['instructions.folder'] }));
    await bench.connect();
    assert.equal(flow.canRead('c'), false);
    assert.deepEqual(await read(0, 10), { kind: 'noContent' });
    assert.deepEqual(bench.server.requests, []);
  });

  it('needs a connection', async () => {
    const lonely = new ContentFlow({ get: () => undefined } as unknown as OpenConnections);
    assert.deepEqual(await lonely.read(file, { offset: 0, limit: 1 }), { reason: { kind: 'notConnected' } });
  });

  const lies: Readonly<Record<string, readonly [status: number, range: string, bytes: number]>> = {
    'a whole file instead of the range': [200, '', 10],
    'another range': [206, 'bytes 5-9/20', 5],
    'more bytes than were requested': [206, 'bytes 0-19/20', 20],
    'fewer bytes than its header says': [206, 'bytes 0-9/20', 5],
    'a size that the range exceeds': [206, 'bytes 0-9/5', 10],
    'no range': [206, '', 10],
  };
  for (const [what, [status, range, count]] of Object.entries(lies)) {
    it(`is not believed if the response has ${what}`, async () => {
      bench.server.on(route, (_request, response) => {
        response.writeHead(status, { 'content-range': range, etag: '"1"' }).end(Buffer.alloc(count));
      });
      const { kind } = (await read(0, 10)) as { kind: string };
      assert.equal(kind, 'unreadable');
    });
  }
});
