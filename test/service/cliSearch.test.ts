import assert from 'node:assert/strict';
import { describeProcess } from '../../src/core/util/ownProcess.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { callCli } from '../support/cliCall.ts';
import { CliProcess, cliProgram } from '../support/cliProcess.ts';
import { getEndedPid } from '../support/endedProcess.ts';
import { chooseBehavior, dropBeforeAnswer, json, problem } from '../support/faultBehaviors.ts';
import { FaultServer } from '../support/faultServer.ts';
import { CliRig } from './cliRig.ts';

const orcid = '0000-0002-1825-0097';

describe('The command line', () => {
  let rig: CliRig;
  before(async () => {
    rig = await CliRig.start({ 'a.csv': 'a', 'b/c.txt': 'hello', 'd.csv': 'dd' });
  });
  after(() => rig.stop());

  it('lists databases as a table, and as one JSON document', async () => {
    const table = await rig.start('databases').ended;
    assert.equal(table.code, 0);
    assert.match(table.stdout, /^NAME +ID +ORGANIZATION +ACCESS\nSource Data +source-data +Lab\nTarget +target\n$/);
    const { databases } = await rig.runJson(0, 'databases');
    assert.deepEqual(
      (databases as { name: string }[]).map(({ name }) => name),
      ['Source Data', 'Target'],
    );
  });

  it('accepts a query that begins with a hyphen after --', async () => {
    const { stdout } = await rig.run('search', 'source-data', '--limit', '10', '--json', '--', '-csv');
    const { files } = JSON.parse(stdout) as { readonly files: readonly { readonly id: string }[] };
    assert.deepEqual(
      files.map(({ id }) => id),
      ['b/c.txt'],
    );
  });

  it('prints the files of a search, with their sizes in bytes', async () => {
    const { files, hasMore } = await rig.runJson(0, 'search', 'source-data', 'csv');
    assert.deepEqual(
      (files as { id: string; bytes: number }[]).map(({ id, bytes }) => [id, bytes]),
      [
        ['a.csv', 1],
        ['d.csv', 2],
      ],
    );
    assert.equal(hasMore, false);
  });

  it('reports on standard error that nothing was found, but not with --json', async () => {
    const found = await rig.start('search', 'Source Data', 'nothing').ended;
    assert.deepEqual([found.code, found.stdout, found.stderr], [0, 'ID  SIZE  FORMAT  PATH\n', 'No files match.\n']);
    assert.equal((await rig.run('search', 'Source Data', 'nothing', '--json')).stderr, '');
    assert.match(
      (await rig.start('status').ended).stderr,
      /^No transfer is in progress\. List .*: data-transfer history\n$/,
    );
    assert.equal((await rig.start('history').ended).stderr, `No transfers are recorded in ${rig.ledger}.\n`);
  });

  it('stops at the limit, and reports it on standard error only', async () => {
    const limited = await rig.run('search', 'Source Data', '--json', '--limit', '2');
    const { files, hasMore } = JSON.parse(limited.stdout) as { files: unknown[]; hasMore: boolean };
    assert.deepEqual([files.length, hasMore], [2, true]);
    assert.match(limited.stderr, /^Stopped at 2 files\./);
    const all = await rig.runJson(0, 'search', 'Source Data', '--all');
    assert.equal((all['files'] as unknown[]).length, 3);
  });

  it('describes files, and exits with 4 if some are missing', async () => {
    const found = await rig.runJson(0, 'describe', 'Source Data', 'b/c.txt');
    assert.equal((found['files'] as { bytes: number }[])[0]?.bytes, 5);
    const partial = await rig.runJson(4, 'describe', 'Source Data', 'a.csv', 'nope');
    assert.deepEqual(partial['missing'], ['nope']);
    const none = await rig.start('describe', 'Source Data', 'nope').ended;
    assert.deepEqual([none.code, none.stderr], [4, "Source Data doesn't have 1 requested file: nope.\n"]);
  });

  it('exits with 2 for invalid arguments, and lists the databases if one is unknown', async () => {
    const misused = [
      ...[['search'], ['nonsense'], ['databases', '--bogus'], ['search', 'Target', '--limit', '0']],
      ['search', 'Target', '--all', '--limit', '1'],
    ];
    for (const args of misused) {
      assert.equal((await rig.run(...args)).code, 2, args.join(' '));
    }
    const unknown = await rig.run('search', 'Nope');
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [2, 'There is no database "Nope". Databases: Source Data, Target.\n'],
    );
    const misspelled = await rig.run('search', 'source-dat');
    assert.equal(misspelled.stderr, 'There is no database "source-dat". Did you mean "Source Data"?\n');
    const invalid = ['databases', '--server', rig.service.service.address, '--orcid', '1234'];
    assert.equal((await callCli(invalid)).stderr, "The ORCID iD isn't valid.\n");
  });

  it('reads connections from a file, and finds the one with the address of --server', async () => {
    const { address, token } = rig.service.service;
    const folder = await mkdtemp(join(tmpdir(), 'cli-file-'));
    const file = join(folder, 'connections.json');
    const lab = { id: 'one', name: 'Lab', server: address, apiKeyVariable: 'LAB_KEY' };
    const other = { id: 'two', name: 'Other', server: 'https://dts.example.org' };
    const environment = { LAB_KEY: token, DATA_TRANSFER_CONNECTIONS: file };
    const run = async (...args: string[]) => await callCli(['databases', ...args], { environment });
    await writeFile(file, JSON.stringify({ orcid, connections: [lab, other] }));
    assert.equal((await run('--connection', 'Lab')).code, 0);
    assert.equal((await run('--server', `${address}/`)).code, 0);
    assert.equal((await run()).stderr, 'Use --connection with one of: Lab, Other.\n');
    await writeFile(file, JSON.stringify({ connections: [{ ...lab, apiKey: 'x' }] }));
    assert.match((await run()).stderr, /connection 1: "apiKey": keys aren't stored here/);
    await writeFile(file, JSON.stringify({ connections: [{ ...lab, headers: { accessToken: 'x' } }] }));
    assert.match((await run()).stderr, /connection 1: "accessToken": keys aren't stored here/);
    await writeFile(file, JSON.stringify({ developerToken: 'x', connections: [lab] }));
    assert.match((await run()).stderr, /connections\.json: "developerToken": keys aren't stored here/);
    await writeFile(file, JSON.stringify({ orcid, connections: [{ ...lab, note: 'x', portt: 1 }] }));
    assert.match((await run()).stderr, /connection 1: unknown field "portt" instead of "port"\.\n$/);
    await writeFile(file, JSON.stringify({ orcid, connections: [{ ...lab, color: 'x' }] }));
    assert.equal((await run()).code, 0);
    await writeFile(file, '{ "connections": [}');
    assert.match((await run()).stderr, /connections\.json: line 1, column 19: not valid JSON\.\n$/);
    await rm(folder, { recursive: true });
  });

  it("finds the user's local service through service.json (D29)", async () => {
    const { address, token } = rig.service.service;
    const folder = await mkdtemp(join(tmpdir(), 'cli-local-'));
    const file = join(folder, 'connections.json');
    await writeFile(
      file,
      JSON.stringify({ connections: [{ id: 'local', name: 'Local', serviceFile: 'service.json' }] }),
    );
    assert.deepEqual(await callCli(['databases', '--connections', file]), {
      code: 3,
      stdout: '',
      stderr: "Couldn't connect: the local service is stopped.\n",
    });
    const record = { address, token, ...describeProcess() };
    const write = (content: object) => writeFile(join(folder, 'service.json'), JSON.stringify(content));
    await write(record);
    assert.equal((await callCli(['databases', '--connections', file])).code, 0);
    // Another user's program can take the port of a service that was killed.
    const reused = process.platform === 'linux' ? [{ pid: 1 }] : [];
    for (const gone of [{ pid: await getEndedPid() }, { host: 'another-machine' }, { pid: undefined }, ...reused]) {
      await write({ ...record, ...gone });
      assert.equal((await callCli(['databases', '--connections', file])).code, 3);
    }
    await rm(folder, { recursive: true });
  });

  it('explains how to name the connections file if a connection is unknown', async () => {
    const { code, stderr } = await callCli(['databases', '--connection', 'Lab']);
    const advice = 'Use --connections or DATA_TRANSFER_CONNECTIONS to name the file that contains it.';
    assert.deepEqual([code, stderr], [2, `There is no connection Lab. ${advice}\n`]);
  });

  it('explains why it rejects an address', async () => {
    const connect = async (server: string): Promise<string> =>
      (await callCli(['databases', '--server', server, '--orcid', orcid, '--key-stdin'], { input: 'x' })).stderr;
    assert.match(await connect('example.org'), /: the address isn't valid; include the scheme, as in https:/);
    assert.match(await connect('http://192.0.2.1'), /: the key would be sent unencrypted; use https:\/\/, or /);
  });

  it('shows examples and exit codes in its help, which fits the terminal', async () => {
    const { code, stdout } = await callCli(['--help']);
    assert.equal(code, 0);
    assert.match(stdout, /^ {2}\$ data-transfer search "Lab Share" csv/m);
    assert.match(stdout, /^Exit codes: 0 done, 1 failed, /m);
    const tooLong = stdout.split('\n').filter((line) => line.length > 80);
    assert.deepEqual(tooLong, []);
  });

  it('suggests the most similar command if help is requested for an unknown one', async () => {
    const help = async (...args: readonly string[]): Promise<unknown> => {
      const { code, stdout, stderr } = await callCli(['help', ...args]);
      return [code, stdout.split('\n', 1)[0], stderr];
    };
    const end = '\n(--help lists all options)\n';
    assert.deepEqual(await help('nope'), [2, '', `error: unknown command 'nope'${end}`]);
    assert.deepEqual(await help('serch'), [2, '', `error: unknown command 'serch'\n(Did you mean search?)${end}`]);
    assert.deepEqual(await help('search'), [0, 'Usage: data-transfer search [options] <database> [query]', '']);
    assert.deepEqual(await help(), [0, 'Usage: data-transfer [options] [command]', '']);
  });

  it('exits with 1 and a one-line error if the disk of standard output is full', async function () {
    if (!existsSync('/dev/full')) return;
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [cliProgram, 'databases', '--help'], { stdio: ['ignore', full, 'pipe'] });
    const printed = text(child.stderr ?? assert.fail());
    const [code] = (await once(child, 'close')) as [number];
    closeSync(full);
    assert.deepEqual([code, await printed], [1, "Couldn't write to standard output (ENOSPC).\n"]);
  });

  it('exits silently if its standard output is closed', async () => {
    const process = rig.start('search', 'Source Data', '--json');
    process.child.stdout?.destroy();
    const { code, stderr } = await process.ended;
    assert.deepEqual([code, stderr], [0, '']);
  });
});

describe('The command line with a server that misbehaves', () => {
  let server: FaultServer;
  beforeEach(async () => {
    server = await FaultServer.start();
    server.on('GET /', json({ name: 'Test', version: '1.0.0' }));
    server.on('GET /api/v1/databases', json([{ id: 'a', name: 'Alpha\u001b[31m', organization: 'One', url: '' }]));
  });
  afterEach(() => server.stop());

  function start(...args: readonly string[]): CliProcess {
    const connection = ['--server', server.address, '--orcid', orcid, '--key-variable', 'THE_KEY'];
    return new CliProcess([...args, ...connection], { environment: { THE_KEY: 'a-secret-key' } });
  }

  it('exits with 3 if the service rejects the key', async () => {
    server.on('GET /api/v1/databases', problem(401, 'Invalid token a-secret-key'));
    const { code, stdout, stderr } = await start('databases', '--verbose').ended;
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /Couldn't connect to .*: the service rejected the API key/);
    assert.ok(!stderr.includes('a-secret-key'));
  });

  it('exits with 3 if nothing listens at the address', async () => {
    const args = ['databases', '--server', 'http://127.0.0.1:9', '--orcid', orcid, '--key-variable', 'THE_KEY'];
    const { code, stderr } = await callCli(args, { environment: { THE_KEY: 'x' } });
    assert.equal(code, 3);
    assert.match(stderr, /the service can't be reached/);
  });

  it('exits with 1 if a search fails on the service', async () => {
    server.on('POST /api/v1/files', problem(500, 'out of order'));
    server.on('GET /api/v1/files', problem(500, 'out of order'));
    const { code, stdout, stderr } = await start('search', 'a', 'x', '--json').ended;
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^Couldn't search .*: the service returned an error: out of order\.\n$/);
  });

  it('does not report a file as missing if the service could not look it up', async () => {
    const lookUp = chooseBehavior(({ query }) => {
      const ids = (query.get('ids') ?? '').split(',');
      return ids.includes('bad')
        ? problem(500, 'out of order')
        : json({ resources: ids.map((id) => ({ id, name: id })) });
    });
    server.on('GET /api/v1/files/by-id', lookUp);
    const { code, stdout, stderr } = await start('describe', 'a', 'good', 'bad').ended;
    assert.deepEqual([code, stdout], [4, 'id: good\nname: good\n']);
    const reason = 'the service returned an error: out of order';
    assert.equal(stderr, `Couldn't find or look up 1 requested file in Alpha [31m: bad (${reason}).\n`);
  });

  describe('and closes the connection when an ID is requested', () => {
    const closes = 'the service closes the connection when the ID no-colon is requested';
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'cli-crashing-id-'));
      const databases = ['a', 'b'].map((id) => ({ id, name: id, organization: '', url: '' }));
      server.on('GET /api/v1/databases', json(databases)).on('GET /api/v1/files/by-id', dropBeforeAnswer());
    });
    afterEach(() => rm(folder, { recursive: true }));

    for (const [command, code, what] of [
      ['describe', 4, "Couldn't find or look up 1 requested file in a: no-colon"],
      ['transfer', 4, "Couldn't find or look up 1 requested file in a: no-colon"],
      ['run', 4, 'Nothing was sent'],
    ] as const) {
      it(`says so in ${command}, and sends nothing (D37)`, async () => {
        const recipe = join(folder, 'one.transfer.json');
        const from = { database: 'a', ids: ['no-colon'] };
        await writeFile(recipe, JSON.stringify({ version: 1, from, to: { database: 'b' } }));
        const args = {
          describe: ['describe', 'a', 'no-colon'],
          transfer: ['transfer', 'a', 'b', 'no-colon'],
          run: ['run', recipe],
        };
        const { code: exit, stdout, stderr } = await start(...args[command]).ended;
        assert.equal(stdout, '');
        assert.ok(stderr.startsWith(what) && stderr.includes(closes), stderr);
        assert.equal(exit, code);
        assert.equal(server.requestsTo('POST /api/v1/transfers').length, 0);
      });
    }
  });

  it('writes no control characters of a server to a terminal', async () => {
    const { stdout } = await start('databases').ended;
    assert.match(stdout, /Alpha \[31m/);
    assert.ok(!stdout.includes('\u001b'));
  });

  it('exits with 130 when it is interrupted', async () => {
    let received: () => void = () => undefined;
    const request = new Promise<void>((resolve) => (received = resolve));
    server.on('POST /api/v1/files', () => {
      received();
      return new Promise<void>(() => undefined);
    });
    server.on('GET /api/v1/files', () => {
      received();
      return new Promise<void>(() => undefined);
    });
    const process = start('search', 'a', 'x');
    await request;
    process.child.kill('SIGINT');
    assert.equal((await process.ended).code, 130);
  });
});
