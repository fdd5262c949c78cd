import assert from 'node:assert/strict';
import { readErrorBody } from '../../../src/core/client/failures.ts';
import { json, problem, text } from '../../support/faultBehaviors.ts';
import { assertLinearTime } from '../../support/linearTime.ts';
import { fault } from '../../support/tally.ts';
import { startBench, testKey } from './clientBench.ts';
import type { Bench } from './clientBench.ts';

const problemType = 'application/problem+json';

describe('The text of an error response (D14)', () => {
  const rows: readonly (readonly [rule: string, body: unknown, type: string, detail: string | undefined])[] = [
    ['detail alone', { title: 'T', status: 404, detail: 'not here' }, problemType, 'not here'],
    [
      'detail, then the messages that it does not contain',
      { detail: 'a', errors: [{ message: 'b' }, { message: 'c' }] },
      problemType,
      'a; b; c',
    ],
    [
      'detail, without repeating a message that it contains',
      { detail: 'a: bad b', errors: [{ message: 'bad b' }] },
      problemType,
      'a: bad b',
    ],
    [
      'equal messages, which are reported once',
      { detail: 'a', errors: [{ message: 'b' }, { message: 'b' }] },
      problemType,
      'a; b',
    ],
    [
      'sentences, without periods before semicolons',
      { detail: 'A.', errors: [{ message: 'B.' }] },
      problemType,
      'A; B.',
    ],
    ['messages without detail', { errors: [{ message: 'b' }] }, problemType, 'b'],
    ['the title when there is nothing else', { title: 'Not Found', status: 404 }, problemType, 'Not Found'],
    ['detail, ignoring errors in another format', { detail: 'a', errors: 'x' }, problemType, 'a'],
    ['null fields, as undefined', { title: null, detail: null, errors: null }, problemType, undefined],
    ['code and error', { code: 404, error: 'no such database' }, 'application/json', 'no such database'],
    ['a problem document under another media type', { detail: 'a' }, 'text/plain', 'a'],
    ['plain text', '404 page not found\n', 'text/plain', '404 page not found'],
    ['an empty body, as undefined', '', '', undefined],
    ['the title of a page', '<html><head><title> Bad Gateway </title></head></html>', 'text/html', 'Bad Gateway'],
    ['a page without a title, as undefined', '<html><body>long</body></html>', '', undefined],
  ];

  for (const [rule, body, type, detail] of rows) {
    fault(`D14 is read from ${rule}`, () => {
      const raw = typeof body === 'string' ? body : JSON.stringify(body);
      assert.equal(readErrorBody(raw, type).detail, detail);
    });
  }

  it('D14 never contains `errors[].value`', () => {
    const body = { detail: 'a', errors: [{ message: 'b', location: 'body', value: 'private' }] };
    assert.doesNotMatch(JSON.stringify(readErrorBody(JSON.stringify(body), problemType)), /private/);
  });

  it('D8 is a problem document only if the service sent it', () => {
    assert.equal(readErrorBody('{"detail":"a"}', problemType).isProblem, true);
    assert.equal(readErrorBody('{"code":404,"error":"a"}', 'application/json').isProblem, true);
    assert.equal(readErrorBody('404 page not found', 'text/plain').isProblem, false);
    assert.equal(readErrorBody('', '').isProblem, false);
    assert.equal(readErrorBody('[]', problemType).isProblem, false);
  });

  it('D15 is read from a document with any number of invalid errors', () => {
    const errors = [...Array<number>(400_000).fill(0), { message: 'the last' }];
    assert.equal(readErrorBody(JSON.stringify({ detail: 'a', errors }), problemType).detail, 'a; the last');
  });

  it('D15 is shortened if it is long', () => {
    assert.equal(readErrorBody('x'.repeat(100_000), 'text/plain').detail?.length, 4001);
  });
});

