import assert from 'node:assert/strict';
import { mock } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { transferStatusSchema, type FileResource } from '../../../src/contract/contract.ts';
import { ConnectionError, type Reply } from '../../../src/core/client/reply.ts';
import { readFoundPage, readStatus } from '../../../src/core/client/responseReaders.ts';
import { parseExactJson } from '../../../src/core/util/json.ts';
import { text } from '../../support/faultBehaviors.ts';
import { property } from '../../support/property.ts';
import { anyText } from './arbitraries.ts';
import { HastyClock, startBench, testKey } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import { cancel, metadata, search, transfer, transferId } from './contractCalls.ts';
import type { Call } from './contractCalls.ts';
import { anyJson, anyResource, almostValid } from './hostileJson.ts';
import {
  checkAccepted,
  checkCancelled,
  checkDatabases,
  checkFiles,
  checkParameters,
  checkReply,
  checkStatus,
} from './replyChecks.ts';

/** The schema of a file resource (§2.3), for comparison with the client's faster check. */
const fileResourceSchema: z.ZodMiniType<FileResource> = z.looseObject({
  id: z.string(),
  name: z.nullish(z.string()),
  path: z.nullish(z.string()),
  title: z.nullish(z.string()),
  description: z.nullish(z.string()),
  format: z.nullish(z.string()),
  mediatype: z.nullish(z.string()),
  encoding: z.nullish(z.string()),
  bytes: z.nullish(z.number()),
  hash: z.nullish(z.string()),
});

interface Operation {
  readonly name: string;
  readonly route: string;
  readonly call: Call;
  /** Generates almost valid response bodies. */
  readonly answers: fc.Arbitrary<string>;
  readonly check: (value: unknown) => void;
  /** The value that the specification requires for a failed call (§4.9). */
  readonly none: unknown;
}

const operations: readonly Operation[] = [
  {
    name: '§4.2 the listing',
    route: 'GET /api/v1/databases',
    call: (client) => client.databases(),
    answers: almostValid.databases,
    check: checkDatabases,
    none: [],
  },
  {
    name: '§4.3 a search',
    route: 'POST /api/v1/files',
    call: search({}),
    answers: almostValid.files,
    check: checkFiles,
    none: [],
  },
  {
    name: '§4.4 a metadata request',
    route: 'GET /api/v1/files/by-id',
    call: metadata({}),
    answers: almostValid.files,
    check: checkFiles,
    none: [],
  },
  {
    name: '§4.5 a submission',
    route: 'POST /api/v1/transfers',
    call: transfer({}),
    answers: almostValid.accepted,
    check: checkAccepted,
    none: undefined,
  },
  {
    name: '§4.6 a status request',
    route: 'GET /api/v1/transfers/*',
    call: (client) => client.transferStatus(transferId),
    answers: almostValid.status,
    check: checkStatus,
    none: undefined,
  },
  {
    name: '§4.7 a cancel',
    route: 'DELETE /api/v1/transfers/*',
    call: cancel({}),
    answers: anyJson,
    check: checkCancelled,
    none: undefined,
  },
  {
    name: 'D26 a request for search parameters',
    route: 'GET /api/v1/databases/*',
    call: (client) => client.searchParameters('d'),
    answers: almostValid.parameters,
    check: checkParameters,
    none: {},
  },
];

const goodStatus = fc.constantFrom(200, 200, 201, 202, 203, 206, 299);
const badStatus = fc.oneof(
  fc.constantFrom(400, 401, 404, 405, 408, 413, 429, 500, 502, 503),
  fc.integer({ min: 300, max: 599 }),
);
const mediaType = fc.constantFrom('application/json', 'application/problem+json', 'text/html', 'text/plain', 'x');

function parseResources(body: string): readonly unknown[] {
  const json = parseExactJson(body) as { readonly resources?: unknown } | null;
  return Array.isArray(json?.resources) ? json.resources : [];
}

