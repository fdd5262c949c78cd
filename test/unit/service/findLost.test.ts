import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import { createJobSignal, type JobResult } from '../../../src/service/transfers/fileJobs.ts';
import { findLost } from '../../../src/service/transfers/fileJobHandlers.ts';

const transferId = '01234567-89ab-4cde-8f01-23456789abcd';

describe('The search for lost files in a folder (D25)', () => {
  let root: string;

  beforeEach(() => {
    root = fs.mkdtempSync(nodePath.join(os.tmpdir(), 'dts-find-lost-'));
    const folder = nodePath.join(root, 'target', `dts-${transferId}`);
    fs.mkdirSync(folder, { recursive: true });
    for (const name of ['0', '1', '2', '3']) fs.writeFileSync(nodePath.join(folder, name), 'x');
  });
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    fs.rmSync(root, { recursive: true });
  });

  async function find(): Promise<JobResult> {
    const destinationFolder = nodePath.join(root, 'target');
    const files = [0, 1, 2, 3].map((position) => ({ position, path: String(position), bytes: 1, sha256: '' }));
    return await findLost({ transferId, destinationFolder, files, signal: createJobSignal() });
  }

  /** Calls `interfere` before the file at position 2 is inspected. */
  function interfereAtSecond(interfere: () => void): void {
    const original = fs.lstatSync;
    mock.method(fs, 'lstatSync', (path: string) => {
      if (nodePath.basename(path) === '2') interfere();
      return original(path);
    });
    syncBuiltinESMExports();
  }

  it('finds files that are missing or have a different size', async () => {
    const folder = nodePath.join(root, 'target', `dts-${transferId}`);
    fs.rmSync(nodePath.join(folder, '1'));
    fs.appendFileSync(nodePath.join(folder, '3'), 'y');
    const { lost, failure } = await find();
    assert.deepEqual([lost, failure], [[1, 3], undefined]);
  });

  it('reports that the destination is missing, not its files, when it disappears', async () => {
    interfereAtSecond(() => fs.renameSync(nodePath.join(root, 'target'), nodePath.join(root, 'away')));
    const { lost, failure } = await find();
    assert.deepEqual([lost, failure], [[], { position: 2, operation: 'write', code: 'ENOENT' }]);
  });

  it('reports a file that it cannot inspect, not its loss', async () => {
    interfereAtSecond(() => {
      throw Object.assign(new Error('ETIMEDOUT'), { code: 'ETIMEDOUT' });
    });
    const { lost, failure } = await find();
    assert.deepEqual([lost, failure], [[], { position: 2, operation: 'write', code: 'ETIMEDOUT' }]);
  });
});
