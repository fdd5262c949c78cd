import assert from 'node:assert/strict';
import { CliRig } from './cliRig.ts';

describe('The verification of a transfer that has not succeeded, on the command line', () => {
  let rig: CliRig;
  let id: string;
  beforeEach(async () => {
    rig = await CliRig.start({ 'big.bin': 'x'.repeat(100_000) });
    await rig.service.restart({ throttleBytesPerSecond: 10_000 });
    id = (await rig.run('transfer', 'Source Data', 'Target', 'big.bin')).stdout.trim();
  });
  afterEach(async () => await rig.stop());

  it('says that it may not have ended, and how to check that', async () => {
    await rig.service.waitForStatus(id, 'active');
    const { code, stderr } = await rig.run('verify', id);
    assert.equal(code, 4);
    const state = `The recorded state of transfer ${id} is (accepted|staging|active)\\.`;
    assert.match(stderr, new RegExp(`\\. ${state} To check: data-transfer status ${id}\n$`));
  });

  it('says that it was canceled', async () => {
    assert.equal((await rig.run('cancel', id, '--wait')).code, 0);
    const { code, stderr } = await rig.run('verify', id);
    assert.equal(code, 4);
    assert.ok(stderr.endsWith(`. The recorded state of transfer ${id} is canceled.\n`), stderr);
  });
});
