import assert from 'node:assert/strict';
import { createRcloneEnvironment } from '../../../src/core/util/remote.ts';

describe('The environment of rclone', () => {
  const given = {
    RCLONE_RC_ADDR: ':5572',
    RCLONE_METRICS_ADDR: ':9090',
    RCLONE_METRICS_PASS: 'secret',
    RCLONE_CPUPROFILE: 'cpu',
    RCLONE_MEMPROFILE: 'memory',
    RCLONE_CONFIG_LAB_TYPE: 'sftp',
    RCLONE_CONFIG_PASS: 'password',
  };
  const { env } = process;
  beforeEach(() => (process.env = { ...env, ...given }));
  afterEach(() => (process.env = env));

  it('has the variables that configure remotes, and none that open a listener or write a file', () => {
    const environment = createRcloneEnvironment();
    assert.deepEqual(
      Object.keys(given).filter((name) => name in environment),
      ['RCLONE_CONFIG_LAB_TYPE', 'RCLONE_CONFIG_PASS'],
    );
  });
});
