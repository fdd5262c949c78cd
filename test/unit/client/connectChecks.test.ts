import assert from 'node:assert/strict';
import type { ConnectOptions } from '../../../src/core/client/request.ts';
import { ConnectionError, ValueError } from '../../../src/core/client/reply.ts';
import { contractRow } from '../../support/tally.ts';
import { startBench, testKey } from './clientBench.ts';
import type { Bench } from './clientBench.ts';
import type { UntypedFields } from './contractCalls.ts';

describe('Arguments that connecting refuses before it sends anything (§4.8)', () => {
  let bench: Bench;

  before(async () => {
    bench = await startBench();
  });

  after(async () => {
    await bench.end();
  });

  const rows: readonly (readonly [
    rule: string,
    changes: UntypedFields,
    type: new (...given: never[]) => Error,
    pattern: RegExp,
  ])[] = [
    ['§4.8 row 14 apiKey undefined', { apiKey: undefined }, TypeError, /"apiKey" must be a string/],
    ['§4.8 row 14 apiKey null', { apiKey: null }, TypeError, /"apiKey" must be a string/],
    ['§4.8 row 14 apiKey in a list', { apiKey: ['key'] }, TypeError, /"apiKey" must be a string/],
    ['§4.8 row 14 apiKey 5', { apiKey: 5 }, TypeError, /"apiKey" must be a string/],
    ['§4.8 row 15 server undefined', { server: undefined }, TypeError, /"server" must be a string/],
    ['§4.8 row 15 server null', { server: null }, TypeError, /"server" must be a string/],
    ['§4.8 row 15 server as a URL object', { server: new URL('http://127.0.0.1') }, TypeError, /"server" must be/],
    ['§4.8 row 15 server 5', { server: 5 }, TypeError, /"server" must be a string/],
    ['§4.8 row 16 port 1.5', { port: 1.5 }, TypeError, /"port" must be a whole number/],
    ['§4.8 row 16 port "80"', { port: '80' }, TypeError, /"port" must be a whole number/],
    ['§4.8 row 16 port NaN', { port: Number.NaN }, TypeError, /"port" must be a whole number/],
    ['§4.8 row 16 port true', { port: true }, TypeError, /"port" must be a whole number/],
    ['§4.8 apiKey before server', { apiKey: 5, server: 5 }, TypeError, /"apiKey"/],
    ['§4.8 server before port', { server: 5, port: 'x' }, TypeError, /"server"/],
    ['D3 port -1', { port: -1 }, ValueError, /"port" must be between/],
    ['D3 port 0', { port: 0 }, ValueError, /"port" must be between/],
    ['D3 port 65536', { port: 65_536 }, ValueError, /"port" must be between/],
    ['D5 an unknown scheme', { scheme: 'basic' }, TypeError, /"scheme"/],
    ['D4 an address without a scheme', { server: 'example.org' }, ConnectionError, /https:\/\/example\.org/],
    ['D4 an address with another scheme', { server: 'ftp://example.org' }, ConnectionError, /https:\/\//],
    ['D4 an invalid address', { server: 'https://[' }, ConnectionError, /use a form such as/],
    [
      'D4 a port for an address that has one',
      { server: 'http://127.0.0.1:80', port: 81 },
      ConnectionError,
      /use a form such as/,
    ],
    [
      'D4 a port for an address with a path',
      { server: 'http://127.0.0.1/some/where', port: 81 },
      ConnectionError,
      /example\.org:8080\/path/,
    ],
    ['D4 an address with a password', { server: 'https://a:hunter2@example.org' }, ConnectionError, /user name/],
    ['D4 an address with a query', { server: 'https://example.org/?a=b' }, ConnectionError, /\?/],
    ['D4 an address with an empty query', { server: 'https://example.org?' }, ConnectionError, /with \? or #/],
    ['D4 an address with an empty fragment', { server: 'https://example.org/#' }, ConnectionError, /with \? or #/],
    ['D4 plain http to another machine', { server: 'http://192.0.2.1' }, ConnectionError, /sent unencrypted/],
    [
      'D4 plain http to a name that only starts like loopback',
      { server: 'http://127.0.0.1.example.org' },
      ConnectionError,
      /sent unencrypted/,
    ],
  ];

  for (const [rule, changes, type, pattern] of rows) {
    contractRow(`${rule} is ${type.name}`, async () => {
      const options = { server: bench.server.address, apiKey: testKey, ...changes } as ConnectOptions;
      await assert.rejects(bench.client.connect(options), (error: Error) => {
        assert.equal(error.constructor, type);
        assert.match(error.message, pattern);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      });
      assert.deepEqual(bench.server.requests, []);
    });
  }

  for (const key of ['line\nbreak', 'tab\there', 'nul\0', 'ümlaut', '\u{1F511}', 'carriage\r']) {
    contractRow(`D5 a key with ${JSON.stringify(key)} in it causes a TypeError that does not repeat it`, async () => {
      await assert.rejects(bench.client.connect({ server: bench.server.address, apiKey: key }), (error: Error) => {
        assert.equal(error.constructor, TypeError);
        assert.ok(!error.message.includes(key));
        return true;
      });
      assert.deepEqual(bench.server.requests, []);
    });
  }
});