describe('A very long error (D14)', () => {
  const createMessages = (length: number): readonly { readonly message: string }[] =>
    Array.from({ length }, (_, place) => ({ message: `no ${String(place)}` }));
  const bodies: Readonly<Record<string, (count: number) => unknown>> = {
    'thousands of messages': (count) => ({ detail: 'first', errors: createMessages(count) }),
    'a long detail that ends with its messages': (count) => {
      const errors = createMessages(count);
      return { detail: 'x'.repeat(8 * count) + errors.map(({ message }) => message).join(), errors };
    },
  };

  for (const [what, createBody] of Object.entries(bodies)) {
    it(`is read in linear time: ${what}`, async () => {
      await assertLinearTime(40_000, (count) => {
        const { detail = '' } = readErrorBody(JSON.stringify(createBody(count)), problemType);
        assert.equal(detail.length, 4001);
      });
    });
  }
});

describe('The API key in an error (§5)', () => {
  it('is redacted even where a long text is cut', () => {
    const { detail } = readErrorBody(`${'x'.repeat(3_995)}${testKey}`, 'text/plain', [testKey]);
    assert.ok(detail?.endsWith('x[reda…'), detail?.slice(-20));
  });

  it('is redacted in what the error says of the listing of a store', () => {
    const listing = { state: 'failed', files: 1, problem: `no ${testKey}` };
    const body = readErrorBody(JSON.stringify({ detail: 'a', listing }), problemType, [testKey]);
    assert.deepEqual(body.listing, { ...listing, problem: 'no [redacted]' });
  });
});

describe('The log of a failure (D2, D14)', () => {
  let bench: Bench;
  const route = 'POST /api/v1/files';

  beforeEach(async () => {
    bench = await startBench();
    await bench.connect();
  });

  afterEach(async () => {
    await bench.end();
  });

  async function logged(): Promise<string> {
    await bench.client.search({ database: 'D', orcid: '0000-0002-1825-0097', query: 'private words' });
    return bench.log.lines.join('\n');
  }

  it('D14 never contains `errors[].value`', async () => {
    bench.server.on(route, problem(422, 'validation failed', ['expected integer']));
    const lines = await logged();
    assert.match(lines, /validation failed; expected integer/);
    assert.doesNotMatch(lines, /somebody-elses-data/);
  });

  it('contains method, path and status, but neither query nor user', async () => {
    bench.server.on(route, problem(403, 'no'));
    const lines = await logged();
    assert.match(lines, /error POST \/api\/v1\/files: 403 forbidden, no$/);
    assert.doesNotMatch(lines, /0000-0002|private words/);
  });

  it('leaves out the query of an address', async () => {
    await bench.client.fetchMetadata({ database: 'D', orcid: '0000-0002-1825-0097', ids: ['secret-id'] });
    await bench.client.cancelTransfer({ id: 'f710559a-5d01-417b-91ac-3726503d11a3', orcid: '0000-0002-1825-0097' });
    assert.ok(bench.log.errors.length > 0);
    assert.doesNotMatch(bench.log.lines.join('\n'), /0000-0002|secret-id|\?/);
  });

  it('§5 never contains the key, in whatever form a server repeats it', async () => {
    const encoded = Buffer.from(testKey).toString('base64');
    bench.server.on(route, problem(401, `bad token ${testKey}, sent as Authorization: Bearer ${encoded}`, [encoded]));
    const reply = await bench.client.search({ database: 'D', orcid: 'O', query: '' });
    for (const text of [bench.log.lines.join('\n'), JSON.stringify(reply)]) {
      assert.ok(!text.includes(testKey), text);
      assert.ok(!text.includes(encoded), text);
    }
  });

  it('stays one line, whatever the server sends', async () => {
    bench.server.on(route, text(500, 'first\r\nerror: forged\u2028line\u001b[31m'));
    await logged();
    assert.equal(bench.log.errors.length, 1);
    assert.doesNotMatch(bench.log.errors[0] ?? '', /[\r\n\u2028\u001b]/);
  });

  it('is empty without a failure', async () => {
    bench.server.on(route, json({ resources: [] }));
    await logged();
    assert.deepEqual(bench.log.errors, []);
  });
});
