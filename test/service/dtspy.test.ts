import assert from 'node:assert/strict';
import { RawConnection } from '../support/rawHttp.ts';
import type { Answer } from '../support/contractRig.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const orcid = '0000-0002-1825-0097';

/** A request that dtspy sends. dtspy appends `target` to the server address. */
interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly target: string;
  readonly json?: unknown;
}

/** Returns JSON text as Python's `json.dumps` writes it: spaces after separators, ASCII only. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, field]) => `${pythonJson(name)}: ${pythonJson(field)}`);
    return `{${fields.join(', ')}}`;
  }
  const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replaceAll(/[^\x20-\x7e]/g, escape);
}

/** Encodes `params` as a query string in the same way as python-requests. */
function pythonQuery(params: Readonly<Record<string, string | number>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) query.set(name, String(value));
  return query.toString();
}

/** Returns the head and the body of a request, byte for byte as dtspy sends them through python-requests 2.34. */
function listRequestParts({ address, token }: ServiceRig['service'], { method, target, json }: Call): string[] {
  const body = json === undefined ? '' : pythonJson(json);
  const head = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${new URL(address).host}`,
    'User-Agent: python-requests/2.34.2',
    'Accept-Encoding: gzip, deflate',
    'Accept: */*',
    'Connection: keep-alive',
    ...(method === 'GET' ? [] : [`Content-Length: ${body.length}`]),
    ...(json === undefined ? [] : ['Content-Type: application/json']),
    `Authorization: Bearer ${Buffer.from(`${token}\n`).toString('base64')}`,
  ];
  return [[...head, '', ''].join('\r\n'), body];
}

for (const [server, base] of [
  ['http://127.0.0.1:PORT', ''],
  ['http://127.0.0.1:PORT/', '/'],
] as const) {
  describe(`The Python client dtspy, connected to ${server} (D5, D26)`, () => {
    const api = `${base}/api/v1`;
    let rig: ServiceRig;

    before(async () => {
      const files = { 'a.csv': 'a', 'data/b c.csv': 'b', 'wéather.csv': 'w', 'slow.bin': 'x'.repeat(500_000) };
      rig = await ServiceRig.start(files, { throttleBytesPerSecond: 1_000 });
    });
    after(async () => await rig.stop());

    async function send(call: Call): Promise<Answer> {
      const connection = await RawConnection.open(rig.service.address);
      try {
        for (const part of listRequestParts(rig.service, call)) connection.write(part);
        const given = await connection.answer();
        assert.ok(given, 'there was no answer');
        return await rig.checked(call.method, call.target, given);
      } finally {
        connection.end();
      }
    }

    async function succeed(call: Call, status = 200): Promise<unknown> {
      const response = await send(call);
      assert.equal(response.status, status, JSON.stringify(response.body));
      return response.body;
    }

    const listIds = (body: unknown): string[] =>
      (body as { resources: { id: string }[] }).resources.map(({ id }) => id);

    it('connects: the root responds with name and version, and a field that it ignores', async () => {
      const root = (await succeed({ method: 'GET', target: '/' })) as object;
      assert.deepEqual(Object.keys(root), ['name', 'version', 'features']);
    });

    it('lists the databases with the four fields that it reads', async () => {
      const databases = (await succeed({ method: 'GET', target: `${api}/databases` })) as object[];
      const fields = databases.map((one) => Object.keys(one));
      assert.deepEqual(fields, Array(2).fill(['id', 'name', 'organization', 'url']));
    });

    it('searches by words only, and with every argument', async () => {
      const words = { database: 'Source Data', orcid, query: 'wéather' };
      assert.deepEqual(listIds(await succeed({ method: 'POST', target: `${api}/files`, json: words })), [
        'wéather.csv',
      ]);
      const specific = { format: 'csv', path: '*', minBytes: 0, maxBytes: 1000.5, sort: 'path', order: 'desc' };
      const json = { database: 'source-data', orcid, query: '*', status: 'unstaged', offset: 1, limit: 1, specific };
      assert.deepEqual(listIds(await succeed({ method: 'POST', target: `${api}/files`, json })), ['data/b c.csv']);
    });

    it('fetches metadata by POST, with a page', async () => {
      const json = { database: 'Source Data', orcid, file_ids: ['a.csv', 'data/b c.csv'], offset: 1, limit: 5 };
      const target = `${api}/files/by-id`;
      assert.deepEqual(listIds(await succeed({ method: 'POST', target, json })), ['data/b c.csv']);
    });

    it('fetches metadata by GET, like its older versions', async () => {
      const query = pythonQuery({ database: 'Source Data', orcid, ids: 'a.csv,data/b c.csv', offset: 1, limit: 5 });
      assert.deepEqual(listIds(await succeed({ method: 'GET', target: `${api}/files/by-id?${query}` })), [
        'data/b c.csv',
      ]);
    });

    it('transfers, polls the status and cancels', async () => {
      const json = {
        orcid,
        source: 'Source Data',
        destination: 'Target',
        file_ids: ['slow.bin'],
        description: '# Für die *Assembly*',
        instructions: { type: 'assembly', steps: [1, true, null] },
      };
      const { id } = (await succeed({ method: 'POST', target: `${api}/transfers`, json }, 201)) as { id: string };
      const status = (await succeed({ method: 'GET', target: `${api}/transfers/${id}` })) as object;
      const counts = ['num_files', 'num_files_transferred'];
      const bytes = ['num_bytes', 'num_bytes_staged', 'num_bytes_transferred', 'num_bytes_verified'];
      assert.deepEqual(Object.keys(status), ['id', 'status', 'message', 'paused', ...counts, ...bytes]);
      const target = `${api}/transfers/${id}?${pythonQuery({ orcid })}`;
      assert.equal(await succeed({ method: 'DELETE', target }, 202), undefined);
      assert.match((await rig.waitForStatus(id, 'failed')).message, /: canceled$/);
    });

    it('receives an error for a wrong token, regardless of whitespace around it', async () => {
      const service = { ...rig.service, address: rig.service.address, token: `${rig.service.token}x` };
      const connection = await RawConnection.open(rig.service.address);
      connection.write(listRequestParts(service, { method: 'GET', target: '/' }).join(''));
      assert.equal((await connection.answer())?.status, 401);
      connection.end();
    });
  });
}
