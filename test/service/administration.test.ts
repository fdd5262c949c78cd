import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import type { ProblemDocument } from '../../src/contract/contract.ts';
import { sendRaw } from '../support/rawHttp.ts';
import { ServiceRig } from '../support/serviceRig.ts';

describe('The local service behind a reverse proxy on this machine (D40)', () => {
  let rig: ServiceRig;

  before(async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a' }, { trustedHosts: ['data.example.org', 'Data.example.org:8443'] });
  });
  after(async () => await rig.stop());

  const hosts: [status: number, ...lines: string[]][] = [
    [200, 'GET / HTTP/1.1', 'Host: data.example.org'],
    [200, 'GET / HTTP/1.1', 'Host: DATA.EXAMPLE.ORG:8443'],
    [200, 'GET http://data.example.org/ HTTP/1.1', 'Host: data.example.org'],
    [200, 'GET / HTTP/1.1', 'Host: 127.0.0.1:PORT'],
    [403, 'GET / HTTP/1.1', 'Host: data.example.org:443'],
    [403, 'GET / HTTP/1.1', 'Host: other.data.example.org'],
    [403, 'GET / HTTP/1.1', 'Host: example.org', 'X-Forwarded-Host: data.example.org'],
    [403, 'GET / HTTP/1.1', 'Host: data.example.org', 'Origin: https://data.example.org'],
  ];
  for (const [status, ...lines] of hosts) {
    it(`responds with ${status} to ${lines.join(', ')}`, async () => {
      const { address, token } = rig.service;
      const text = [...lines, `Authorization: Bearer ${token}`, '', ''].join('\r\n');
      assert.equal((await sendRaw(address, text.replace('PORT', new URL(address).port)))?.status, status);
    });
  }

  it('still listens on loopback only', () => {
    assert.equal(new URL(rig.service.address).hostname, '127.0.0.1');
  });
});

describe('The health of the local service, for monitoring (D40)', () => {
  let rig: ServiceRig;

  before(async () => {
    rig = await ServiceRig.start({ 'a.txt': 'a' });
    // Until the folders have been read, the service isn't ready.
    for (const database of ['Source Data', 'Target']) await rig.search(database);
  });
  after(async () => await rig.stop());

  it('is available without a token, but not to other hosts and web pages', async () => {
    const response = await rig.call('GET', '/health', undefined, { headers: { authorization: '' } });
    assert.deepEqual([response.status, response.body], [200, { status: 'ready' }]);
    const { host } = new URL(rig.service.address);
    for (const headers of ['Host: example.org', `Host: ${host}\r\nOrigin: https://example.org`]) {
      const received = await sendRaw(rig.service.address, `GET /health HTTP/1.1\r\n${headers}\r\n\r\n`);
      assert.equal(received?.status, 403);
    }
  });

  it('gives the reason when it is not ready, without names or paths', async () => {
    await fs.rename(rig.source, `${rig.source}-away`);
    const response = await rig.call('GET', '/health');
    await fs.rename(`${rig.source}-away`, rig.source);
    assert.equal(response.status, 503);
    assert.equal((response.body as ProblemDocument).detail, "1 of 2 databases can't be read.");
    assert.ok(rig.logged.some((line) => line.includes('the database Source Data')));
    assert.equal((await rig.call('GET', '/health')).status, 200);
  });
});
