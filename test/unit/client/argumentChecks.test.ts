import assert from 'node:assert/strict';
import { RuntimeError, ValueError } from '../../../src/core/client/reply.ts';
import { contractRow } from '../../support/tally.ts';
import { startBench } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import { cancel, metadata, search, transfer } from './contractCalls.ts';
import type { Call, UntypedFields } from './contractCalls.ts';

interface Refusal {
  readonly rule: string;
  readonly call: Call;
  readonly type: new (...given: never[]) => Error;
  /** Matches the required parts of the message: the operation, the argument, or both. */
  readonly pattern: RegExp;
}

const ring: UntypedFields = {};
(ring as Record<string, unknown>)['self'] = ring;
const notStrings: readonly unknown[] = [undefined, null, 5, true, ['x'], { x: 1 }, Symbol('s'), 5n, () => 'x'];

function each(values: readonly unknown[], make: (value: unknown) => Refusal): readonly Refusal[] {
  return values.map(make);
}

function word(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

type CreateCall = (changes: UntypedFields) => Call;
const operations = { search, fetchMetadata: metadata, transfer, cancelTransfer: cancel } as const;

function wrong(
  operation: keyof typeof operations,
  name: string,
  values: readonly unknown[],
  type: Refusal['type'],
  row: string,
): readonly Refusal[] {
  const make: CreateCall = operations[operation];
  return each(values, (value) => ({
    rule: `${row} ${operation}: ${name} ${word(value)} is ${type.name}`,
    call: make({ [name]: value }),
    type,
    pattern: new RegExp(`^${operation}: "${name}" must be `),
  }));
}

const notWhole: readonly unknown[] = [1.5, Number.NaN, Infinity, 'x', '1.5', ' 1', '+1', true, {}, [], 5n];

const refusals: readonly Refusal[] = [
  ...wrong('search', 'orcid', notStrings, TypeError, '§4.8 row 2'),
  ...wrong('search', 'database', notStrings, TypeError, '§4.8 row 2'),
  ...wrong('fetchMetadata', 'orcid', notStrings, TypeError, '§4.8 row 2'),
  ...wrong('fetchMetadata', 'database', notStrings, TypeError, '§4.8 row 2'),
  ...wrong('transfer', 'orcid', notStrings, TypeError, '§4.8 row 2'),
  ...wrong('transfer', 'source', notStrings, TypeError, '§4.8 row 2'),
  ...wrong('transfer', 'destination', notStrings, TypeError, '§4.8 row 2'),
  ...wrong('cancelTransfer', 'orcid', notStrings, TypeError, '§4.8 row 2'),
  ...wrong('search', 'query', [undefined, null, true, [], {}, Number.NaN, Infinity, 5n], TypeError, '§4.8 row 3'),
  ...wrong('search', 'status', ['other', 'STAGED', 0, false, [], {}], TypeError, '§4.8 row 4'),
  ...wrong('search', 'offset', [...notWhole, '', null], TypeError, '§4.8 row 5, D3'),
  ...wrong('search', 'limit', notWhole, TypeError, '§4.8 row 5, D3'),
  ...wrong('fetchMetadata', 'offset', [...notWhole, '', null], TypeError, '§4.8 row 5, D3'),
  ...wrong('fetchMetadata', 'limit', notWhole, TypeError, '§4.8 row 5, D3'),
  ...wrong('search', 'offset', [-1, '-1'], ValueError, '§4.8 row 6'),
  ...wrong('search', 'limit', [-1, '-1'], ValueError, '§4.8 row 7'),
  ...wrong('fetchMetadata', 'offset', [-1, '-1'], ValueError, '§4.8 row 6'),
  ...wrong('fetchMetadata', 'limit', [-1, '-1'], ValueError, '§4.8 row 7'),
  ...wrong('search', 'limit', [2 ** 53, '9007199254740993'], ValueError, 'D3'),
  ...wrong('fetchMetadata', 'offset', [2 ** 53], ValueError, 'D3'),
  ...wrong('fetchMetadata', 'limit', [2 ** 53], ValueError, 'D3'),
  ...wrong('search', 'offset', [1e300, '9'.repeat(400).slice(0, 50)], ValueError, 'D3'),
  ...wrong('search', 'specific', ['', 'x', 0, true, [], ['x'], ring, { a: 5n }, new Date(0)], TypeError, '§4.8 row 8'),
  ...wrong('fetchMetadata', 'ids', [undefined, null, 'a', {}, [], 5], RuntimeError, '§4.8 row 9'),
  ...wrong('transfer', 'fileIds', [undefined, null, 'a', {}, 5], TypeError, '§4.8 row 10'),
  ...wrong('transfer', 'timeout', ['5', true, {}, [], Number.NaN, 5n], TypeError, '§4.8 row 11'),
  ...wrong('transfer', 'description', [0, 5, true, {}, []], TypeError, '§4.8 row 12'),
  ...wrong('transfer', 'instructions', ['', 'x', 0, true, [], ring], TypeError, '§4.8 row 13'),
  ...wrong('fetchMetadata', 'ids', [['a', 5], [null], [['a']]], TypeError, 'D3'),
  ...wrong('transfer', 'fileIds', [['a', 5], [undefined]], TypeError, 'D3'),
  ...wrong('transfer', 'timeout', [0, -1, Infinity, 3_000_000], ValueError, 'D3'),
  ...wrong('cancelTransfer', 'id', notStrings, TypeError, '§4.7'),
  ...wrong('cancelTransfer', 'id', ['', '..', 'x', '../databases'], ValueError, '§4.7'),
  ...each(notStrings, (value) => ({
    rule: `§4.6 transferStatus: id ${word(value)} is TypeError`,
    call: (client) => client.transferStatus(value as string),
    type: TypeError,
    pattern: /^transferStatus: "id" must be a string/,
  })),
  ...each(['', '..', 'f710559a', 'f710559a-5d01-417b-91ac-3726503d11a3/x'], (value) => ({
    rule: `§4.6 transferStatus: id ${word(value)} is ValueError`,
    call: (client) => client.transferStatus(value as string),
    type: ValueError,
    pattern: /^transferStatus: "id" must be a UUID/,
  })),
  ...each(['', '.', '..'], (value) => ({
    rule: `D26 searchParameters: id ${word(value)} is ValueError`,
    call: (client) => client.searchParameters(value as string),
    type: ValueError,
    pattern: /^searchParameters: "databaseId" must be /,
  })),
  ...each(['', '.', '..'], (value) => ({
    rule: `D26 scanDatabase: id ${word(value)} is ValueError`,
    call: (client) => client.scanDatabase(value as string),
    type: ValueError,
    pattern: /^scanDatabase: "databaseId" must be /,
  })),
  ...each(['', '.', '..'], (value) => ({
    rule: `D26 readContent: database ${word(value)} is ValueError`,
    call: (client) => client.readContent({ databaseId: value as string, fileId: 'f', offset: 0, limit: 1 }),
    type: ValueError,
    pattern: /^readContent: "databaseId" must be /,
  })),
  ...each(['', '..', 'x', '../databases'], (id) => ({
    rule: `D70 pauseTransfer: id ${word(id)} is ValueError`,
    call: (client) => client.pauseTransfer({ orcid: 'o', id: id as string }),
    type: ValueError,
    pattern: /^pauseTransfer: "id" must be a UUID/,
  })),
  ...each(['', '..', 'x', '../databases'], (id) => ({
    rule: `D70 resumeTransfer: id ${word(id)} is ValueError`,
    call: (client) => client.resumeTransfer({ orcid: 'o', id: id as string }),
    type: ValueError,
    pattern: /^resumeTransfer: "id" must be a UUID/,
  })),
];

/** Calls that break two rules. The client reports the rule that §4.8 lists first. */
const orders: readonly Refusal[] = [
  { rule: 'orcid before query', call: search({ orcid: 1, query: true }), type: TypeError, pattern: /"orcid"/ },
  { rule: 'orcid before database', call: search({ orcid: 1, database: 1 }), type: TypeError, pattern: /"orcid"/ },
  { rule: 'query before status', call: search({ query: true, status: 'x' }), type: TypeError, pattern: /"query"/ },
  { rule: 'status before offset', call: search({ status: 'x', offset: 'x' }), type: TypeError, pattern: /"status"/ },
  {
    rule: 'type of limit before value of offset',
    call: search({ offset: -1, limit: 'x' }),
    type: TypeError,
    pattern: /"limit"/,
  },
  {
    rule: 'value of offset before value of limit',
    call: search({ offset: -1, limit: -1 }),
    type: ValueError,
    pattern: /"offset"/,
  },
  {
    rule: 'value of limit before specific',
    call: search({ limit: -1, specific: [] }),
    type: ValueError,
    pattern: /"limit"/,
  },
  { rule: 'value of limit before ids', call: metadata({ limit: -1, ids: [] }), type: ValueError, pattern: /"limit"/ },
  { rule: 'orcid before ids', call: metadata({ orcid: 1, ids: [] }), type: TypeError, pattern: /"orcid"/ },
  {
    rule: 'destination before file ids',
    call: transfer({ destination: 1, fileIds: 1 }),
    type: TypeError,
    pattern: /"destination"/,
  },
  {
    rule: 'file ids before timeout',
    call: transfer({ fileIds: 1, timeout: 'x' }),
    type: TypeError,
    pattern: /"fileIds"/,
  },
  {
    rule: 'timeout before description',
    call: transfer({ timeout: 'x', description: 1 }),
    type: TypeError,
    pattern: /"timeout"/,
  },
  {
    rule: 'description before instructions',
    call: transfer({ description: 1, instructions: 1 }),
    type: TypeError,
    pattern: /"description"/,
  },
  {
    rule: 'the checks of §4.8 before those that decisions add',
    call: transfer({ fileIds: [5], timeout: 0, instructions: 1 }),
    type: TypeError,
    pattern: /"instructions"/,
  },
];

describe('Arguments that the client refuses before it sends anything (§4.8)', () => {
  let bench: Bench;

  before(async () => {
    bench = await startBench();
    await bench.connect();
  });

  after(async () => {
    await bench.end();
  });

  async function expectRefusal({ call, type, pattern }: Refusal): Promise<void> {
    await assert.rejects(call(bench.client), (error: Error) => {
      assert.equal(error.constructor, type);
      assert.match(error.message, pattern);
      return true;
    });
    assert.deepEqual(bench.server.requests, []);
    assert.deepEqual(bench.log.errors, []);
  }

  for (const refusal of refusals) {
    contractRow(refusal.rule, async () => {
      await expectRefusal(refusal);
    });
  }

  for (const refusal of orders) {
    contractRow(`D1 ${refusal.rule}`, async () => {
      await expectRefusal(refusal);
    });
  }

  contractRow('D1 a call without any argument names the first one that is missing', async () => {
    const untyped = bench.client as unknown as { search(): Promise<unknown> };
    await assert.rejects(untyped.search(), {
      name: 'TypeError',
      message: /^search: "orcid" must be a string, not undefined$/,
    });
  });
});

describe('Calls without a connection (§4.8)', () => {
  const calls: Readonly<Record<string, Call>> = {
    databases: (client) => client.databases(),
    search: search({ orcid: 5 }),
    fetchMetadata: metadata({ ids: [] }),
    transfer: transfer({ fileIds: 'x' }),
    transferStatus: (client) => client.transferStatus('no uuid'),
    cancelTransfer: cancel({ orcid: 5 }),
    searchParameters: (client) => client.searchParameters(''),
    scanDatabase: (client) => client.scanDatabase(''),
    readContent: (client) => client.readContent({ databaseId: '', fileId: '', offset: -1, limit: 0 }),
    pauseTransfer: (client) => client.pauseTransfer({ orcid: '', id: '' }),
    resumeTransfer: (client) => client.resumeTransfer({ orcid: '', id: '' }),
  };

  for (const [operation, call] of Object.entries(calls)) {
    contractRow(`§4.8 row 1 ${operation} is RuntimeError, whatever else is wrong`, async () => {
      const bench = await startBench();
      try {
        await assert.rejects(call(bench.client), (error: Error) => {
          assert.equal(error.constructor, RuntimeError);
          assert.match(error.message, new RegExp(`^${operation}: `));
          return true;
        });
        assert.deepEqual(bench.server.requests, []);
      } finally {
        await bench.end();
      }
    });
  }
});
