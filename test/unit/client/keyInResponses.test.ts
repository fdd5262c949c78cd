import assert from 'node:assert/strict';
import { KeyRemover } from '../../../src/core/util/redact.ts';
import { json, text, type Behavior } from '../../support/faultBehaviors.ts';
import { startBench, testKey } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import { metadata, search, transfer, transferId, type Call } from './contractCalls.ts';

const placeholder = '[redacted]';
const percentEncoded = [...Buffer.from(testKey)].map((byte) => `%${byte.toString(16)}`).join('');
const forms: Readonly<Record<string, string>> = {
  unencoded: testKey,
  'in base64': Buffer.from(testKey).toString('base64'),
  'in base64 with a user name': Buffer.from(`me:${testKey}`).toString('base64'),
  'in a header': `Authorization: Bearer ${Buffer.from(testKey).toString('base64')}`,
  'percent-encoded': percentEncoded,
  'with an invisible character': `${testKey.slice(0, 4)}\u200e${testKey.slice(4)}`,
};

/**
 * Returns a part of an encoded key. Output that contains the part, after invisible characters are removed, has leaked
 * the key.
 */
function toTrace(form: string): string {
  return (
    form
      .replaceAll(/\p{Cf}/gu, '')
      .split(' ')
      .at(-1)
      ?.slice(4, 14) ?? ''
  );
}

const listDatabases: Call = (client) => client.databases();
const searchParameters: Call = (client) => client.searchParameters('D');
const status: Call = (client) => client.transferStatus(transferId);

/** Returns a file resource with `echo` in each of its text fields, and in names and values of a nested field. */
function toResource(echo: string): object {
  const texts = ['id', 'name', 'path', 'title', 'description', 'format', 'mediatype', 'hash'];
  const nested = { [echo]: [echo, { deep: [[{ [`x-${echo}`]: echo }]] }], count: 7 };
  return { ...Object.fromEntries(texts.map((name) => [name, `a ${echo} b`])), bytes: 12, credit: nested };
}

/** Makes the server repeat `echo` in most strings of its responses. */
function repeat({ server }: Bench, echo: string): void {
  const message = `started with ${echo}`;
  const resources = [toResource(echo), { [echo]: echo }, echo];
  server.on('GET /', json({ name: `n ${echo}`, version: `v ${echo}` }));
  server.on(
    'GET /api/v1/databases',
    json([
      { id: `id ${echo}`, name: `name ${echo}`, organization: echo, url: `https://a.test/?key=${echo}` },
      { id: 'b', name: 'B', listing: { state: 'failed', files: 1, problem: `refused ${echo}` } },
    ]),
  );
  server.on('GET /api/v1/databases/*', json({ [echo]: { type: echo, value: [echo] } }));
  server.on('POST /api/v1/files', json({ resources }));
  server.on('GET /api/v1/files/*', json({ resources }));
  server.on('POST /api/v1/transfers', json({ id: echo }));
  server.on('GET /api/v1/transfers/*', json({ id: transferId, status: `active ${echo}`, message, num_files: 3 }));
}

describe('The API key in successful responses', () => {
  let bench: Bench;

  before(async () => {
    bench = await startBench();
  });
  after(async () => {
    await bench.end();
  });

  const calls = Object.entries({
    databases: listDatabases,
    searchParameters,
    search: search({}),
    metadata: metadata({}),
    submission: transfer({}),
    status,
  });

  for (const [where, echo] of Object.entries(forms)) {
    it(`is in nothing that the client returns or logs if a server repeats it ${where}`, async () => {
      repeat(bench, echo);
      await bench.connect();
      const { name, version } = bench.client.service ?? {};
      assert.match(`${name ?? ''} ${version ?? ''}`, /^n .*\[redacted\].* v .*\[redacted\]/);
      for (const [what, call] of calls) {
        const reply = JSON.stringify(await call(bench.client)).replaceAll(/\p{Cf}/gu, '');
        assert.ok(!reply.includes(toTrace(echo)), `${what}: ${reply}`);
        if (what !== 'submission') assert.ok(reply.includes(placeholder), `${what}: ${reply}`);
      }
      for (const { url, body } of bench.server.requests) assert.ok(!(url + body).includes(toTrace(echo)), url);
      assert.ok(
        !bench.log.lines
          .join('\n')
          .replaceAll(/\p{Cf}/gu, '')
          .includes(toTrace(echo)),
      );
    });
  }

  it('leaves everything else in such a response unchanged', async () => {
    const own = { bytes: 12345678901, list: [1.5, null, true, ''], path: 'a/b', __proto__x: {} };
    const body = `{"resources":[{"id":"${testKey}","name":"n","__proto__":"p","more":${JSON.stringify(own)}}]}`;
    bench.server.on('GET /', json({ name: 'n', version: '1' }));
    bench.server.on('POST /api/v1/files', text(200, body, 'application/json'));
    await bench.connect();
    const { value } = await bench.client.search({ database: 'D', orcid: 'O', query: 'Q' });
    const expected = body.replace(testKey, placeholder);
    assert.equal(JSON.stringify({ resources: value.map((file) => file.kind === 'file' && file.resource) }), expected);
  });

  it('does not alter addresses, headers, or words that equal a short key', async () => {
    const message = 'at https://me@a.test, Authorization: see the manual';
    const answer: Behavior = json({ id: transferId, status: 'active', message });
    bench.server.on('GET /api/v1/transfers/*', answer);
    for (const apiKey of [testKey, 'manual', 'test']) {
      await bench.connect({ apiKey });
      assert.equal((await bench.client.transferStatus(transferId)).value?.message, message);
    }
  });

  it('is removed from deeply nested responses', async () => {
    const depth = 100_000;
    const body = `{"resources":[${'['.repeat(depth)}"${testKey}"${']'.repeat(depth)},{"id":"${testKey}"}]}`;
    bench.server.on('POST /api/v1/files', text(200, body, 'application/json'));
    await bench.connect();
    const { value } = await bench.client.search({ database: 'D', orcid: 'O', query: 'Q' });
    assert.equal(value.length, 2);
    assert.ok(!JSON.stringify(value).includes(testKey));
  });

  const key = 'ab~cd&fgh';
  const base64 = Buffer.from(key).toString('base64');
  const percent = [...Buffer.from(key)].map((byte) => `%${byte.toString(16)}`).join('');
  for (const [form, text] of Object.entries({
    'a character of its base64 form': base64.replace('+', '\\u002B'),
    'a letter of its base64 form': base64.replace('Y', '\\u0059'),
    'a line break in its base64 form': `${base64.slice(0, 6)}\\u000a${base64.slice(6)}`,
    'percent signs': percent.replaceAll('%', '\\u0025'),
    'an HTML entity': key.replace('&', '\\u0026amp;'),
    'an invisible character': key.replace('~', '~\\u2060'),
    'an invisible character outside the Basic Multilingual Plane': key.replace('~', '~\\uDB40\\uDC41'),
  })) {
    it(`is removed if the response escapes ${form}`, () => {
      const body = `{"message":"Bearer ${text}"}`;
      assert.match(body, /\\u(?:00|2060|DB40)/);
      assert.deepEqual(new KeyRemover(key).removeFrom(JSON.parse(body), body), { message: 'Bearer [redacted]' });
    });
  }
});
