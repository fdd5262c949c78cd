import assert from 'node:assert/strict';
import fc from 'fast-check';
import { DataTransferClient } from '../../../src/core/client/dataTransferClient.ts';
import type { ConnectOptions } from '../../../src/core/client/request.ts';
import { RuntimeError, ValueError, type Reply } from '../../../src/core/client/reply.ts';
import { json } from '../../support/faultBehaviors.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { property } from '../../support/property.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import {
  anyText,
  anyValue,
  createArguments,
  givenUuid,
  idList,
  jsonObject,
  orAnything,
  pageNumber,
} from './arbitraries.ts';
import { startBench } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import {
  expectedCancel,
  expectedConnect,
  expectedMetadata,
  expectedParameters,
  expectedSearch,
  expectedStatus,
  expectedTransfer,
} from './contractOracle.ts';
import type { Expected } from './contractOracle.ts';
import { answerAll } from './contractServer.ts';

const errors = { TypeError, ValueError, RuntimeError } as const;
const name = orAnything(anyText);

/** The operations of the client, with an argument of any type. */
type UntypedClient = { readonly [K in keyof DataTransferClient]: (given: unknown) => Promise<Reply<unknown>> };

describe('Any value as an argument (§4, §4.8, D1, D3)', () => {
  let bench: Bench;

  before(async () => {
    // The clock never advances, so no response times out, however short the timeout is.
    bench = await startBench({ clock: new ManualClock() });
    answerAll(bench.server);
    await bench.connect();
  });

  after(async () => {
    await bench.end();
  });

  async function expectReply(operation: keyof UntypedClient, given: unknown, expected: Expected): Promise<void> {
    const { server, client, log } = bench;
    server.requests.length = 0;
    const call = async (): Promise<Reply<unknown>> => await (client as unknown as UntypedClient)[operation](given);
    if ('error' in expected) {
      await assert.rejects(call(), (error: Error) => {
        assert.equal(error.constructor, errors[expected.error]);
        assert.ok(error.message.startsWith(`${operation}: "${expected.argument}" must be `), error.message);
        return true;
      });
    } else {
      assert.equal((await call()).reason, undefined);
    }
    const sent = server.requests.map(({ method, url, body }) => [method, url, body]);
    assert.deepEqual(sent, 'error' in expected ? [] : expected.requests);
    assert.deepEqual(log.errors, []);
  }

  property(
    '§4.3 a search is refused, or sent as the contract specifies',
    createArguments(
      { database: name, orcid: name, query: orAnything(fc.oneof(anyText, fc.double({ noNaN: true }), fc.integer())) },
      {
        status: orAnything(fc.constantFrom('staged', 'unstaged', '', undefined, null), 6),
        offset: pageNumber,
        limit: pageNumber,
        specific: orAnything(jsonObject, 4),
      },
    ),
    async (given) => {
      await expectReply('search', given, expectedSearch(given));
    },
  );

  property(
    '§4.4 D8 a metadata request is refused, or sent as the contract specifies',
    createArguments({ database: name, orcid: name, ids: idList }, { offset: pageNumber, limit: pageNumber }),
    async (given) => {
      await expectReply('fetchMetadata', given, expectedMetadata(given));
    },
  );

  property(
    '§4.5 a submission is refused, or sent as the contract specifies',
    createArguments(
      { orcid: name, source: name, destination: name, fileIds: orAnything(fc.oneof(fc.array(anyText), idList), 6) },
      {
        timeout: orAnything(fc.oneof(fc.double(), fc.double({ min: 0, max: 3_000_000 }), fc.constant(undefined))),
        description: orAnything(fc.oneof(anyText, fc.constantFrom('', undefined, null))),
        instructions: orAnything(jsonObject, 4),
      },
    ),
    async (given) => {
      await expectReply('transfer', given, expectedTransfer(given));
    },
  );

  property('§4.6 a status request is refused, or sent as the contract specifies', givenUuid, async ({ id, uuid }) => {
    await expectReply('transferStatus', id, expectedStatus(id, uuid));
  });

  property(
    '§4.7 a cancel is refused, or sent as the contract specifies',
    fc.tuple(givenUuid, name),
    async ([{ id, uuid }, orcid]) => {
      await expectReply('cancelTransfer', { id, orcid }, expectedCancel({ id, orcid }, uuid));
    },
  );

  property(
    'D26 a request for search parameters is refused, or sent to the URL of that database',
    fc.oneof(name, fc.constantFrom('.', '..', '', '/', '%2e%2e', 'a/../b')),
    async (databaseId) => {
      await expectReply('searchParameters', databaseId, expectedParameters(databaseId));
    },
  );
});

describe('Any value as an argument of connecting (§4.8, §4.9, D3, D4, D5)', () => {
  let server: FaultServer;

  before(async () => {
    server = await FaultServer.start();
    server.on('GET /*', json({ name: 'Test service', version: '1' }));
  });

  after(async () => {
    await server.stop();
  });

  const places = fc.constantFrom(
    '',
    '/',
    '//',
    '/some/where',
    '/some/where/',
    ' ',
    '?a=b',
    '?',
    '#',
    '/.',
    '/a:b',
    '/ü|/..//c',
    '/\\d',
    '/ /',
    ':1',
    '/%20',
  );

  property(
    '§4.8 §4.9 connecting is refused, or requests the root with the token as the contract specifies',
    fc.tuple(
      orAnything(fc.oneof(fc.string(), anyText)),
      fc.oneof({ weight: 4, arbitrary: places }, { weight: 1, arbitrary: fc.oneof(anyValue, anyText) }),
      fc.oneof(
        fc.constantFrom('none', 'own'),
        orAnything(fc.constantFrom(undefined, null, 0, -1, 65_536, 1.5, '80'), 3),
      ),
      orAnything(fc.constantFrom('base64', 'plain', undefined, null), 6),
    ),
    async ([apiKey, place, givenPort, scheme]) => {
      server.requests.length = 0;
      const start = givenPort === 'own' ? 'http://127.0.0.1' : server.address;
      const port = givenPort === 'own' ? server.port : givenPort === 'none' ? undefined : givenPort;
      const isPlace = typeof place === 'string' && /^[/ :?#]/.test(place);
      const given = { apiKey, server: isPlace ? start + place : place, port, scheme };
      const client = new DataTransferClient({ log: new MemoryLog(), clock: new ManualClock() });
      const call = async (): Promise<unknown> => await client.connect(given as ConnectOptions);
      const expected = expectedConnect(given);
      try {
        if (typeof expected === 'string') await assert.rejects(call(), (error: Error) => error.name === expected);
        else await call();
      } finally {
        client.dispose();
      }
      assert.deepEqual(
        server.requests.map(({ method, url, body, headers }) => [method, url, body, headers.authorization]),
        typeof expected === 'string' ? [] : [['GET', expected.path, '', expected.authorization]],
      );
    },
  );
});
