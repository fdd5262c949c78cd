import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { RawConnection, sendRaw } from '../support/rawHttp.ts';
import { requestText, type RequestParts } from '../support/requestText.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const orcid = '0000-0002-1825-0097';
const secretQuery = 'words-that-are-nobody-elses-business';

interface Line {
  readonly time: string;
  readonly method: string | null;
  readonly route: string | null;
  readonly status: number | null;
  readonly durationMs: number | null;
}

describe('The access log of the local service (D40)', () => {
  let rig: ServiceRig;
  let written: string[] = [];

  before(async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a' }, { onAccess: (line) => void written.push(line) });
    // Until the folders have been read, `/health` reports that the service isn't ready.
    for (const database of ['Source Data', 'Target']) {
      written = [];
      const body = JSON.stringify({ database, orcid, query: '' });
      const { status } = await getLine(requestText(rig.service, { method: 'POST', target: '/api/v1/files', body }));
      assert.equal(status, 200);
    }
  });
  after(async () => await rig.stop());
  beforeEach(() => (written = []));

  /** Sends a raw request and returns the line that it adds to the access log. */
  async function getLine(text: string): Promise<Line> {
    await sendRaw(rig.service.address, text);
    const [line = ''] = await eventually(async () => await Promise.resolve(written.length > 0 ? written : undefined));
    assert.equal(written.length, 1);
    assert.match(line, /^\{[^\n]*\}\n$/);
    return JSON.parse(line) as Line;
  }

  const search = { database: 'Source Data', orcid, query: secretQuery };
  const rows: [route: string | null, status: number, parts: RequestParts][] = [
    ['/', 200, { method: 'GET', target: '/' }],
    ['/health', 200, { method: 'GET', target: '/health', headers: { Authorization: undefined } }],
    ['/api/v1/files', 200, { method: 'POST', target: '//api/v1/files/', body: JSON.stringify(search) }],
    ['/api/v1/files', 422, { method: 'POST', target: '/api/v1/files', body: JSON.stringify({ [secretQuery]: 1 }) }],
    [
      '/api/v1/files/by-id',
      404,
      { method: 'GET', target: `/api/v1/files/by-id?ids=${secretQuery}&database=x&orcid=y` },
    ],
    ['/api/v1/databases/{database}', 404, { method: 'GET', target: `/api/v1/databases/${secretQuery}` }],
    [
      '/api/v1/transfers/{id}',
      401,
      { method: 'GET', target: '/api/v1/transfers/x', headers: { Authorization: 'Basic x' } },
    ],
    ['/', 403, { method: 'GET', target: '/', headers: { Host: 'example.org' } }],
    ['/', 405, { method: 'PUT', target: '/' }],
    [null, 404, { method: 'GET', target: `/${secretQuery}` }],
    [null, 400, { method: 'GET', target: `ftp://${secretQuery}/` }],
  ];
  for (const [route, status, parts] of rows) {
    it(`has one line of JSON for ${parts.method} of ${route ?? 'an unknown route'} with status ${status}`, async () => {
      const sentAtMs = Date.now();
      const line = await getLine(requestText(rig.service, parts));
      assert.deepEqual(Object.keys(line), ['time', 'method', 'route', 'status', 'durationMs']);
      assert.deepEqual([line.method, line.route, line.status], [parts.method, route, status]);
      assert.ok(Date.parse(line.time) >= sentAtMs && Date.parse(line.time) <= Date.now());
      assert.ok(line.durationMs !== null && line.durationMs >= 0 && line.durationMs < 60_000);
    });
  }

  it('has a line for an invalid request, without its content', async () => {
    const line = await getLine(`${secretQuery} ${rig.service.token}\r\n\r\n`);
    assert.deepEqual([line.method, line.route, line.status, line.durationMs], [null, null, 400, null]);
  });

  it('has a line without "aborted" for a lease that its window ended (D29)', async () => {
    const shared = await ServiceRig.start({}, { shared: true, onAccess: (line) => void written.push(line) });
    try {
      (await shared.lease()).disconnect();
      const text = await eventually(
        async () => await Promise.resolve(written.find((line) => line.includes('/leases'))),
      );
      const line = JSON.parse(text) as Line;
      assert.deepEqual(Object.keys(line), ['time', 'method', 'route', 'status', 'durationMs']);
      assert.deepEqual([line.method, line.route, line.status], ['POST', '/leases', 200]);
    } finally {
      await shared.stop();
    }
  });

  it('has a line, possibly without a status, for a request whose connection closed before the response', async () => {
    const text = requestText(rig.service, { method: 'POST', target: '/api/v1/files', body: JSON.stringify(search) });
    const connection = await RawConnection.open(rig.service.address);
    connection.write(text.slice(0, -1));
    await eventually(async () => {
      connection.end();
      return await Promise.resolve(written.length > 0 ? true : undefined);
    });
    const { method, route, status } = JSON.parse(written[0] ?? '') as Line;
    assert.deepEqual([method, route], ['POST', '/api/v1/files']);
    assert.ok(status === null || status === 400);
  });

  afterEach(() => {
    const { token } = rig.service;
    const logged = [...written, ...rig.logged].join('');
    for (const secret of [token, Buffer.from(token).toString('base64'), secretQuery, orcid, 'Source Data']) {
      assert.ok(!logged.includes(secret), secret);
    }
  });
});
