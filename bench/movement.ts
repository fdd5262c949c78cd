/** Compares the local service with cp and rclone for large and small files; measures concurrent transfers. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { empty, MovingService } from './support/movingService.ts';
import {
  createReport,
  getCpuSeconds,
  getMedian,
  measureRatio,
  measureTime,
  say,
  type MeasurementName,
} from './support/rounds.ts';
import { makeRandomFiles, run, scratchFolder } from './support/tree.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const scratch = scratchFolder();
const output = join(scratch, 'output.txt');
const report = createReport('movement', values);

function folderFor(name: string): string {
  const folder = join(scratch, name);
  fs.mkdirSync(folder);
  return folder;
}

/**
 * Reserves memory until copying starts. A virtual machine returns unused memory to its host and takes seconds to
 * reclaim it, which would slow down the first writer. There are two parts: the service starts to copy before the main
 * part can be released, so it first needs the memory of the other one, which is released just before.
 */
class MemoryReserve {
  private readonly mainPart = join(scratch, 'reserve');
  private readonly firstPart = join(scratch, 'first-reserve');

  /**
   * Writes a file of this size, and one of half of it. Doesn't block the thread, which must notice if the service
   * closes an idle connection.
   */
  async hold(bytes: number): Promise<void> {
    await this.write(this.mainPart, bytes);
    await this.write(this.firstPart, bytes / 2);
  }

  releaseFirst(): void {
    fs.rmSync(this.firstPart, { force: true });
  }

  release(): void {
    this.releaseFirst();
    fs.rmSync(this.mainPart, { force: true });
  }

  private async write(path: string, bytes: number): Promise<void> {
    const content = Buffer.alloc(64 * 1024 * 1024, 1);
    const file = await fs.promises.open(path, 'w');
    for (let written = 0; written < bytes; written += content.length) await file.write(content);
    await file.close();
  }
}

const reserve = new MemoryReserve();

interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Resolves to the time, and the CPU time of a process and its ended children meanwhile. */
async function measureCost(pid: number, work: () => Promise<unknown>): Promise<Cost> {
  const before = getCpuSeconds(pid);
  const seconds = (await measureTime(work)) / 1_000;
  return { seconds, cpuSeconds: getCpuSeconds(pid) - before };
}

/** A comparison of a transfer with a shell command that copies and verifies the same files. */
interface Copying {
  readonly name: MeasurementName<'movement'>;
  readonly count: number;
  readonly bytes: number;
  readonly isCpuTime: boolean;
  readonly command: (source: string, copied: string) => string;
}

/** Measures a transfer from its submission to its end. Starts a new service each time. */
async function moveCost(source: string, destination: string, { count, bytes }: Copying): Promise<Cost> {
  const service = await MovingService.start(source, destination);
  try {
    const ids = await service.ids('Source', count);
    assert.equal(ids.length, count);
    await reserve.hold(count * bytes);
    reserve.releaseFirst();
    return await measureCost(
      service.pid,
      async () => await service.succeeds(await service.submit(ids), () => reserve.release()),
    );
  } finally {
    await service.stop();
    await empty(destination);
  }
}

async function copyCost(source: string, destination: string, { count, bytes, command }: Copying): Promise<Cost> {
  await reserve.hold(count * bytes);
  reserve.release();
  const text = command(source, join(destination, 'copy'));
  const cost = await measureCost(process.pid, async () => await run(text, output));
  await empty(destination);
  return cost;
}

/** Reports the ratio of the times or, with `isCpuTime`, of the CPU times; prints both. */
async function compareCopying(copying: Copying): Promise<void> {
  const { name, count, bytes, isCpuTime } = copying;
  say(`${name}: six times, alternating`);
  const source = folderFor(`source of ${count}`);
  const destination = folderFor(`destination of ${count}`);
  makeRandomFiles(source, count, bytes);
  const note = ({ seconds, cpuSeconds }: Cost, side: string): number => {
    say(`${side}: ${seconds.toFixed(2)} s, CPU time ${cpuSeconds.toFixed(2)} s`);
    return isCpuTime ? cpuSeconds : seconds;
  };
  const ratio = await measureRatio({
    ours: async () => note(await moveCost(source, destination, copying), 'service'),
    reference: async () => note(await copyCost(source, destination, copying), 'reference'),
    turns: 1,
  });
  report(name, ratio);
  for (const folder of [source, destination]) fs.rmSync(folder, { recursive: true });
}

