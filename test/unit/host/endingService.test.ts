import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import * as fs from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../../src/core/util/clock.ts';
import { describeProcess } from '../../../src/core/util/ownProcess.ts';
import type { ServedLocation } from '../../../src/extension/editor/settings.ts';
import { LocalService } from '../../../src/extension/localService/localService.ts';

const ignore = (): void => undefined;
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

/** A service that grants the first lease, and calls `onChange` instead of responding to the second one. */
function createFakeService(onChange: () => void): Server {
  let leases = 0;
  const server = createServer((request, response) => {
    const route = `${request.method} ${request.url?.split('?')[0]}`;
    if (route === 'GET /service') response.end(JSON.stringify({ pid: process.pid, leases }));
    else if (route === 'DELETE /service') {
      response.writeHead(204).end();
      response.once('finish', () => server.closeAllConnections());
    } else if (++leases === 1) response.write('{"event":"serving"}\n');
    else onChange();
  });
  return server;
}

describe('A window that changes the databases of a service', () => {
  it('reports no failure if it stops the service before the change has been made (D29)', async () => {
    const dataFolder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-ending-'));
    const asked = new EventEmitter();
    const server = createFakeService(() => asked.emit('change'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const record = { ...describeProcess(), address, token: 'token', sharingToken: 'sharing', version: '1.0.0' };
    await fs.writeFile(nodePath.join(dataFolder, 'service.json'), JSON.stringify(record));
    let locations: readonly ServedLocation[] = [];
    const service = new LocalService({
      program: '',
      dataFolder,
      version: '1.0.0',
      clock: systemClock,
      log: silent,
      getConfig: () => ({ retentionDays: 7, rclone: undefined }),
      getTerms: () => Promise.resolve({ databases: locations, cluster: null }),
    });
    try {
      await service.start();
      locations = [{ name: 'Lab Share', folder: '/lab' }];
      const changing = once(asked, 'change');
      const updated = service.updateServedLocations();
      await changing;
      await service.stop();
      await updated;
      assert.equal(service.isRunning, false);
    } finally {
      service.dispose();
      server.close();
      await fs.rm(dataFolder, { recursive: true });
    }
  });
});
