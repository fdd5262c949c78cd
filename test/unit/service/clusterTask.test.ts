import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TaskArray } from '../../../src/service/cluster/taskFiles.ts';
import { repositoryRoot } from '../../support/editor/places.ts';

const program = join(repositoryRoot, 'src', 'service', 'cluster', 'clusterTask.ts');

describe('A task on a node of a cluster', () => {
  it('names the node and the folder if the node does not reach it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dts-task-'));
    const missing = join(folder, 'source');
    const file = { position: 3, path: 'a.txt', bytes: 1, declared: undefined, cachedHash: undefined };
    const job = { folder: missing, files: [file] };
    const { tasks } = await TaskArray.create(folder, 1, [{ kind: 'stage', job }]);
    const files = tasks[0]?.files ?? assert.fail();
    const env = { ...process.env, SLURMD_NODENAME: 'dtn1' };
    await promisify(execFile)(process.execPath, [program, files.job], { env });
    const { failure } = (await files.readResult()) ?? {};
    assert.deepEqual([failure?.position, failure?.text], [3, `node dtn1 doesn't reach ${missing}`]);
    await rm(folder, { recursive: true });
  });
});
