import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import { request } from 'node:http';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../src/core/util/clock.ts';
import { RcloneDaemon } from '../../src/service/stores/rcloneDaemon.ts';
import { MemoryLog } from '../support/memoryLog.ts';
import { mustFindRclone } from '../support/storeServers.ts';

describe('The rclone daemon of the service (D62)', () => {
  let folder: string;
  let daemon: RcloneDaemon;

  before(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-password-'));
    daemon = new RcloneDaemon({
      rclone: mustFindRclone(),
      clock: systemClock,
      logger: new MemoryLog(),
      stagingFolder: nodePath.join(folder, 'staging'),
    });
  });
  after(async () => {
    await daemon.close();
    await fs.rm(folder, { recursive: true });
  });

  async function send(port: number, method: string, path: string, authorization?: string): Promise<number> {
    const headers = { ...(authorization !== undefined && { authorization }), 'content-type': 'application/json' };
    return await new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject).end('{}');
    });
  }

  it('rejects requests without the password of its process (CVE-2026-49980)', async () => {
    const marker = nodePath.join(folder, 'marker');
    const command = encodeURIComponent(`[:sftp,ssh='touch ${marker}':]`);
    const paths = [
      `/${command}/x`,
      `/${command}/`,
      `/${encodeURIComponent('[:local:/]')}/etc/passwd`,
      '/*',
      '/',
      '/core/version',
      '/config/dump',
      '/core/command',
      '/operations/list',
      '//core/version',
      '/core/quit',
    ];
    await daemon.use(async ({ port, authorization }) => {
      for (const path of paths) {
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PROPFIND']) {
          for (const wrong of [undefined, 'Basic Og==', `Basic ${Buffer.from('x:y').toString('base64')}`, 'Bearer x']) {
            const status = await send(port, method, path, wrong);
            assert.ok([400, 401, 404, 405].includes(status), `${method} ${path}: ${status}`);
          }
        }
        assert.equal(await send(port, 'GET', path), 401, path);
      }
      assert.equal(await send(port, 'POST', '/core/version', authorization), 200);
    });
    await assert.rejects(fs.stat(marker), { code: 'ENOENT' });
  });
});
