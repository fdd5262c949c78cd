import assert from 'node:assert/strict';
import fs, { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { pathToFileURL } from 'node:url';
import { getEndedPid } from '../../support/endedProcess.ts';

const module = join(import.meta.dirname, '..', '..', '..', 'scripts', 'build', 'buildLock.mjs');

interface BuildLock {
  runWithBuild<T>(script: string, work: () => Promise<T>, file: string): Promise<T>;
}

describe('Scripts that use the build', () => {
  let folder: string;
  let file: string;
  let lock: BuildLock;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'build-lock-'));
    file = join(folder, 'lock.json');
    lock = (await import(pathToFileURL(module).href)) as BuildLock;
  });
  after(() => rm(folder, { recursive: true }));

  it('refuse to run concurrently, and name the one that runs', async () => {
    const nested = lock.runWithBuild('demo', () => lock.runWithBuild('package', () => Promise.resolve(), file), file);
    await assert.rejects(nested, {
      name: 'StepError',
      message: `"npm run demo" (process ${String(process.pid)}) is using the build of this clone: stop it first. If that process is another program, delete ${file}.`,
    });
    assert.equal(await lock.runWithBuild('package', () => Promise.resolve(existsSync(file)), file), true);
    assert.equal(existsSync(file), false);
  });

  it('run after one that was killed, or that left a partial file', async () => {
    for (const left of [JSON.stringify({ script: 'demo', pid: await getEndedPid() }), '{"scr']) {
      await writeFile(file, left);
      assert.equal(await lock.runWithBuild('package', () => Promise.resolve('done'), file), 'done');
    }
  });

  it('refuse to run if another one creates the lock just after its absence was noticed', async () => {
    await writeFile(file, JSON.stringify({ script: 'demo', pid: process.pid }));
    const restore = (): void => {
      mock.restoreAll();
      syncBuiltinESMExports();
    };
    mock.method(fs, 'readFileSync', () => {
      restore();
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    });
    syncBuiltinESMExports();
    try {
      const work = (): never => assert.fail('both run');
      await assert.rejects(lock.runWithBuild('package', work, file), { name: 'StepError' });
      assert.equal(existsSync(file), true);
    } finally {
      restore();
      await rm(file, { force: true });
    }
  });
});
