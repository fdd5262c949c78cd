import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { Worker } from 'node:worker_threads';
import { describeProcess, isOwnProcess, isRunning } from '../../../src/core/util/ownProcess.ts';
import { getEndedPid } from '../../support/endedProcess.ts';

describe('The record of a process (D29)', () => {
  const own = describeProcess();
  const isLinux = process.platform === 'linux';
  /** The namespaces of a container that shares the network of this machine. */
  const container = { ...own.namespaces, pid: 'pid:[1]' };

  it('is trusted while the process runs, with or without namespaces', () => {
    assert.equal(isOwnProcess(own), true);
    assert.equal(isOwnProcess({ host: hostname(), pid: process.pid }), true);
  });

  it('is not trusted after its end, on another machine, or without an ID', async () => {
    const ended = await getEndedPid();
    for (const gone of [{ pid: ended }, { host: 'another-machine' }, { pid: undefined }, { pid: 0 }, { pid: -1 }])
      assert.equal(isOwnProcess({ ...own, ...gone }), false, JSON.stringify(gone));
  });

  it('is not trusted if its ID belongs to another process or thread, unless it has no start time', async function () {
    if (!isLinux) this.skip();
    const listThreads = (): readonly number[] => readdirSync('/proc/self/task').map(Number);
    const earlier = listThreads();
    const worker = new Worker('setInterval(() => undefined, 1000)', { eval: true });
    await once(worker, 'online');
    const thread = listThreads().find((one) => !earlier.includes(one));
    assert.equal(isOwnProcess({ ...own, pid: thread }), false);
    await worker.terminate();
    assert.equal(isOwnProcess({ ...own, pid: process.ppid }), false);
    assert.equal(isOwnProcess({ ...own, start: own.start?.replace(/^./, 'x') }), false, 'after a reboot');
    assert.equal(isOwnProcess({ ...own, pid: process.ppid, start: undefined }), true);
  });

  it('is trusted in a container with the same network, but other process IDs', async () => {
    const pid = await getEndedPid();
    assert.equal(isOwnProcess({ ...own, pid, namespaces: container }), isLinux);
  });

  it('is not trusted if the process, which counts as running, belongs to another user', () => {
    const { kill } = process;
    process.kill = () => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    };
    try {
      assert.equal(isRunning(process.pid), true);
      assert.equal(isOwnProcess(own), false);
    } finally {
      process.kill = kill;
    }
  });

  it('is not trusted in a container with a separate network, where its address means another program', () => {
    const namespaces = { ...container, net: 'net:[1]' };
    assert.equal(isOwnProcess({ ...own, namespaces }), !isLinux);
  });
});
