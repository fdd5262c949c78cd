import assert from 'node:assert/strict';
import { toReason } from '../../../src/core/client/failures.ts';
import { publicLike } from '../../support/faultPersonality.ts';
import { startBench, testKey } from './clientBench.ts';

function withCode(code: string, message = 'what the system says', more: object = {}): Error {
  return Object.assign(new Error(message), { code, ...more });
}

describe('Classifying a network error', () => {
  const rows: readonly (readonly [error: unknown, kind: string])[] = [
    [withCode('ENOTFOUND'), 'unreachable'],
    [withCode('EAI_AGAIN'), 'unreachable'],
    [withCode('ECONNREFUSED'), 'unreachable'],
    [withCode('EHOSTUNREACH'), 'unreachable'],
    [withCode('ENETUNREACH'), 'unreachable'],
    [withCode('ECONNRESET', 'x', { syscall: 'connect' }), 'unreachable'],
    [withCode('EINVAL', 'getaddrinfo EINVAL', { syscall: 'getaddrinfo' }), 'unreachable'],
    [
      withCode('ECONNRESET', 'Client network socket disconnected before secure TLS connection was established'),
      'unreachable',
    ],
    [withCode('ERR_SSL_WRONG_VERSION_NUMBER'), 'unreachable'],
    [withCode('UND_ERR_CONNECT_TIMEOUT'), 'timeout'],
    [withCode('UND_ERR_HEADERS_TIMEOUT'), 'timeout'],
    [withCode('UND_ERR_BODY_TIMEOUT'), 'timeout'],
    [withCode('ETIMEDOUT'), 'timeout'],
    [withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'certificate'],
    [withCode('SELF_SIGNED_CERT_IN_CHAIN'), 'certificate'],
    [withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'certificate'],
    [withCode('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), 'certificate'],
    [withCode('CERT_HAS_EXPIRED'), 'certificate'],
    [withCode('ERR_TLS_CERT_ALTNAME_INVALID'), 'certificate'],
    [withCode('UND_ERR_PRX_TLS'), 'proxy'],
    [withCode('UND_ERR_ABORTED', 'Proxy response (407) !== 200 when HTTP Tunneling'), 'proxy'],
    [withCode('UND_ERR_SOCKET', 'other side closed'), 'dropped'],
    [withCode('ECONNRESET', 'read ECONNRESET', { syscall: 'read' }), 'dropped'],
    [withCode('EPIPE'), 'dropped'],
    [Object.assign(new Error('Expected HTTP/'), { name: 'HTTPParserError' }), 'unreadable'],
    [withCode('UND_ERR_HEADERS_OVERFLOW'), 'tooLarge'],
    [new Error('whatever'), 'dropped'],
    ['not even an error', 'dropped'],
    [null, 'dropped'],
    [withCode('constructor'), 'dropped'],
  ];

  for (const [error, kind] of rows) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
    it(`${code} is ${kind}: ${String(error)}`, () => {
      assert.equal(toReason(error).kind, kind);
    });
  }

  it('a server that speaks plain HTTP is unreachable over TLS', async () => {
    const bench = await startBench();
    try {
      const server = bench.server.address.replace('http:', 'https:');
      await assert.rejects(bench.client.connect({ server, apiKey: testKey }), {
        name: 'ConnectionError',
        message: /unreachable, (?:ERR_SSL|EPROTO)/,
      });
    } finally {
      await bench.end();
    }
  });

  it('a public-like server that crashes on an offset without limit has dropped the connection', async () => {
    const bench = await startBench();
    try {
      publicLike(bench.server);
      await bench.connect();
      const reply = await bench.client.search({ database: 'jdp', orcid: 'O', query: '', offset: 50 });
      assert.deepEqual([reply.value, reply.reason?.kind], [[], 'dropped']);
    } finally {
      await bench.end();
    }
  });
});
