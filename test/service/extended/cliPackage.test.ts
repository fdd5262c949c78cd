import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { runCli } from '../../support/cliProcess.ts';
import { repositoryRoot } from '../../support/editor/places.ts';
import { CliRig } from '../cliRig.ts';

const run = promisify(execFile);

interface CliPackage {
  packCli(built: string, destination: string): Promise<string>;
}

/** Returns the paths of this process's Node.js and of those on the PATH, which may be older versions. */
function listRuntimes(): readonly string[] {
  const inPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return [...new Set([process.execPath, ...inPath.filter((file) => existsSync(file))])];
}

describe('The package of the command line', () => {
  let folder: string;
  let installed: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cli-package-'));
    const built = join(folder, 'dist');
    const build = ['esbuild.mjs', '--production', '--only', 'cli,lib,cluster', '--outdir', built];
    await run(process.execPath, build, { cwd: repositoryRoot });
    const { packCli } = (await import(join(repositoryRoot, 'scripts/package/cliPackage.mjs'))) as CliPackage;
    const file = await packCli(built, folder);
    assert.match(file, /data-transfer-cli-\d+\.\d+\.\d+\.tgz$/);
    installed = join(folder, 'empty');
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--prefix', installed, file]);
  });
  after(() => rm(folder, { recursive: true }));

  it('installs without dependencies', async () => {
    const packages = readdirSync(join(installed, 'node_modules')).filter((name) => !name.startsWith('.'));
    assert.deepEqual(packages, ['data-transfer-cli']);
    const manifest = join(installed, 'node_modules', 'data-transfer-cli', 'package.json');
    const { dependencies, version } = JSON.parse(await readFile(manifest, 'utf8')) as Record<string, unknown>;
    assert.equal(dependencies, undefined);
    const { stdout } = await run(join(installed, 'node_modules', '.bin', 'data-transfer'), ['--version']);
    assert.equal(stdout, `${String(version)}\n`);
  });

  it('has a README whose links to other documents lead to the repository', async () => {
    const readme = await readFile(join(installed, 'node_modules', 'data-transfer-cli', 'README.md'), 'utf8');
    const targets = [...readme.matchAll(/\]\(([^)#\s]+)/g)].map(([, target = '']) => target);
    assert.ok(targets.length > 5);
    for (const target of targets) {
      const [, document] = /^https:\/\/github\.com\/[\w-]+\/[\w-]+\/blob\/HEAD\/(.+)$/.exec(target) ?? [];
      assert.ok(document !== undefined && existsSync(join(repositoryRoot, document)), target);
    }
  });

  it('searches and transfers with each Node.js version on this machine', async () => {
    const program = join(installed, 'node_modules', 'data-transfer-cli', 'dist', 'cli', 'main.cjs');
    const rig = await CliRig.start({ 'a.csv': 'a' });
    const { address, token } = rig.service.service;
    const args = ['--server', address, '--orcid', '0000-0002-1825-0097', '--key-variable', 'THE_KEY'];
    const environment = { THE_KEY: token, DATA_TRANSFER_LEDGER: rig.ledger };
    for (const runtime of listRuntimes()) {
      const options = { program, runtime, environment };
      const search = await runCli(['search', 'Source Data', 'csv', '--json', ...args], options);
      assert.equal(search.code, 0, `${runtime}: ${search.stderr}`);
      const transfer = await runCli(['transfer', 'Source Data', 'Target', 'a.csv', '--wait', ...args], options);
      assert.equal(transfer.code, 0, `${runtime}: ${transfer.stderr}`);
      assert.equal((await runCli(['verify', transfer.stdout.trim(), ...args], options)).code, 0);
    }
    await rig.stop();
  });

  it('serves agents with each Node.js version on this machine, until standard input closes', async () => {
    const program = join(installed, 'node_modules', 'data-transfer-cli', 'dist', 'cli', 'main.cjs');
    const environment = { DATA_TRANSFER_LEDGER: join(folder, 'ledger') };
    for (const runtime of listRuntimes()) {
      const { code, stdout, stderr } = await runCli(['mcp'], { program, runtime, environment });
      assert.deepEqual([code, stdout], [0, ''], `${runtime}: ${stderr}`);
    }
  });

  it('runs the service, or reports the required Node.js version', async () => {
    const program = join(installed, 'node_modules', 'data-transfer-cli', 'dist', 'cli', 'main.cjs');
    const config = join(folder, 'config.json');
    await writeFile(config, JSON.stringify({ dataFolder: 'data', databases: [], endWithStdin: true }));
    for (const runtime of listRuntimes()) {
      const { stdout: version } = await run(runtime, ['--version']);
      const { code, stdout, stderr } = await runCli(['service', '--config', config], { program, runtime });
      if (/^v(2[4-9]|[3-9]\d)\./.test(version)) assert.deepEqual([code, stdout.includes('address')], [0, true], stderr);
      else if (/^v(20|21)\./.test(version)) assert.match(stderr, /^The service needs Node\.js 22\.16 or later, not v2/);
    }
  });

  it('runs the service in its own process where the system can replace a program', async () => {
    const program = join(installed, 'node_modules', 'data-transfer-cli', 'dist', 'cli', 'main.cjs');
    const config = join(folder, 'config.json');
    await writeFile(config, JSON.stringify({ dataFolder: 'data', databases: [], endWithStdin: true }));
    const child = spawn(process.execPath, [program, 'service', '--config', config], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { pid } = JSON.parse(line) as { pid: number };
    assert.equal(pid === child.pid, process.platform !== 'win32');
    child.stdin.end();
    assert.deepEqual(await closed, [0, null]);
  });
});
