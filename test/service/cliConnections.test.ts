import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCli, type CliResult } from '../support/cliProcess.ts';
import { CliRig } from './cliRig.ts';

describe('A service on the command line that is given by its address and by a connection', () => {
  const request = ['transfer', 'Source Data', 'Target', 'slow.bin'];
  let rig: CliRig;
  beforeEach(async () => {
    const options = { throttleBytesPerSecond: 10_000 };
    rig = await CliRig.start({ 'slow.bin': 'x'.repeat(100_000) }, options);
  });
  afterEach(async () => await rig.stop());

  /** Runs a command over a connection, whose address is written differently. */
  async function runByConnection(...args: readonly string[]): Promise<CliResult> {
    const { address, token } = rig.service.service;
    const file = join(rig.ledger, 'connections.json');
    const server = `${address.replace('http', 'HTTP')}/`;
    const connections = [{ id: 'lab', name: 'Lab', server, apiKeyVariable: 'K' }];
    await writeFile(file, JSON.stringify({ orcid: '0000-0002-1825-0097', connections }));
    const environment = { K: token, DATA_TRANSFER_LEDGER: rig.ledger };
    return await runCli([...args, '--connections', file], { environment });
  }

  it('is one service for the files of running transfers', async () => {
    const first = (await runByConnection(...request)).stdout.trim();
    const refusal = new RegExp(
      `^Nothing was sent: 1 of these files may already be in a running transfer \\(${first}\\)`,
    );
    assert.match((await rig.run(...request)).stderr, refusal);
    await runByConnection('cancel', first, '--wait');
    const second = (await rig.run(...request)).stdout.trim();
    const { code, stderr } = await runByConnection(...request);
    assert.deepEqual([code, stderr.includes(second)], [1, true]);
  });

  it('is known for the transfers of both', async () => {
    const id = (await runByConnection(...request)).stdout.trim();
    assert.deepEqual([(await rig.run('pause', id)).code, (await rig.service.status(id)).status], [0, 'inactive']);
    const { stderr } = await rig.run('status', id);
    assert.doesNotMatch(stderr, /isn't known/);
  });
});
