import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../support/cliProcess.ts';
import { eventually } from '../../support/eventually.ts';
import { json, problem } from '../../support/faultBehaviors.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { CliRig } from '../cliRig.ts';

const reads = { from: { database: 'Source Data', search: { query: 'csv' } }, to: { database: 'Target' } };

describe('Recipes on the command line', () => {
  let rig: CliRig;
  let folder: string;
  let recipe: string;
  beforeEach(async () => {
    rig = await CliRig.start({ 'a.csv': 'a', 'b/c.txt': 'hello', 'd.csv': 'dd' });
    folder = await mkdtemp(join(tmpdir(), 'cli-recipe-'));
    recipe = join(folder, 'reads.transfer.json');
    await write(reads);
  });
  afterEach(async () => {
    await rig.stop();
    await rm(folder, { recursive: true });
  });

  async function write(content: unknown): Promise<void> {
    await writeFile(recipe, typeof content === 'string' ? content : JSON.stringify(content));
  }

  async function readLock(): Promise<{ files: { id: string }[]; transfer: { id: string } }> {
    return JSON.parse(await readFile(join(folder, 'reads.transfer.lock.json'), 'utf8')) as never;
  }

  it('are run, compared, and run again when a file was added at the source (D61)', async () => {
    const dry = await rig.run('run', recipe, '--dry-run');
    assert.equal(dry.code, 0, dry.stderr);
    assert.match(dry.stdout, /^2 files, 3 B\nnot run yet\nfree space in Target: [\d.]+ \wB\n$/);
    const first = await rig.run('run', recipe, '--wait');
    assert.equal(first.code, 0, first.stderr);
    const lock = await readLock();
    assert.equal(lock.transfer.id, first.stdout.trim());
    assert.deepEqual(
      lock.files.map(({ id }) => id),
      ['a.csv', 'd.csv'],
    );
    assert.equal((await rig.run('verify', lock.transfer.id)).code, 0);
    assert.deepEqual((await rig.run('compare', recipe)).stdout, 'The files match the lock.\n');

    await rig.service.write({ 'e.csv': 'eee' });
    await rig.service.reachesFiles('csv', 3);
    const changed = await rig.run('run', recipe, '--dry-run');
    assert.match(
      changed.stdout,
      /^3 files, 6 B\nsince the last run: 1 new, 2 unchanged\nfree space in Target: .*\nalready in Target: (at least )?2 files\n$/,
    );
    const document = await rig.runJson(0, 'run', recipe, '--dry-run');
    assert.equal((document['alreadyThere'] as { files: number }).files, 2);
    assert.ok(Number(document['freeBytes']) > 0, 'the free space is a number of bytes');
    const comparison = await rig.run('compare', recipe);
    assert.deepEqual([comparison.code, comparison.stdout], [5, '+ e.csv\n']);
    assert.equal((await rig.runJson(5, 'compare', recipe))['isSame'], false);

    // The lock still has the two files, and both are unchanged.
    assert.equal((await rig.run('run', recipe, '--locked', '--wait')).code, 0);
    assert.equal((await readLock()).files.length, 2);
    assert.equal((await rig.run('run', recipe, '--wait')).code, 0);
    assert.equal((await readLock()).files.length, 3);
  });

  it('give the new folder a chosen name, which a second run cannot use again (D24)', async () => {
    await write({ ...reads, to: { database: 'Target', folder: 'run 42' } });
    assert.match((await rig.run('run', recipe, '--dry-run')).stdout, /^new folder in Target: run 42$/m);
    assert.equal((await rig.runJson(0, 'run', recipe, '--dry-run'))['folder'], 'run 42');
    const { code, stdout, stderr } = await rig.run('run', recipe, '--wait');
    assert.equal(code, 0, stderr);
    assert.deepEqual(await rig.service.listReceivedFiles(), ['run 42/a.csv', 'run 42/d.csv', 'run 42/manifest.json']);
    assert.match((await rig.run('verify', stdout.trim())).stdout, /^2 of 2 files intact\n$/);
    const again = await rig.run('run', recipe);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /The folder "run 42" already exists at the destination\. Choose another name/);
  });

  it('do not count files as already there that were transferred earlier and deleted there', async () => {
    // The service learns the hashes of the files in the first transfer, and the record of the second contains them.
    for (let times = 0; times < 2; times++) assert.equal((await rig.run('run', recipe, '--wait')).code, 0);
    await rm(rig.service.target, { recursive: true });
    await mkdir(rig.service.target);
    await eventually(async () =>
      (await rig.service.find('csv', { database: 'Target' })).length === 0 ? true : undefined,
    );
    const { stdout } = await rig.run('run', recipe, '--dry-run');
    assert.match(stdout, /^2 files, 3 B\n/);
    assert.doesNotMatch(stdout, /already in|transferred to/);
    const document = await rig.runJson(0, 'run', recipe, '--dry-run');
    assert.deepEqual(
      [document['transferredBefore'], document['alreadyThere']],
      [undefined, { files: 0, atLeast: false }],
    );
  });

  it('send nothing with --locked if a file is gone or has changed, and exit with 5', async () => {
    assert.equal((await rig.run('run', recipe, '--locked')).code, 5);
    assert.equal((await rig.run('run', recipe, '--wait')).code, 0);
    const before = await readFile(join(folder, 'reads.transfer.lock.json'), 'utf8');
    await rm(join(rig.service.source, 'a.csv'));
    await rig.service.reachesFiles('csv', 1);
    const { code, stderr } = await rig.run('run', recipe, '--locked');
    assert.equal(code, 5);
    assert.match(stderr, /^Nothing was sent\. The files differ from the lock: 1 gone, 1 unchanged\.\n$/);
    assert.equal(await readFile(join(folder, 'reads.transfer.lock.json'), 'utf8'), before);
    await writeFile(join(folder, 'reads.transfer.lock.json'), before.replace('a.csv', 'x.csv'));
    const edited = await rig.run('run', recipe, '--locked');
    assert.deepEqual([edited.code, /^Nothing was sent\. .* changed after the last run/.test(edited.stderr)], [5, true]);
    await writeFile(join(folder, 'reads.transfer.lock.json'), 'x');
    const dry = await rig.run('run', recipe, '--dry-run');
    assert.deepEqual([dry.code, /not run yet/.test(dry.stdout)], [0, false]);
    const compared = await rig.run('compare', recipe);
    assert.deepEqual(
      [compared.code, compared.stderr],
      [1, "The lock isn't valid. Running the recipe without --locked will replace it.\n"],
    );
  });

  it('are rejected with the line number of each error', async () => {
    await write('{\n  "from": {"database": "Source Data", "search": {"query": "csv"}},\n  "too": {}\n}');
    const unknown = await rig.run('run', recipe);
    assert.equal(unknown.code, 2);
    assert.equal(unknown.stderr, `${recipe}:3: unknown field "too"; did you mean "to"?\n`);
    await write('{\n  "from": {\n');
    assert.match((await rig.run('run', recipe)).stderr, /reads\.transfer\.json:\d: invalid JSON\n/);
    await write({ ...reads, version: 9 });
    assert.match((await rig.run('run', recipe)).stderr, /:1: the recipe requires a later version of data-transfer\n/);
    await write({ ...reads, apiKey: 'do-not-print-this' });
    const secret = await rig.run('run', recipe);
    assert.match(secret.stderr, /:1: a recipe can't contain a key/);
    assert.ok(!secret.stderr.includes('do-not-print-this'));
    await write({ ...reads, to: { database: 'Targot' } });
    assert.match((await rig.run('run', recipe)).stderr, /no such database; did you mean "Target"\?\n$/);
    await write({ ...reads, to: { database: 'JGI' } });
    const unlike = await rig.run('run', recipe);
    assert.equal(unlike.stderr, `${recipe}:1: the service has no such database; it has: Source Data, Target\n`);
    await write({ from: { database: 'Source Data', ids: ['a.csv', 2] } });
    assert.equal((await rig.run('run', recipe)).stderr, `${recipe}:1: "ids[1]" must be of type string\n`);
    assert.equal((await rig.run('run', join(folder, 'other.json'))).code, 2);
    assert.equal((await rig.run('run', join(folder, 'other.transfer.json'))).code, 2);
  });

  it('are refused at once if they are a pipe, a device or too large', async () => {
    const refuse = async (code: string): Promise<void> => {
      const result = await rig.run('run', recipe);
      assert.deepEqual([result.code, result.stderr], [2, `Couldn't read ${recipe} (${code}).\n`]);
      await rm(recipe);
    };
    await rm(recipe);
    execFileSync('mkfifo', [recipe]);
    await refuse('EINVAL');
    await symlink('/dev/zero', recipe);
    await refuse('EINVAL');
    await write(reads);
    await truncate(recipe, 2 ** 40);
    await refuse('EFBIG');
  });

  it('send nothing if an expectation is not met or an ID is unknown', async () => {
    await write({ ...reads, expect: { files: { least: 3 } } });
    const few = await rig.run('run', recipe);
    assert.deepEqual([few.code, few.stderr], [1, 'Nothing was sent. 2 files found, at least 3 expected.\n']);
    const { obstacle, unmet } = await rig.runJson(1, 'run', recipe, '--dry-run');
    assert.deepEqual([obstacle, unmet], ['unmet', ['2 files found, at least 3 expected.']]);
    await write({ from: { database: 'source-data', ids: ['a.csv', 'nope'] }, to: { database: 'target' } });
    const missing = await rig.run('run', recipe);
    const notFound = 'Nothing was sent. No file was found for 1 ID in the recipe: nope.\n';
    assert.deepEqual([missing.code, missing.stderr], [4, notFound]);
    assert.deepEqual((await rig.runJson(0, 'history'))['transfers'], []);
  });

  it('are not compared if there may be more files than the search has found', async () => {
    await rig.run('run', recipe, '--wait');
    await rig.service.write({ 'e.csv': 'eee', 'f.csv': 'ffff' });
    await rig.service.reachesFiles('csv', 4);
    await write({ ...reads, expect: { files: { most: 2 } } });
    const unmet = 'At least 3 files found, at most 2 expected.';
    const compared = await rig.run('compare', recipe);
    assert.deepEqual([compared.code, compared.stderr, compared.stdout], [1, `Nothing was compared. ${unmet}\n`, '']);
    const dry = await rig.run('run', recipe, '--dry-run');
    assert.equal(dry.code, 1);
    assert.match(dry.stdout, /At least 3 files found, at most 2 expected\.\n$/);
    assert.doesNotMatch(dry.stdout, /since the last run/);
    await write({ ...reads, expect: { files: { most: 3 } } });
    const oneMore = await rig.run('run', recipe, '--dry-run');
    assert.match(oneMore.stdout, /since the last run/);
    assert.match(oneMore.stdout, /\n4 files found, at most 3 expected\.\n$/);
  });

  it('report problems with a table, and values that do not match exactly one file', async () => {
    const table = { file: 'ids.csv', column: 'ID' };
    await write({ from: { database: 'Source Data', table }, to: { database: 'Target' } });
    const missing = await rig.run('run', recipe, '--dry-run');
    assert.deepEqual([missing.code, missing.stdout], [1, "The recipe's table ids.csv doesn't exist.\n"]);
    await writeFile(join(folder, 'ids.csv'), 'name\na.csv\nnope\n');
    const { stderr } = await rig.run('run', recipe);
    assert.equal(stderr, 'Nothing was sent. The recipe\'s table ids.csv has no column "ID".\n');
    await writeFile(join(folder, 'ids.csv'), 'ID\na.csv\nnope\n');
    const partly = await rig.run('run', recipe);
    const text = "1 value in the recipe's table matches no file: nope.";
    assert.deepEqual([partly.code, partly.stderr], [4, `Nothing was sent. ${text}\n`]);
  });

  it('only search if they have no destination', async () => {
    await write({ from: reads.from });
    assert.equal((await rig.run('run', recipe, '--dry-run')).code, 0);
    assert.equal((await rig.run('run', recipe)).code, 2);
  });

  it('do not share a lock with another recipe', async () => {
    await rig.run('run', recipe, '--wait');
    const other = join(folder, 'other.transfer.json');
    await writeFile(other, JSON.stringify(reads));
    await writeFile(join(folder, 'other.transfer.lock.json'), await readFile(join(folder, 'reads.transfer.lock.json')));
    const { code, stderr } = await rig.run('run', other);
    assert.deepEqual(
      [code, stderr],
      [1, 'The lock belongs to reads.transfer.json. Delete the lock, or give the recipe that name again.\n'],
    );
  });

  it('use the service that they name, unless an option names another', async () => {
    const { address, token } = rig.service.service;
    await write({ ...reads, service: address });
    const file = join(folder, 'connections.json');
    await writeFile(file, JSON.stringify({ connections: [{ id: 'lab', name: 'Lab', server: `${address}/` }] }));
    const environment = { THE_KEY: token, DATA_TRANSFER_LEDGER: rig.ledger, DATA_TRANSFER_CONNECTIONS: file };
    const args = ['run', recipe, '--dry-run', '--orcid', '0000-0002-1825-0097', '--key-variable', 'THE_KEY'];
    assert.equal((await runCli(args, { environment })).code, 0);
    await write({ ...reads, service: 'Nowhere' });
    assert.equal((await runCli(args, { environment })).code, 2);
    await write({ ...reads, service: 'local' });
    const local = await runCli(args, { environment });
    assert.deepEqual([local.code, /names the local service, .* Use a terminal in/.test(local.stderr)], [2, true]);
    const byAddress = await rig.run('run', recipe, '--dry-run');
    assert.deepEqual([byAddress.code, byAddress.stderr], [0, '']);
    await write({ ...reads, service: 'https://dts.example.org' });
    const overridden = await rig.run('run', recipe, '--dry-run');
    const note = `The recipe names the service https://dts.example.org, but the options select ${address}.\n`;
    assert.deepEqual([overridden.code, overridden.stderr], [0, note]);
  });

  it('send no key of the options to another connection than the selected one (D61)', async () => {
    const { address, token } = rig.service.service;
    await write({ ...reads, service: address });
    const file = join(folder, 'connections.json');
    const lab = { id: 'lab', name: 'Lab', server: `${address}/` };
    const other = { id: 'other', name: 'Other', server: 'http://127.0.0.1:9' };
    await writeFile(file, JSON.stringify({ connections: [lab, other] }));
    const environment = { THE_KEY: token, DATA_TRANSFER_LEDGER: rig.ledger, DATA_TRANSFER_CONNECTIONS: file };
    const args = ['run', recipe, '--dry-run', '--orcid', '0000-0002-1825-0097', '--key-variable', 'THE_KEY'];
    const { code, stderr } = await runCli(args, { environment });
    const advice = 'Use --connection or --server to select the service that the key belongs to.\n';
    assert.deepEqual([code, stderr], [2, advice]);
    assert.equal((await runCli([...args, '--connection', 'lab'], { environment })).code, 0);
  });

  it('send no key to an address that only the recipe names (D61)', async () => {
    const server = await FaultServer.start();
    for (const service of [server.address, server.address.replace('http:', 'HTTP:'), `${server.address}/api`]) {
      await write({ ...reads, service });
      const args = ['run', recipe, '--dry-run', '--orcid', '0000-0002-1825-0097', '--key-variable', 'THE_KEY'];
      const { code, stderr } = await runCli(args, { environment: { THE_KEY: 'the-key' } });
      assert.equal(code, 2, stderr);
      assert.match(
        stderr,
        /^The recipe names the service .*, which isn't in your connections\. Use --server to connect /,
      );
    }
    assert.deepEqual(server.requests, []);
    await server.stop();
  });

  it('report a lock that could not be written, after the transfer was started', async () => {
    // The temporary file beside the lock would have too long a name.
    recipe = join(folder, `${'r'.repeat(200)}.transfer.json`);
    await write(reads);
    const { code, stdout, stderr } = await rig.run('run', recipe, '--wait');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /The transfer was started, but the recipe's lock file couldn't be written \(ENAMETOOLONG\)\.\n/,
    );
    assert.equal((await rig.service.status(stdout.trim())).status, 'succeeded');
  });

  it('report a lock that cannot be read', async () => {
    await mkdir(join(folder, 'reads.transfer.lock.json'));
    const { code, stderr } = await rig.run('run', recipe);
    assert.equal(code, 1);
    assert.match(stderr, /^Couldn't read the lock of .* \(EISDIR\)\.\n$/);
  });
});

