import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { ReservedPort } from '../../support/reservedPort.ts';

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('A reserved port', () => {
  it('can be used by a server more than once', async () => {
    const port = await ReservedPort.reserve();
    for (let times = 0; times < 2; times++) {
      const server = await listen(port.number);
      server.close();
      await once(server, 'close');
    }
    await port.release();
  });

  it('cannot be reserved until it is released', async () => {
    const port = await ReservedPort.reserve();
    const other = await ReservedPort.reserve(port.number);
    assert.notEqual(other.number, port.number);
    await port.release();
    const lock = await listen(port.number + 1);
    lock.close();
    await other.release();
  });

  it('is not used by a server', async () => {
    const port = await ReservedPort.reserve();
    const server = await listen(port.number);
    await port.release();
    const other = await ReservedPort.reserve(port.number);
    assert.notEqual(other.number, port.number);
    server.close();
    await other.release();
  });
});