describe('Any JSON as a response (D2, D15)', () => {
  let bench: Bench;

  before(async () => {
    bench = await startBench({ clock: new HastyClock(), limits: { lateMs: 1 } });
  });

  beforeEach(async () => {
    await bench.connect();
  });

  after(async () => {
    await bench.end();
  });

  async function requestReply(
    operation: Operation,
    status: number,
    body: string,
    type: string,
  ): Promise<Reply<unknown>> {
    bench.server.on('GET /api/v1/databases', text(200, '[{"id":"the-id","name":"D"}]', 'application/json'));
    bench.server.on(operation.route, text(status, body, type));
    bench.server.requests.length = 0;
    bench.log.lines.length = 0;
    const reply = await operation.call(bench.client);
    checkReply(reply);
    operation.check(reply.value);
    if (reply.reason) assert.deepEqual(reply.value, operation.none);
    assert.equal(bench.log.errors.length, reply.reason ? 1 : 0);
    assert.equal(Object.keys(Object.prototype).length, 0);
    return reply;
  }

  for (const operation of operations) {
    property(
      `${operation.name} returns a reply, and never throws`,
      fc.tuple(goodStatus, operation.answers),
      async ([status, body]) => {
        await requestReply(operation, status, body, 'application/json');
      },
    );
  }

  for (const operation of operations) {
    property(
      `${operation.name} returns a reply for any status and any error text (D14)`,
      fc.tuple(badStatus, fc.oneof(almostValid.problem, anyText), mediaType),
      async ([status, body, type]) => {
        const { reason } = await requestReply(operation, status, body, type);
        const isWithoutRoute = operation.route.includes('databases/*') && [404, 405, 501].includes(status);
        assert.equal(reason === undefined, isWithoutRoute);
      },
    );
  }

  property('D15 every resource of a response is returned exact and in order', almostValid.files, async (body) => {
    bench.server.on('POST /api/v1/files', text(200, body, 'application/json'));
    const { value } = await bench.client.search({ database: 'D', orcid: 'O', query: '' });
    const resources = parseResources(body);
    assert.equal(value.length, resources.length);
    for (const [place, file] of value.entries()) {
      if (file.kind === 'file') assert.deepEqual(file.resource, resources[place]);
      else if (file.text !== '…') assert.equal(file.text, JSON.stringify(resources[place]));
    }
  });

  property('§2.3 a file is valid exactly if the schema of the contract accepts it', anyResource, (body) => {
    const value: unknown = JSON.parse(body);
    const [file] = readFoundPage({ resources: [value] }, 'D', false).files;
    assert.equal(file?.kind === 'file', fileResourceSchema.safeParse(value).success);
  });

  property('§2.4 a status is valid exactly if the schema of the contract accepts it', almostValid.status, (body) => {
    const value: unknown = JSON.parse(body);
    const isValid = transferStatusSchema.safeParse(value).success;
    const slowCheck = mock.method(transferStatusSchema, 'safeParse');
    try {
      if (isValid) readStatus(value);
      else assert.throws(() => readStatus(value));
      assert.equal(slowCheck.mock.callCount(), isValid ? 0 : 1, 'the schema only explains what is wrong');
    } finally {
      slowCheck.mock.restore();
    }
  });

  property(
    '§4.1 any root response connects or causes a ConnectionError',
    fc.tuple(fc.oneof(goodStatus, badStatus), fc.oneof(almostValid.root, almostValid.problem)),
    async ([status, body]) => {
      bench.server.on('GET /odd', text(status, body, 'application/json'));
      const options = { server: `${bench.server.address}/odd`, apiKey: testKey };
      try {
        const { name, version } = await bench.client.connect(options);
        assert.equal(`${typeof name} ${typeof version}`, 'string string');
      } catch (error) {
        assert.ok(error instanceof ConnectionError);
        checkReply({ value: undefined, reason: error.reason });
      }
    },
  );
});
