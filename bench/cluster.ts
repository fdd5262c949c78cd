/** Compares transfers on two nodes of a Slurm cluster with those on one, and their CPU time with the service's own. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SlurmServers } from '../test/support/slurmServers.ts';
import { empty, MovingService } from './support/movingService.ts';
import { createReport, getCpuSeconds, getMedian, measureTime, say } from './support/rounds.ts';
import { makeRandomFiles, scratchFolder } from './support/tree.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const report = createReport('cluster', values);
const scratch = scratchFolder();
const pollMs = 500;
/** What the disk of a node reads and writes per second. */
const diskBytes = 100_000_000;
const rounds = 3;
const idleMs = 10_000;

function writeScript(name: string, text: string): string {
  const script = join(scratch, name);
  fs.writeFileSync(script, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return script;
}

const destination = join(scratch, 'destination');
const calls = join(scratch, 'calls');
const taskTimes = join(scratch, 'times');
const slowDisk = join(import.meta.dirname, 'programs', 'slowDisk.cjs');
/** Start Node.js for a task: with a slow disk, and in a way that notes its CPU time. */
const [slowNode, timedNode] = [
  writeScript('slow-node', `SLOW_DISK_BYTES=${diskBytes} exec '${process.execPath}' --require '${slowDisk}' "$@"`),
  writeScript('timed-node', `'${process.execPath}' "$@"\ncode=$?\ntimes >> '${taskTimes}'\nexit $code`),
];

function describeCluster(tasks: number, node: string): object {
  return { cluster: { slurm: { folder: join(scratch, 'tasks'), minFiles: 1, tasks, node } } };
}

/** Returns the seconds of CPU time of a process, its ended children, and the tasks since their times were emptied. */
function getTotalCpuSeconds(pid: number): number {
  const lines = fs.existsSync(taskTimes) ? fs.readFileSync(taskTimes, 'utf8') : '';
  const parts = [...lines.matchAll(/(\d+)m([\d.]+)s/g)];
  const ofTasks = parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
  return getCpuSeconds(pid) + ofTasks;
}

/** Transfers all files of a folder in a new service, calls `whenDone` before it stops, and resolves to the costs. */
async function transfer(source: string, config: object, whenDone = async (): Promise<void> => Promise.resolve()) {
  const service = await MovingService.start(source, destination, 1, config);
  try {
    const ids = await service.ids('Source', 20_000);
    fs.rmSync(taskTimes, { force: true });
    const before = getTotalCpuSeconds(service.pid);
    const time = await measureTime(
      async () => await service.succeeds(await service.submit(ids), () => undefined, pollMs),
    );
    const cpuSeconds = getTotalCpuSeconds(service.pid) - before;
    await whenDone();
    return { seconds: time / 1_000, cpuSeconds };
  } finally {
    await service.stop();
    await empty(destination);
  }
}

/** Resolves to the median of the ratios of two costs in several rounds. */
async function compareRounds(ours: () => Promise<number>, reference: () => Promise<number>): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const costs = [await ours(), await reference()] as const;
    say(`${costs.map((cost) => cost.toFixed(2)).join(' / ')} s`);
    ratios.push(costs[0] / costs[1]);
  }
  return getMedian(ratios);
}

async function compareNodes(): Promise<void> {
  say('2 GB in 400 files on two nodes');
  const source = join(scratch, 'large');
  makeRandomFiles(source, 400, 5_000_000);
  const measure = async (tasks: number): Promise<number> =>
    (await transfer(source, describeCluster(tasks, slowNode))).seconds;
  const ratio = await compareRounds(
    async () => await measure(2),
    async () => await measure(1),
  );
  report('2 GB in 400 files on two nodes, disks of 100 MB/s / one node', ratio);
  fs.rmSync(source, { recursive: true });
}

async function compareCpu(source: string): Promise<void> {
  say('20,000 files of 10 kB');
  const measure = async (config: object): Promise<number> => (await transfer(source, config)).cpuSeconds;
  const ratio = await compareRounds(
    async () => await measure(describeCluster(2, timedNode)),
    async () => await measure({}),
  );
  report('20,000 files of 10 kB, CPU time / no cluster', ratio);
}

function countCalls(): number {
  return fs.readFileSync(calls, 'utf8').split('\n').length - 1;
}

async function countIdleCommands(source: string): Promise<void> {
  let count = 0;
  await transfer(source, describeCluster(2, process.execPath), async () => {
    const before = countCalls();
    assert.ok(before > 0);
    await setTimeout(idleMs);
    count = countCalls() - before;
  });
  report('commands of Slurm in ten idle seconds', count);
}

const servers = await SlurmServers.start();
try {
  fs.mkdirSync(destination);
  fs.mkdirSync(join(scratch, 'bin'));
  for (const command of ['sbatch', 'scancel', 'scontrol', 'squeue'])
    writeScript(
      join('bin', command),
      `echo ${command} >> '${calls}'\nexec '${join(servers.commandFolder, command)}' "$@"`,
    );
  process.env['PATH'] = [join(scratch, 'bin'), process.env['PATH'] ?? ''].join(delimiter);
  await compareNodes();
  const small = join(scratch, 'small');
  makeRandomFiles(small, 20_000, 10_000);
  await compareCpu(small);
  await countIdleCommands(small);
} finally {
  await servers.stop();
}
