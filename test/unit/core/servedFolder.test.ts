import assert from 'node:assert/strict';
import { findServedFolder } from '../../../src/core/verification/transferredFolder.ts';

const tunnel = { connection: { id: 'lab' }, service: { address: 'http://127.0.0.1:8000' } };
const local = { ...tunnel, connection: { id: 'local@desk' } };
const elsewhere = { ...tunnel, service: { address: 'https://dts.example.org' } };

describe('The folder that a database is served from', () => {
  it('is that of a service on this machine', () => {
    assert.equal(findServedFolder(tunnel, { url: 'file:///data/a%20b' }, false), '/data/a b');
    assert.equal(findServedFolder(tunnel, { url: 'file:///C:/data' }, true), 'C:\\data');
    assert.equal(findServedFolder(elsewhere, { url: 'file:///data' }, false), undefined);
  });

  it('is unknown if the URL is not a path on this system', () => {
    for (const url of ['', 'https://dts.example.org', 'file:///a%2Fb', 'file://host/share', 'file:///%zz'])
      assert.equal(findServedFolder(tunnel, { url }, false), undefined, url);
    assert.equal(findServedFolder(tunnel, { url: 'file:///data' }, true), undefined);
  });

  it('is on another host only for the local service, because Windows signs in there', () => {
    const url = 'file://files.example.org/share/data';
    assert.equal(findServedFolder(tunnel, { url }, true), undefined);
    assert.equal(findServedFolder(tunnel, { url: 'file:////files.example.org/share' }, true), undefined);
    assert.equal(findServedFolder(local, { url }, true), '\\\\files.example.org\\share\\data');
  });
});
