import assert from 'node:assert/strict';
import { chooseConnection, findRecordConnection } from '../../../src/cli/connections/connectionsFile.ts';
import { createConnectionId } from '../../../src/core/util/connectionId.ts';

describe('The ID of a connection that is not saved (D63)', () => {
  const server = 'https://dts.example.org:8443';

  it('is the same in a window and with --server', () => {
    const { id } = chooseConnection({ server: `${server}/` }, { connections: [] });
    assert.equal(id, createConnectionId('https://dts.example.org', 8443));
    assert.match(id, /^[0-9a-f]{16}$/);
  });

  it('lets a command find the record of a window', () => {
    const id = createConnectionId(server);
    assert.equal(findRecordConnection({ server }, { connections: [] }, id)?.server, server);
    assert.equal(findRecordConnection({ server: 'https://other.example.org' }, { connections: [] }, id), undefined);
    const saved = { id: 'mine', name: 'DTS', server: 'https://dts.example.org', port: 8443 };
    assert.deepEqual(findRecordConnection({}, { connections: [saved] }, id), { ...saved, id });
  });

  it('lets a command find the record of another connection to the same address', () => {
    const given = { server: 'HTTPS://DTS.example.org:8443/' };
    const addressId = createConnectionId(server);
    assert.deepEqual(findRecordConnection(given, { connections: [] }, 'lab', addressId)?.id, 'lab');
    assert.equal(findRecordConnection(given, { connections: [] }, 'lab'), undefined);
    const saved = { id: 'mine', name: 'DTS', server };
    assert.deepEqual(findRecordConnection({}, { connections: [saved] }, 'lab', addressId), { ...saved, id: 'lab' });
  });
});
