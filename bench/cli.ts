/** Compares the command line with bare Node.js (startup) and undici (search); measures the memory of a dry run. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { writeLock } from '../src/core/recipes/recipeLock.ts';
import { answerFor, numberedIds } from './support/resources.ts';
import { createReport, measureRatio, measureTime } from './support/rounds.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const report = createReport('cli', values);
const run = promisify(execFile);
const programs = join(import.meta.dirname, 'programs');
const cli = join(import.meta.dirname, '..', 'dist', 'cli', 'main.cjs');
const [pageCount, pageSize] = [10, 1000];
const lockedCount = 100_000;
const maxBuffer = 256 * 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'bench-cli-'));
const environment = { ...process.env, BENCH_KEY: 'key', DATA_TRANSFER_LEDGER: join(folder, 'ledger') };

async function runNode(...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return await run(process.execPath, args, { env: environment, maxBuffer });
}

async function measureStart(): Promise<void> {
  const ratio = await measureRatio({
    ours: async () => await measureTime(() => runNode(cli, '--version')),
    reference: async () => await measureTime(() => runNode('-e', '0')),
    turns: 4,
  });
  report('data-transfer --version / node -e 0', ratio);
}

async function measureSearch(address: string, connection: readonly string[]): Promise<void> {
  const count = pageCount * pageSize;
  const search = ['search', 'Bench', 'x', '--json', '--limit', String(count), ...connection];
  const bare = [join(programs, 'searchCold.mjs'), address, String(pageCount), String(pageSize)];
  const countFiles = (text: string): number =>
    (JSON.parse(text) as { readonly files: readonly unknown[] }).files.length;
  assert.equal(countFiles((await runNode(cli, ...search)).stdout), count);
  assert.equal(countFiles((await runNode(...bare)).stdout), count);
  const ratio = await measureRatio({
    ours: async () => await measureTime(() => runNode(cli, ...search)),
    reference: async () => await measureTime(() => runNode(...bare)),
    turns: 2,
  });
  report('search of 10,000 files / bare undici in a new process', ratio);
}

async function measureDryRun(connection: readonly string[]): Promise<void> {
  const recipe = join(folder, 'bench.transfer.json');
  await writeRecipe(recipe);
  const args = ['run', recipe, '--locked', '--dry-run', '--json', ...connection];
  const { stdout, stderr } = await runNode('--require', join(programs, 'peakMemory.cjs'), cli, ...args);
  assert.equal((JSON.parse(stdout) as { readonly files: number }).files, lockedCount);
  const kilobytes = Number(/peak (\d+)\n$/.exec(stderr)?.[1]);
  report('locked dry run of 100,000 files, peak memory in MB', kilobytes / 1024);
}

async function writeRecipe(recipe: string): Promise<void> {
  const ids = numberedIds(lockedCount);
  const { resources } = JSON.parse(answerFor(ids)) as {
    readonly resources: readonly { id: string; path: string; bytes: number; hash: string }[];
  };
  const files = resources.map(({ id, path, bytes, hash }) => ({ id, path, bytes, hash }));
  const service = { name: 'Bench', address: 'http://127.0.0.1', version: '1' };
  const transfer = { id: '123e4567-e89b-42d3-a456-426614174000', submitted: '2026-01-01T00:00:00.000Z' };
  const from = { database: 'Bench', search: { query: 'x' } };
  writeFileSync(recipe, JSON.stringify({ from, to: { database: 'Target' } }));
  const lock = { version: 1, recipe: 'bench.transfer.json', service, from: 'Bench', to: 'Target', transfer, files };
  await writeLock(recipe, { ...lock, version: 1 });
}

const server = spawn(process.execPath, [join(programs, 'pagingServer.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const [port] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string];
  const address = `http://127.0.0.1:${port.trim()}`;
  const connection = ['--server', address, '--orcid', '0000-0002-1825-0097', '--key-variable', 'BENCH_KEY'];
  await measureStart();
  await measureSearch(address, connection);
  await measureDryRun(connection);
} finally {
  server.kill();
  rmSync(folder, { recursive: true });
}
