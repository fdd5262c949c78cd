import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { builtProgram, startLocalService } from '../../test/support/localService.ts';
import { waitForScans } from '../../test/support/waitForScans.ts';
import type { Report } from './rounds.ts';
import { makeTree, scratchFolder } from './tree.ts';

/** The service returns memory to the system after an idle minute, and V8 takes a few seconds more. */
const restMs = 90_000;
const observedMs = 30_000;

/** Compares the memory of an idle service of a small folder with an empty Node.js, and measures its processor time. */
export async function measureIdleService(report: Report<'monitor'>): Promise<void> {
  const folder = join(scratchFolder(), 'served');
  makeTree(folder, 100);
  const service = await startLocalService({ databases: [{ name: 'Tree', folder }] }, { program: builtProgram });
  try {
    await waitForScans(service);
    await setTimeout(restMs);
    const before = readTicks(service.pid);
    await setTimeout(observedMs);
    const seconds = (readTicks(service.pid) - before) / 100;
    const ratio = readResidentKilobytes(service.pid) / (await measureEmptyKilobytes());
    report('idle service, memory / an empty Node.js', ratio);
    report('idle service, seconds of CPU time in 30 s', seconds);
  } finally {
    await service.stop();
  }
}

async function measureEmptyKilobytes(): Promise<number> {
  const program = 'setInterval(() => undefined, 60_000); process.stdout.write(".")';
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  const kilobytes = readResidentKilobytes(child.pid ?? 0);
  child.kill();
  await exited;
  return kilobytes;
}

function readResidentKilobytes(pid: number): number {
  return Number(/^Rss:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
}

/** Returns the processor time of a process in hundredths of a second. */
function readTicks(pid: number): number {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}
