import assert from 'node:assert/strict';
import childProcess, { type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import { DatabaseUnavailableError } from '../../../src/service/catalog/databaseUnavailableError.ts';
import { RcloneDaemon } from '../../../src/service/stores/rcloneDaemon.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const { spawn } = childProcess;

describe('Starting and closing the rclone of the service (D62)', () => {
  let folder: string;
  let clock: ManualClock;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-rcd-'));
    clock = new ManualClock();
  });
  afterEach(async () => await fs.rm(folder, { recursive: true }));

  /** Creates a daemon whose rclone is a script that runs the given command. */
  async function createDaemon(command: string): Promise<RcloneDaemon> {
    const rclone = nodePath.join(folder, 'rclone');
    const version = `if [ "$1" = version ]; then echo 'rclone v1.75.0'; exit; fi`;
    await fs.writeFile(rclone, `#!/bin/sh\n${version}\n${command}\n`, { mode: 0o755 });
    const stagingFolder = nodePath.join(folder, 'staging');
    return new RcloneDaemon({ rclone, clock, logger: new MemoryLog(), stagingFolder });
  }

  const use = async (daemon: RcloneDaemon): Promise<number> =>
    await daemon.use(async ({ port }) => await Promise.resolve(port));

  it('stops an rclone that listens but never responds', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const address = `Serving remote control on http://127.0.0.1:${port}/`;
    const daemon = await createDaemon(`echo '${address}' >&2; exec sleep 60`);
    try {
      const used = assert.rejects(use(daemon), new DatabaseUnavailableError('rclone could not be started'));
      await once(silent, 'request');
      await clock.pass(30_000);
      await used;
    } finally {
      silent.closeAllConnections();
      silent.close();
      await daemon.close();
    }
  });

  it('leaves no timer when rclone ends at its start, or when it is used after it was closed', async () => {
    const daemon = await createDaemon('exit 1');
    await assert.rejects(use(daemon), new DatabaseUnavailableError('rclone could not be started'));
    await daemon.close();
    await assert.rejects(use(daemon), new DatabaseUnavailableError('the service is stopping'));
    assert.equal(clock.waitingCount, 0);
  });

  /**
   * Creates a daemon with a simulated rclone and returns it with the simulation's port and server. The simulation
   * accepts the request `accepted`, if given, without a password.
   */
  async function createUsable(accepted?: string): Promise<readonly [RcloneDaemon, number, Server]> {
    const server = createServer(({ method, url = '' }, response) =>
      response.writeHead(`${method} ${decodeURIComponent(url)}` === accepted ? 200 : 401).end(),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const address = `Serving remote control on http://127.0.0.1:${port}/`;
    return [await createDaemon(`echo '${address}' >&2; exec sleep 60`), port, server];
  }

  for (const accepted of ['GET /[:memory:]/probe', 'GET /*', 'POST /core/version'])
    it(`does not use an rclone that accepts a request without its password: ${accepted} (CVE-2026-49980)`, async () => {
      const [daemon, , server] = await createUsable(accepted);
      const reason = 'this rclone answers requests without its password';
      await assert.rejects(use(daemon), new DatabaseUnavailableError(reason));
      await daemon.close();
      server.close();
    });

  const refusals: [code: string, refuse: () => void][] = [
    // Without free file descriptors, Node.js creates no pipes.
    ['EMFILE', () => mock.method(childProcess, 'spawn', () => failLater(new childProcess.ChildProcess()))],
    ['ENOMEM', () => mock.method(childProcess, 'spawn', () => assert.fail('ENOMEM'))],
    ['ENOENT', () => mock.method(childProcess, 'spawn', spawnMissing)],
  ];
  for (const [code, refuse] of refusals)
    it(`reports that the system refuses to start rclone, and starts it at the next use: ${code}`, async () => {
      const [daemon, port, server] = await createUsable();
      refuse();
      syncBuiltinESMExports();
      try {
        await assert.rejects(use(daemon), new DatabaseUnavailableError('rclone could not be started'));
      } finally {
        mock.restoreAll();
        syncBuiltinESMExports();
      }
      assert.equal(await use(daemon), port);
      await daemon.close();
      server.close();
    });
});

function failLater(child: ChildProcess): ChildProcess {
  process.nextTick(() => child.emit('error', new Error('spawn EMFILE')));
  return child;
}

/**
 * Tries to start a program that doesn't exist. As with EAGAIN, the child process has pipes and emits the failure as
 * `error`.
 */
function spawnMissing(_: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return spawn('/nonexistent', args, options);
}
