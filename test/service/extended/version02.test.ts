import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { runCli, type CliResult } from '../../support/cliProcess.ts';
import { eventually } from '../../support/eventually.ts';
import { repositoryRoot } from '../../support/editor/places.ts';
import { listFields } from '../../support/jsonFields.ts';
import { startLocalService, type StartedService } from '../../support/localService.ts';
import { TestAgent } from '../../support/mcpRig.ts';
import { Version02, type Version02Command } from '../../support/version02.ts';

type Json = Readonly<Record<string, unknown>>;

interface StoredTransfer {
  readonly id?: string;
  readonly order: { readonly connectionId: string };
  readonly status?: { readonly status: string; readonly message: string; readonly movedFileCount: number };
}

const parse = (text: string): Json => JSON.parse(text) as Json;

describe('The command line with the files of version 0.2', () => {
  let copy: Version02;
  let commands: ReadonlyMap<string, Version02Command>;
  let service: StartedService | undefined;

  beforeEach(async () => {
    copy = await Version02.install(repositoryRoot);
    commands = await copy.readCommands();
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
    await copy.remove();
  });

  function find(name: string): Version02Command {
    const command = commands.get(name);
    assert.ok(command, name);
    return command;
  }

  /** The environment of a command. By default, the command uses the records of version 0.2. */
  function getEnvironment(ledger = copy.ledger): Readonly<Record<string, string>> {
    return {
      DATA_TRANSFER_LEDGER: ledger,
      DATA_TRANSFER_CONNECTIONS: join(copy.lab, 'connections.json'),
      LAB_KEY: service?.token ?? 'a-made-up-key',
    };
  }

  /** Runs a command with the arguments, records and connections that version 0.2 had. */
  async function repeat(name: string, ...more: readonly string[]): Promise<CliResult> {
    return await runCli([...find(name).args, ...more], { environment: getEnvironment() });
  }

  for (const name of ['history', 'plans', 'plans show'])
    it(`prints the same facts as JSON: ${name}`, async () => {
      const { code, stdout } = await repeat(name);
      assert.equal(code, find(name).code);
      assert.partialDeepStrictEqual(parse(stdout), parse(find(name).stdout));
    });

  it('exports the same facts of a transfer in each state', async () => {
    type Export = { readonly version: number; readonly transfers: readonly { readonly key: string }[] };
    const exported = JSON.parse((await repeat('export all')).stdout) as Export;
    const expected = JSON.parse(find('export all').stdout) as Export;
    assert.deepEqual([exported.version, expected.transfers.length], [expected.version, 8]);
    for (const transfer of expected.transfers)
      assert.partialDeepStrictEqual(
        exported.transfers.find(({ key }) => key === transfer.key),
        transfer,
      );
  });

  for (const name of ['history table', 'export all table'])
    it(`prints the same table: ${name}`, async () => {
      const { code, stdout } = await repeat(name);
      // Version 0.2 printed "canceling" even after the server had ignored the cancellation (D13: ignored cancel).
      const expected = find(name).stdout.replace('canceling', 'staging  ');
      assert.deepEqual([code, stdout], [find(name).code, expected]);
    });

  for (const name of ['unknown transfer', 'no service', 'wrong arguments'])
    it(`exits with the same code: ${name}`, async () => {
      const { code, stdout } = await repeat(name, ...(name === 'wrong arguments' ? [] : ['--connection', 'lab']));
      assert.deepEqual([code, stdout], [find(name).code, find(name).stdout]);
    });

  describe('and a service with its configuration and data folder', () => {
    beforeEach(async () => {
      const config = parse(await readFile(join(copy.lab, 'service.json'), 'utf8'));
      const given = config['databases'] as readonly { readonly name: string; readonly folder?: string }[];
      const databases = given.map((one) => (one.folder ? { ...one, folder: join(copy.lab, one.folder) } : one));
      const places = { dataFolder: join(copy.lab, 'service-data'), tokenFile: join(copy.lab, 'token') };
      await writeFile(join(copy.lab, 'source', 'slow.bin'), 'x'.repeat(300_000));
      const environment = { RCLONE_CONFIG: join(copy.home, 'none.conf') };
      service = await startLocalService({ ...config, ...places, databases }, { environment });
      await copy.connect({ lab: service.address });
    });

    /** Runs a command in the folder of new records, and returns the printed document. */
    async function run(code: number, ...args: readonly string[]): Promise<Json> {
      const environment = getEnvironment(join(copy.home, 'new-records'));
      const result = await runCli([...args, '--connection', 'lab', '--json'], { environment });
      assert.equal(result.code, code, result.stderr);
      return parse(result.stdout);
    }

    /** Replaces the numbers of the days on which a citation was made. */
    const withoutDay = (text: string): string =>
      text.replaceAll(/accessed\\": \{[^}]*\}/g, (accessed) => accessed.replaceAll(/\d+/g, '0'));

    it('verifies, exports, compares and cites what was transferred', async () => {
      for (const name of ['verify intact', 'verify damaged', 'compare different']) {
        const { code, stdout, stderr } = await repeat(name, '--connection', 'lab');
        assert.equal(code, find(name).code, `${name}: ${stderr}`);
        const [actual = {}, expected = {}] = [stdout, find(name).stdout].map((text) => parse(withoutDay(text)));
        assert.partialDeepStrictEqual(actual, expected, name);
      }
      // Version 0.2 cited each file whose only title is its name as a work of its own.
      const { code, stdout } = await repeat('cite', '--connection', 'lab');
      assert.equal(code, find('cite').code);
      const { text, missing } = JSON.parse(stdout) as { readonly text: string; readonly missing: readonly string[] };
      const titles = (JSON.parse(text) as readonly { readonly title: string }[]).map(({ title }) => title);
      assert.deepEqual([titles, missing], [['a.csv and 1 more file (Source Data)'], []]);
      const withoutNow = (text: string): string => text.replace(/"datePublished": "[^"]*"/, '');
      for (const name of ['export sha256', 'export table', 'export crate']) {
        const file = find(name).args.at(-1) ?? '';
        const before = await readFile(file, 'utf8');
        assert.equal((await repeat(name, '--connection', 'lab')).code, 0, name);
        assert.equal(withoutNow(await readFile(file, 'utf8')), withoutNow(before), name);
      }
    });

    it('runs the recipe with its lock', async () => {
      const { code, stdout } = await repeat('locked', '--connection', 'lab');
      const { freeBytes, alreadyThere, ...expected } = parse(find('locked').stdout);
      assert.deepEqual([typeof freeBytes, (alreadyThere as Json)['files']], ['number', 2]);
      assert.equal(code, find('locked').code);
      assert.partialDeepStrictEqual(parse(stdout), { ...expected, alreadyThere: { files: 2 } });
    });

    async function readRecords(folder: 'running' | 'ended'): Promise<readonly StoredTransfer[]> {
      const texts = (await readdir(join(copy.ledger, folder))).map((name) =>
        readFile(join(copy.ledger, folder, name), 'utf8'),
      );
      const records = (await Promise.all(texts)).map(
        (text) => JSON.parse(text) as { readonly transfer: StoredTransfer },
      );
      return records.map(({ transfer }) => transfer).filter(({ order }) => order.connectionId === 'lab');
    }

    async function getStatus(id: string): Promise<Json> {
      const headers = { authorization: `Bearer ${service?.token}` };
      return (await (await fetch(`${service?.address}/api/v1/transfers/${id}`, { headers })).json()) as Json;
    }

    it('reports the transfers of the journal, and continues the one that was running (D25)', async () => {
      const ended = await readRecords('ended');
      assert.equal(ended.length, 8);
      for (const { id = '', status } of ended) {
        const { message, num_files_transferred, status: word } = await getStatus(id);
        const expected = [status?.status, status?.message, status?.movedFileCount];
        assert.deepEqual([word, message, num_files_transferred], expected);
      }
      const [{ id = '' } = {}] = await readRecords('running');
      await eventually(async () => (await getStatus(id))['status'] === 'succeeded' || undefined);
      assert.deepEqual((await readdir(join(copy.lab, 'target', `dts-${id}`))).sort(), [
        'a.csv',
        'manifest.json',
        'slow.bin',
      ]);
    });

    it('finds the files and hashes of its catalogs, even those of a store that is not reachable (D51)', async () => {
      const { files } = await run(0, 'search', 'Cluster', 'weather');
      assert.partialDeepStrictEqual(files, [{ id: 'weather.csv', bytes: 13 }]);
      const { files: hashed } = await run(0, 'describe', 'Source Data', 'b/c.txt');
      const hash = 'sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
      assert.partialDeepStrictEqual(hashed, [{ id: 'b/c.txt', hash }]);
    });

    /** Asserts that an object has all fields of an earlier one, with values of the same types. */
    function hasFieldsOf(found: unknown, earlier: unknown): void {
      const fields = listFields(found);
      assert.deepEqual(
        [...listFields(earlier)].filter((field) => !fields.has(field)),
        [],
      );
    }

    /** Parses all JSON files in a folder whose names match, oldest names first. */
    async function readAll(folder: string, pattern: RegExp): Promise<readonly Json[]> {
      const names = (await readdir(folder)).filter((name) => pattern.test(name)).sort();
      return await Promise.all(names.map(async (name) => parse(await readFile(join(folder, name), 'utf8'))));
    }

    it('writes records, manifests and locks with the fields that version 0.2 reads', async () => {
      const details = ['--description', 'A copy', '--instructions', join(copy.lab, 'instructions.json')];
      const files = ['Source Data', 'Target', 'a.csv', 'b/c.txt'];
      const { transfer } = await run(0, 'transfer', ...files, '--again', '--wait', ...details);
      const { id } = transfer as { readonly id: string };
      const records = [copy.ledger, join(copy.home, 'new-records')].map((one) => readAll(join(one, 'ended'), /json$/));
      const [earlier = [], [written] = []] = await Promise.all(records);
      const instructed = earlier.filter((one) => JSON.stringify(one).includes('"instructions"'));
      assert.equal(instructed.length, 1);
      hasFieldsOf(written, instructed[0]);
      const first = (instructed[0] as { readonly transfer: StoredTransfer } | undefined)?.transfer.id;
      const manifests = [id, first].map((one) => readAll(join(copy.lab, 'target', `dts-${one}`), /^manifest/));
      const [[manifest], [earlierManifest]] = (await Promise.all(manifests)) as [readonly Json[], readonly Json[]];
      hasFieldsOf(manifest, earlierManifest);
      const lock = join(copy.lab, 'tables.transfer.lock.json');
      const earlierLock = parse(await readFile(lock, 'utf8'));
      await run(0, 'run', join(copy.lab, 'tables.transfer.json'), '--again', '--wait');
      hasFieldsOf(parse(await readFile(lock, 'utf8')), earlierLock);
    });

    it('writes plans and their decisions with the fields that version 0.2 reads', async () => {
      const ledger = join(copy.home, 'new-records');
      const agent = await TestAgent.start({
        args: ['--connection', 'lab', '--trust-elicitation'],
        environment: getEnvironment(ledger),
        onElicit: () => ({ action: 'accept' }),
      });
      const order = { source: 'Source Data', destination: 'Target', ids: ['b/c.txt'], description: 'Confirmed' };
      const { planId } = await agent.get('plan_transfer', order);
      await agent.get('submit_transfer', { planId });
      await agent.close();
      for (const kind of [/^\w+\.json$/, /\.decision\.json$/, /\.outcome\.json$/]) {
        const [earlier, [written]] = [
          await readAll(join(copy.ledger, 'plans'), kind),
          await readAll(join(ledger, 'plans'), kind),
        ];
        assert.ok(earlier.length > 0);
        hasFieldsOf(written, earlier.at(-1));
      }
    });

    it('writes a journal and names of databases that version 0.2 reads (D25)', async () => {
      const details = ['--description', 'A copy', '--instructions', join(copy.lab, 'instructions.json')];
      await run(0, 'transfer', 'Source Data', 'Target', 'a.csv', 'b/c.txt', '--again', '--wait', ...details);
      await service?.stop();
      const folder = join(copy.lab, 'service-data');
      const database = new DatabaseSync(join(folder, 'journal.db'));
      const row = database.prepare('SELECT * FROM transfers WHERE fixed LIKE ?');
      const [written, earlier] = ['A copy', 'A copy of two files'].map((text) => row.get(`%"description":"${text}"%`));
      hasFieldsOf(written, earlier);
      hasFieldsOf(parse(String(written?.['fixed'])), parse(String(earlier?.['fixed'])));
      const files = 'SELECT transfer, position, path, bytes, resource, sha256, landed, store_hash FROM transfer_files';
      assert.doesNotThrow(() => database.prepare(files));
      database.close();
      const names = parse(await readFile(join(folder, 'databases.json'), 'utf8'));
      hasFieldsOf(names, parse(await copy.read('lab/service-data/databases.json')));
    });
  });
});
