import assert from 'node:assert/strict';
import { DataTransferClient } from '../../../src/core/client/dataTransferClient.ts';
import { ConnectionError } from '../../../src/core/client/reply.ts';
import { plainNetwork } from '../../../src/core/model/networkSettings.ts';
import type { NetworkSettings } from '../../../src/core/model/networkSettings.ts';
import type { Reason } from '../../../src/core/model/reason.ts';
import { identity, trustTestAuthority } from '../../support/certificates.ts';
import { json } from '../../support/faultBehaviors.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { testKey } from './clientBench.ts';

type Name = Parameters<typeof identity>[0];

describe('The certificate of a service', () => {
  const ends: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function start(name: Name): Promise<FaultServer> {
    const server = await FaultServer.start(identity(name));
    server.on('GET /', json({ name: 'Secure', version: '1' }));
    ends.push(() => server.stop());
    return server;
  }

  async function attempt(
    server: FaultServer,
    transport: 'direct' | 'editor',
    network: NetworkSettings = plainNetwork,
  ): Promise<Reason | undefined> {
    const client = new DataTransferClient({
      log: new MemoryLog(),
      getNetworkSettings: () => network,
      limits: { retryMs: 1 },
    });
    ends.push(async () => client.dispose());
    try {
      await client.connect({ server: server.address, apiKey: testKey, transport });
      return undefined;
    } catch (error) {
      assert.ok(error instanceof ConnectionError);
      return error.reason;
    }
  }

  const untrusted: readonly (readonly [what: string, name: Name, isTrusted: boolean, code: string])[] = [
    ['of an unknown issuer', 'good', false, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['that has expired', 'expired', true, 'CERT_HAS_EXPIRED'],
    ['of another name', 'wrong-name', true, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ];

  for (const transport of ['direct', 'editor'] as const) {
    for (const [what, name, isTrusted, code] of untrusted) {
      it(`${what} is refused with the TLS error code, and the key is not sent (${transport})`, async () => {
        const trust = isTrusted ? trustTestAuthority() : undefined;
        try {
          const server = await start(name);
          const reason = await attempt(server, transport);
          assert.deepEqual([reason?.kind, reason?.code], ['certificate', code]);
          assert.deepEqual(server.requests, []);
        } finally {
          trust?.dispose();
        }
      });
    }
  }

  it('is accepted from a trusted issuer', async () => {
    const trust = trustTestAuthority();
    try {
      assert.equal(await attempt(await start('good'), 'direct'), undefined);
    } finally {
      trust.dispose();
    }
  });

  for (const name of ['good', 'expired', 'wrong-name'] as const) {
    it(`is not checked if http.proxyStrictSSL is off: ${name}`, async () => {
      const lax = { ...plainNetwork, strictCertificates: false };
      assert.equal(await attempt(await start(name), 'direct', lax), undefined);
    });
  }

  it('is checked even if the system certificates are excluded', async () => {
    const reason = await attempt(await start('good'), 'direct', { ...plainNetwork, systemCertificates: false });
    assert.equal(reason?.kind, 'certificate');
  });
});
