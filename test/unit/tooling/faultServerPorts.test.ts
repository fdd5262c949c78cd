import assert from 'node:assert/strict';
import { FaultServer } from '../../support/faultServer.ts';

describe('The fault server', () => {
  it('never starts on the port of an earlier server, which the extension may have cached', async () => {
    const earlier = await FaultServer.start();
    const { port } = earlier;
    await earlier.stop();
    const later = await FaultServer.start(undefined, port);
    try {
      assert.notEqual(later.port, port);
      assert.equal((await fetch(later.address)).status, 404);
    } finally {
      await later.stop();
    }
  });

  it('restarts on its own port', async () => {
    const server = await FaultServer.start();
    const { port } = server;
    await server.stop();
    await server.startAgain();
    assert.equal(server.port, port);
    await server.stop();
  });
});
