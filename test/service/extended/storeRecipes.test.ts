import assert from 'node:assert/strict';
import { execFile, execFileSync, execSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../support/eventually.ts';
import { debianServerKinds } from '../../support/debianServers.ts';
import { startLocalService, type StartedService } from '../../support/localService.ts';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { StoreServers, type StoreKind } from '../../support/storeServers.ts';

const document = nodePath.join(import.meta.dirname, '../../../docs/stores.md');

/** Returns the arguments of the recipe in the document that starts with `start`, with the given values filled in. */
async function adaptRecipe(start: string, values: Readonly<Record<string, string>>): Promise<string[]> {
  const text = await fs.readFile(document, 'utf8');
  const [, command] = new RegExp(`\`(rclone config create ${start}[^\`]*)\``).exec(text) ?? [];
  assert.ok(command !== undefined, `There is no recipe for ${start}.`);
  const [, ...words] = command.split(' ');
  const isGiven = (word: string): boolean => Object.hasOwn(values, word.split('=')[0] ?? '');
  const given = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  return [...words.filter((word) => !isGiven(word)), ...given];
}

/** The command that asks the questions, in a terminal if possible: outside of one, rclone 1.75 prints no prompts. */
const [questionProgram, questionArguments] =
  process.platform === 'linux'
    ? (['script', ['-qec', 'rclone config', '/dev/null']] as const)
    : (['rclone', ['config']] as const);

/** Runs rclone with a configuration that contains only the remote of one recipe. */
class RecipeRun {
  readonly servers: StoreServers;
  readonly environment: Record<string, string>;

  constructor(servers: StoreServers, more: Readonly<Record<string, string>> = {}) {
    this.servers = servers;
    this.environment = { RCLONE_CONFIG: nodePath.join(servers.root, 'recipe.conf'), ...more };
  }

  /** Returns a setting of a server's remote from the rclone configuration that the other tests use. */
  async read(kind: StoreKind, field: string): Promise<string> {
    const text = await fs.readFile(this.servers.configFile, 'utf8');
    return new RegExp(`\\[${kind}\\][^[]*?^${field} = (.*)$`, 'm').exec(text)?.[1] ?? '';
  }

  async run(args: readonly string[]): Promise<void> {
    await promisify(execFile)('rclone', args, { env: { ...process.env, ...this.environment } });
  }

  /** Runs `rclone config` and answers each prompt when it appears. */
  async answer(lines: readonly string[]): Promise<void> {
    const env = { ...process.env, ...this.environment };
    const child = spawn(questionProgram, questionArguments, { env, stdio: 'pipe', timeout: 60_000 });
    const remaining = [...lines];
    let prompt = '';
    const answerNext = (text: string): void => {
      prompt += text;
      if (!/(?:> |(?:^|\n)password:)\s*$/.test(prompt)) return;
      prompt = '';
      child.stdin.write(`${remaining.shift() ?? 'q'}\n`);
    };
    for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', answerNext);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    assert.deepEqual(remaining, []);
  }

  /** Asserts that a service finds the store's object when it uses the recipe's configuration. */
  async assertServed(remote: string): Promise<void> {
    const databases = [{ name: 'Recipe', remote }];
    const service = await startLocalService({ databases }, { environment: this.environment });
    try {
      await eventually(async () => ((await findPaths(service)).join() === 'a.txt' ? true : undefined));
    } finally {
      await service.stop();
    }
  }
}

async function findPaths({ address, token }: StartedService): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ database: 'Recipe', orcid: '0000-0002-1825-0097', query: '' });
  const response = await fetch(`${address}/api/v1/files`, { method: 'POST', headers, body });
  const { resources = [] } = (await response.json()) as { resources?: { path: string }[] };
  return resources.map(({ path }) => path);
}

describeWithEachRclone('The recipes of docs/stores.md (D62)', () => {
  let servers: StoreServers | undefined;
  let agent: ChildProcess | undefined;

  afterEach(async () => {
    agent?.kill();
    await servers?.stop();
  });

  async function start(kind: StoreKind): Promise<StoreServers> {
    servers = await StoreServers.start([kind]);
    await servers.write(kind, { 'a.txt': 'a' });
    return servers;
  }

  it('serve an S3 bucket with the keys in environment variables', async () => {
    const keys = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
    const recipe = new RecipeRun(await start('s3'), keys);
    const endpoint = await recipe.read('s3', 'endpoint');
    await recipe.run(await adaptRecipe('lab', { provider: 'Other', endpoint }));
    await recipe.assertServed('lab:lab');
  });

  for (const kind of debianServerKinds.filter((one) => one === 'openssh')) {
    it('serve a cluster by SFTP with the SSH agent', async () => {
      const started = await start(kind);
      const socket = nodePath.join(started.root, 'agent');
      const recipe = new RecipeRun(started, { SSH_AUTH_SOCK: socket });
      agent = await startAgent(socket, await recipe.read(kind, 'key_file'));
      const [host, port, user] = ['127.0.0.1', await recipe.read(kind, 'port'), await recipe.read(kind, 'user')];
      const known = await recipe.read(kind, 'known_hosts_file');
      await recipe.run(await adaptRecipe('cluster', { host, port, user, known_hosts_file: known }));
      await recipe.assertServed(`cluster:${started.folder(kind)}`);
    });
  }

  for (const kind of ['dav', ...debianServerKinds.filter((one) => one === 'apache')] as const) {
    it(`serve a WebDAV share with the answers to the questions of rclone: ${kind}`, async () => {
      const recipe = new RecipeRun(await start(kind));
      const url = await recipe.read(kind, 'url');
      const password = `planted-${kind}-password`;
      const vendor = 'other';
      const fields = ['n', 'share', 'webdav', url, vendor, 'lab', 'y', password, password];
      await recipe.answer([...fields, '', 'n', 'y', 'q']);
      await recipe.assertServed('share:');
    });
  }
});

describeWithEachRclone('Each command of the recipes for stores', () => {
  it('is accepted by rclone, if it knows the kind of store (D62)', async () => {
    const root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-recipes-'));
    const env = { ...process.env, RCLONE_CONFIG: nodePath.join(root, 'rclone.conf') };
    const run = (command: string): string => execSync(command, { env, stdio: 'pipe' }).toString();
    try {
      const kinds = run('rclone help backends');
      const commands = (await fs.readFile(document, 'utf8')).matchAll(/`(rclone config create (\S+) (\S+) [^`]+)`/g);
      const known = [...commands].filter(([, , , kind = '']) => kinds.includes(`  ${kind} `));
      for (const [, command = ''] of known) run(command);
      const names = known.map(([, , name = '']) => `${name}:`);
      assert.ok(names.length >= 7);
      assert.deepEqual(run('rclone listremotes').trim().split('\n').sort(), names.sort());
    } finally {
      await fs.rm(root, { recursive: true });
    }
  });
});

/** Starts an SSH agent with one key. */
async function startAgent(socket: string, key: string): Promise<ChildProcess> {
  const child = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
  await eventually(
    async () =>
      await fs.access(socket).then(
        () => true,
        () => undefined,
      ),
  );
  execFileSync('ssh-add', ['-q', key], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
  return child;
}