describe('Recipes on the command line with a service that fails', () => {
  let server: FaultServer;
  let folder: string;
  beforeEach(async () => {
    server = await FaultServer.start();
    folder = await mkdtemp(join(tmpdir(), 'cli-recipe-'));
    const databases = ['Source Data', 'Target'].map((name) => ({ id: name, name, organization: '', url: '' }));
    server.on('GET /', json({ name: 'Test', version: '1.0.0' })).on('GET /api/v1/databases', json(databases));
  });
  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  async function getCode(...args: readonly string[]): Promise<number | null> {
    const connection = ['--server', server.address, '--orcid', '0000-0002-1825-0097', '--key-variable', 'THE_KEY'];
    return (await runCli([...args, ...connection], { environment: { THE_KEY: 'the-key' } })).code;
  }

  for (const [status, code] of [
    [401, 3],
    [500, 1],
  ] as const)
    it(`exit with ${code} in a run and in a dry run after a ${status}`, async () => {
      for (const method of ['GET', 'POST']) server.on(`${method} /api/v1/files`, problem(status, 'out of order'));
      const recipe = join(folder, 'reads.transfer.json');
      await writeFile(recipe, JSON.stringify(reads));
      assert.equal(await getCode('run', recipe), code);
      assert.equal(await getCode('run', recipe, '--dry-run'), code);
    });
});
