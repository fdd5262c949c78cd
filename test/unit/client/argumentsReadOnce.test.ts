import assert from 'node:assert/strict';
import { startBench, testKey } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import { metadata, search, transfer } from './contractCalls.ts';
import type { Call, UntypedFields } from './contractCalls.ts';
import { answerAll } from './contractServer.ts';

/** Returns an object whose property `name` yields the next of `values` each time it is read. */
function changing(name: string, ...values: readonly unknown[]): UntypedFields {
  let place = 0;
  return Object.defineProperty({}, name, {
    enumerable: true,
    get: () => values[Math.min(place++, values.length - 1)],
  });
}

function withHole(first: string, last: string): readonly string[] {
  const list = [first];
  list[2] = last;
  return list;
}

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

describe('Arguments that change (§4.8, D1)', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await startBench();
    answerAll(bench.server);
    await bench.connect();
  });

  afterEach(async () => {
    await bench.end();
  });

  async function sentBy(call: Promise<unknown>): Promise<string | undefined> {
    await call;
    return bench.server.requests.at(-1)?.body;
  }

  it('D1 sends an argument as it was checked, even if it changes afterwards', async () => {
    const given = Object.defineProperties(
      { orcid: 'O', query: 'Q' },
      Object.getOwnPropertyDescriptors(changing('database', 'D', 5)),
    );
    const call = bench.client.search(given as unknown as Parameters<Bench['client']['search']>[0]);
    assert.equal(await sentBy(call), '{"database":"D","orcid":"O","query":"Q"}');
  });

  it('D1 sends a list as it was given, even if it changes during the call', async () => {
    const fileIds = ['a', 'b'];
    const call = transfer({ fileIds })(bench.client);
    fileIds.push('c');
    assert.equal(await sentBy(call), '{"orcid":"O","source":"S","destination":"T","file_ids":["a","b"]}');
  });

  it('D1 serializes an object only once', async () => {
    const forms: unknown[] = [{ a: 1 }, 'text', 5];
    const specific = { toJSON: () => forms.shift() };
    const body = await sentBy(search({ specific })(bench.client));
    assert.equal(body, '{"database":"D","orcid":"O","query":"Q","specific":{"a":1}}');
  });

  const refusals: readonly (readonly [what: string, call: Call])[] = [
    ['a list of ids with holes', metadata({ ids: withHole('a', 'b') })],
    ['a list of files with holes', transfer({ fileIds: new Array(1) })],
    ['a list of four billion holes', transfer({ fileIds: new Array(4_000_000_000) })],
    ['a list that cannot be read', metadata({ ids: revoked([]) })],
    ['an object that cannot be read', search({ specific: revoked({}) })],
    ['a member that throws', (client) => client.search(revoked({}) as never)],
  ];

  for (const [what, call] of refusals) {
    it(`D3 ${what} causes a TypeError`, async () => {
      await assert.rejects(call(bench.client), { name: 'TypeError', message: /^(search|fetchMetadata|transfer): / });
      assert.deepEqual(bench.server.requests, []);
    });
  }

  for (const name of ['server', 'apiKey', 'port', 'scheme', 'transport', 'allowInsecureHttp']) {
    it(`D1 connecting with a property that throws causes a TypeError: ${name}`, async () => {
      const options = Object.defineProperty({ server: bench.server.address, apiKey: testKey }, name, {
        enumerable: true,
        get: () => {
          throw new Error('not to be read');
        },
      });
      await assert.rejects(bench.client.connect(options), { name: 'TypeError', message: /^connect: / });
      assert.deepEqual(bench.server.requests, []);
    });
  }

  it('D4 connects to an address as it was checked, even if it changes afterwards', async () => {
    const given = changing('server', bench.server.address, 'http://service.test');
    const { address } = await bench.client.connect(
      Object.defineProperty(
        { apiKey: testKey },
        'server',
        Object.getOwnPropertyDescriptor(given, 'server') ?? {},
      ) as never,
    );
    assert.equal(address, bench.server.address);
  });

  it('§4.9 treats a null port as absent', async () => {
    const options = { server: bench.server.address, apiKey: testKey, port: null, scheme: null };
    const { address } = await bench.client.connect(options as never);
    assert.equal(address, bench.server.address);
  });
});