const transferCount = 200;
const clientCount = 50;
const roundCount = 9;
const filesEach = 5;

/** Submits many transfers to one service concurrently, and polls them from many clients. */
class ConcurrentClients {
  private readonly times: number[] = [];
  private readonly service: MovingService;
  private readonly ended = new Set<string>();

  constructor(service: MovingService) {
    this.service = service;
  }

  /**
   * Resolves to the IDs of the transfers, and the ratio of the 99.9th percentile of all request times to the median.
   */
  async run(ids: readonly string[]): Promise<{ readonly transfers: readonly string[]; readonly ratio: number }> {
    // Opens the connections before measuring.
    await this.service.connect(transferCount);
    const submissions = Array.from({ length: transferCount }, async (_, number) => {
      const chosen = ids.slice(number * filesEach, (number + 1) * filesEach);
      return await this.timed(async () => await this.service.submit(chosen));
    });
    const transfers = await Promise.all(submissions);
    await Promise.all(Array.from({ length: clientCount }, async (_, client) => await this.ask(transfers, client)));
    this.times.sort((one, other) => one - other);
    const slowest = this.times[Math.floor(this.times.length * 0.999)] ?? Number.NaN;
    return { transfers, ratio: slowest / getMedian(this.times) };
  }

  private async ask(transfers: readonly string[], client: number): Promise<void> {
    for (let turn = client; this.ended.size < transferCount; turn++) {
      const id = transfers[turn % transferCount] ?? '';
      const { status, message, num_files_transferred } = await this.timed(async () => await this.service.status(id));
      assert.notEqual(status, 'failed', message);
      if (status !== 'succeeded') continue;
      assert.equal(num_files_transferred, filesEach);
      this.ended.add(id);
    }
  }

  private async timed<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const result = await work();
    this.times.push(performance.now() - startedAt);
    return result;
  }
}

async function measureConcurrency(): Promise<void> {
  say(`${transferCount} concurrent transfers, ${clientCount} clients polling, nine rounds`);
  const source = folderFor('source of concurrent transfers');
  const destination = folderFor('destination of concurrent transfers');
  const fileCount = transferCount * filesEach;
  makeRandomFiles(source, roundCount * fileCount, 10_000);
  const service = await MovingService.start(source, destination, transferCount);
  const ids = await service.ids('Source', roundCount * fileCount);
  const ratios: number[] = [];
  const transferIds = new Set<string>();
  for (let round = 0; round < roundCount; round++) {
    const { transfers, ratio } = await new ConcurrentClients(service).run(
      ids.slice(round * fileCount, (round + 1) * fileCount),
    );
    ratios.push(ratio);
    for (const id of transfers) transferIds.add(id);
  }
  await service.stop();
  assert.equal(transferIds.size, roundCount * transferCount);
  for (const id of transferIds) assert.equal(countCopies(join(destination, `dts-${id}`)), filesEach);
  report('200 transfers, 50 clients, slowest of 1,000 requests / the median', getMedian(ratios));
}

function countCopies(folder: string): number {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.filter(({ name }) => name.endsWith('.bin')).length;
}

const small = { count: 20_000, bytes: 10_000 };
const copyings: readonly Copying[] = [
  {
    name: 'one file of 2 GB between folders / cp and sha256sum',
    count: 1,
    bytes: 2_000_000_000,
    isCpuTime: false,
    command: (source, copied) => `cp -r '${source}' '${copied}' && sha256sum '${copied}'/*/*`,
  },
  {
    name: '20,000 files of 10 kB between folders / cp and sha256sum',
    isCpuTime: false,
    command: (source, copied) =>
      `cp -r '${source}' '${copied}' && find '${copied}' -type f -print0 | xargs -0 sha256sum`,
    ...small,
  },
  {
    name: '20,000 files of 10 kB, CPU time / rclone copy and check',
    isCpuTime: true,
    command: (source, copied) =>
      `rclone copy --checksum --transfers 8 '${source}' '${copied}' && rclone check -q '${source}' '${copied}'`,
    ...small,
  },
];
for (const copying of copyings) await compareCopying(copying);
await measureConcurrency();
