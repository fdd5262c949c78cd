import assert from 'node:assert/strict';
import childProcess from 'node:child_process';
import * as fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import { launchService, type LaunchOptions } from '../../../src/extension/localService/serviceLink.ts';

const program = `
  process.stdin.on('data', (text) => {
    require('node:fs').writeFileSync('config.json', text);
    const { UV_THREADPOOL_SIZE, MALLOC_ARENA_MAX } = process.env;
    require('node:fs').writeFileSync('environment.json', JSON.stringify({ UV_THREADPOOL_SIZE, MALLOC_ARENA_MAX }));
    console.log('{}');
    process.exit();
  });
`;

describe('The local service that a window starts', () => {
  let dataFolder: string;

  beforeEach(async () => (dataFolder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-launch-'))));
  afterEach(async () => await fs.rm(dataFolder, { recursive: true }));

  /** Launches a program that saves its configuration and two variables of its environment in the data folder. */
  async function launch(config: Omit<LaunchOptions, 'program' | 'dataFolder'>): Promise<void> {
    const file = nodePath.join(dataFolder, 'service.cjs');
    await fs.writeFile(file, program);
    await launchService({ program: file, dataFolder, ...config });
  }

  it('gets the path of rclone and the bandwidth limit of stores (D62)', async () => {
    const config = { retentionDays: 7, rclone: '/opt/rclone', storeBytesPerSecond: 10_485_760 };
    await launch(config);
    const received: unknown = JSON.parse(await fs.readFile(nodePath.join(dataFolder, 'config.json'), 'utf8'));
    assert.deepEqual(received, { dataFolder, databases: [], ...config, shared: true });
  });

  it('has enough threads for several disks that hang (D42), and few memory pools for them', async () => {
    await launch({ retentionDays: 7, rclone: undefined });
    const variables: unknown = JSON.parse(await fs.readFile(nodePath.join(dataFolder, 'environment.json'), 'utf8'));
    assert.deepEqual(variables, { UV_THREADPOOL_SIZE: '32', MALLOC_ARENA_MAX: '2' });
  });

  it('is reported if it does not start in time', async () => {
    mock.method(AbortSignal, 'timeout', () => AbortSignal.abort(new DOMException('', 'TimeoutError')));
    try {
      const late = launch({ retentionDays: 7, rclone: undefined });
      await assert.rejects(late, /^Error: it didn't start within 30 seconds$/);
    } finally {
      mock.restoreAll();
    }
  });

  it('is reported if too many files are open, so that Node.js creates no pipes', async () => {
    const child = new childProcess.ChildProcess();
    mock.method(childProcess, 'spawn', () => {
      process.nextTick(() => child.emit('error', new Error('spawn EMFILE')));
      return child;
    });
    syncBuiltinESMExports();
    try {
      const config = { retentionDays: 7, rclone: undefined };
      await assert.rejects(launchService({ program: '', dataFolder: os.tmpdir(), ...config }), /spawn EMFILE/);
    } finally {
      mock.restoreAll();
      syncBuiltinESMExports();
    }
  });
});
