import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { describeProcess, isOwnProcess, isRunning } from '../../../src/core/util/ownProcess.ts';
import { getEndedPid } from '../../support/endedProcess.ts';

describe('The record of a process (D29)', () => {
  const own = describeProcess();
  const isLinux = process.platform === 'linux';
  /** The namespaces of a container with the network of this machine. */
  const container = { ...own.namespaces, pid: 'pid:[1]' };

  it('is believed while the process runs, with or without namespaces', () => {
    assert.equal(isOwnProcess(own), true);
    assert.equal(isOwnProcess({ host: hostname(), pid: process.pid }), true);
  });

  it('is not believed after its end, on another machine, or without an ID', async () => {
    const ended = await getEndedPid();
    for (const gone of [{ pid: ended }, { host: 'another-machine' }, { pid: undefined }, { pid: 0 }, { pid: -1 }])
      assert.equal(isOwnProcess({ ...own, ...gone }), false, JSON.stringify(gone));
  });

  it('is believed in a container with the same network, whose process IDs mean nothing here', async () => {
    const pid = await getEndedPid();
    assert.equal(isOwnProcess({ ...own, pid, namespaces: container }), isLinux);
  });

  it('is not believed if the process is one of another user, which counts as running', () => {
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

  it('is not believed in a container with a network of its own, where its address is another one', () => {
    const namespaces = { ...container, net: 'net:[1]' };
    assert.equal(isOwnProcess({ ...own, namespaces }), !isLinux);
  });
});
