import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callCli } from '../support/cliCall.ts';
import { runCli } from '../support/cliProcess.ts';
import { CliRig } from './cliRig.ts';

const orcid = '0000-0002-1825-0097';

describe('The key of the command line', () => {
  let rig: CliRig;
  let folder: string;
  before(async () => {
    rig = await CliRig.start({ 'a.csv': 'a' });
    folder = await mkdtemp(join(tmpdir(), 'cli-key-'));
  });
  after(async () => {
    await rig.stop();
    await rm(folder, { recursive: true });
  });

  it('is read from a file or standard input, and needs exactly one source', async () => {
    const { address, token } = rig.service.service;
    const connection = ['databases', '--server', address, '--orcid', orcid];
    await writeFile(join(folder, 'key'), `${token}\n`);
    assert.equal((await callCli([...connection, '--key-file', join(folder, 'key')])).code, 0);
    assert.equal((await runCli([...connection, '--key-stdin'], { input: `${token}\n` })).code, 0);
    assert.equal((await callCli([...connection, '--key-stdin', '--key-file', 'x'], { input: token })).code, 2);
    const missing = await callCli([...connection, '--key-file', 'planted-key']);
    assert.deepEqual([missing.code, missing.stderr], [3, "Couldn't read the file of --key-file (ENOENT).\n"]);
    assert.equal((await callCli(connection)).code, 3);
    assert.match((await callCli([...connection, '--key-variable', 'UNSET_KEY'])).stderr, /UNSET_KEY .* isn't set/);
  });

  it('is refused if its source is too large, because a device or a pipe can be endless', async () => {
    const connection = ['databases', '--server', rig.service.service.address, '--orcid', orcid];
    const large = join(folder, 'large');
    await writeFile(large, 'x'.repeat(100_000));
    const file = await callCli([...connection, '--key-file', large]);
    assert.deepEqual([file.code, file.stderr], [3, `Couldn't connect: ${large} is too large for an API key.\n`]);
    const input = await runCli([...connection, '--key-stdin'], { input: 'x'.repeat(10_000_000) });
    assert.deepEqual(
      [input.code, input.stderr],
      [3, "Couldn't connect: standard input is too large for an API key.\n"],
    );
  });

  it('is refused if its file or variable contains more than a key', async () => {
    const connection = ['databases', '--server', rig.service.service.address, '--orcid', orcid];
    const path = join(folder, 'more');
    for (const content of ['planted-key-1\nplanted-key-2\n', Buffer.from('planted-key', 'utf16le'), 'clé']) {
      await writeFile(path, content);
      const { code, stderr } = await callCli([...connection, '--key-file', path]);
      assert.deepEqual([code, stderr], [3, `Couldn't connect: ${path} contains more than an API key in ASCII.\n`]);
    }
    const variable = await callCli([...connection, '--key-variable', 'LAB_KEY'], { environment: { LAB_KEY: 'clé' } });
    assert.equal(variable.stderr, "Couldn't connect: LAB_KEY contains more than an API key in ASCII.\n");
  });

  it('is not repeated if it is in the query of an address', async () => {
    const environment = { LAB_KEY: 'planted-key-1' };
    for (const server of ['http://127.0.0.1:1/?token=planted-token', 'http://127.0.0.1:1/a#planted-token']) {
      const connection = ['databases', '--verbose', '--server', server, '--orcid', orcid, '--key-variable', 'LAB_KEY'];
      const { code, stdout, stderr } = await callCli(connection, { environment });
      assert.equal(code, 3);
      assert.match(
        stderr,
        /^Couldn't connect to http:\/\/127\.0\.0\.1:1\/a?….*remove the part that starts with \? or #/m,
      );
      assert.doesNotMatch(`${stdout}${stderr}`, /planted-token/);
    }
  });

  it('is rejected as an argument, without printing it', async () => {
    const secret = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
    for (const args of [
      ['databases', `--key=${secret}`],
      ['databases', '--api-key', secret],
      ['databases', '--key-variable', `${secret}-x`],
      ['databases', secret],
      ['databases', '--server', `https://me:${secret}@dts.example.org`],
    ]) {
      const { code, stdout, stderr } = await callCli(args);
      assert.equal(code, 2, args.join(' '));
      assert.ok(!`${stdout}${stderr}`.includes(secret));
      assert.match(stderr, /Use --key-variable, --key-file or --key-stdin\.\n$/);
    }
  });
});
