/** The local service beside cp and sha256sum: a large file, many small ones, many transfers and clients at once. */
import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { empty, MovingService } from './support/movingService.ts';
import { medianOf, ratioOf, report, timeOf } from './support/rounds.ts';
import { run, scratchFolder } from './support/tree.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const scratch = scratchFolder();
const output = join(scratch, 'output.txt');

function say(text: string): void {
  console.error(`· ${text}`);
}

function tell(name: string, ratio: number, limit: number): void {
  if (!report({ name, ratio, limit }, values.json)) process.exitCode = 1;
}

function folderFor(name: string): string {
  const folder = join(scratch, name);
  fs.mkdirSync(folder);
  return folder;
}

function makeFiles(folder: string, count: number, bytes: number): void {
  const content = Buffer.alloc(Math.min(bytes, 64 * 1024 * 1024));
  for (let made = 0; made < count; made++) {
    const inside = join(folder, `batch-${String(Math.floor(made / 200)).padStart(3, '0')}`);
    if (made % 200 === 0) fs.mkdirSync(inside);
    const file = fs.openSync(join(inside, `part-${String(made).padStart(5, '0')}.bin`), 'w');
    for (let written = 0; written < bytes; written += content.length) {
      fs.writeSync(file, randomFillSync(content), 0, Math.min(content.length, bytes - written));
    }
    fs.closeSync(file);
  }
}

/**
 * Memory that is free at hand. A virtual machine gives back what it does not use, and takes seconds to have it again:
 * whoever writes first would pay for that. It is held until the copying begins, on either side.
 */
class Ballast {
  private readonly file = join(scratch, 'ballast');

  hold(bytes: number): void {
    const content = Buffer.alloc(64 * 1024 * 1024, 1);
    const file = fs.openSync(this.file, 'w');
    for (let written = 0; written < bytes; written += content.length) fs.writeSync(file, content);
    fs.closeSync(file);
  }

  release(): void {
    fs.rmSync(this.file, { force: true });
  }
}

const ballast = new Ballast();

/** From the submission to the last state; each round with a service that has seen none of the files before. */
async function moveTime(source: string, destination: string, count: number, bytes: number): Promise<number> {
  const service = await MovingService.start(source, destination);
  try {
    const ids = await service.ids('Source', count);
    assert.equal(ids.length, count);
    ballast.hold(bytes);
    return await timeOf(async () => await service.succeeds(await service.submit(ids), () => ballast.release()));
  } finally {
    await service.stop();
    await empty(destination);
  }
}

async function copyTime(source: string, destination: string, isOne: boolean, bytes: number): Promise<number> {
  ballast.hold(bytes);
  ballast.release();
  const copied = join(destination, 'copy');
  const hash = isOne ? `sha256sum '${copied}'/*/*` : `find '${copied}' -type f -print0 | xargs -0 sha256sum`;
  const took = await timeOf(async () => await run(`cp -r '${source}' '${copied}' && ${hash}`, output));
  await empty(destination);
  return took;
}

async function beside(name: string, limit: number, count: number, bytes: number): Promise<void> {
  say(`${name}, six times beside cp and sha256sum`);
  const source = folderFor(`source of ${count}`);
  const destination = folderFor(`destination of ${count}`);
  makeFiles(source, count, bytes);
  const ratio = await ratioOf({
    ours: async () => await moveTime(source, destination, count, count * bytes),
    reference: async () => await copyTime(source, destination, count === 1, count * bytes),
    turns: 1,
  });
  tell(`${name}: time beside cp and sha256sum`, ratio, limit);
  fs.rmSync(source, { recursive: true });
}

const transferCount = 200;
const clientCount = 50;
const crowds = 5;
const filesEach = 5;

/** A crowd that turns to a service in use, all at once. */
class Crowd {
  private readonly times: number[] = [];
  private readonly service: MovingService;
  private readonly ended = new Set<string>();

  constructor(service: MovingService) {
    this.service = service;
  }

  /** Resolves to the ids of the transfers, and how many times the median the slowest thousandth of all requests took. */
  async run(ids: readonly string[]): Promise<{ readonly transfers: readonly string[]; readonly ratio: number }> {
    // The connections of a crowd stand.
    await this.service.connect(transferCount);
    const submissions = Array.from({ length: transferCount }, async (_, number) => {
      const chosen = ids.slice(number * filesEach, (number + 1) * filesEach);
      return await this.timed(async () => await this.service.submit(chosen));
    });
    const transfers = await Promise.all(submissions);
    await Promise.all(Array.from({ length: clientCount }, async (_, client) => await this.ask(transfers, client)));
    this.times.sort((one, other) => one - other);
    const slowest = this.times[Math.floor(this.times.length * 0.999)] ?? Number.NaN;
    return { transfers, ratio: slowest / medianOf(this.times) };
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

async function crowd(): Promise<void> {
  say(`${transferCount} transfers at once, ${clientCount} clients asking, five times one after another`);
  const source = folderFor('source of the crowd');
  const destination = folderFor('destination of the crowd');
  const fileCount = transferCount * filesEach;
  makeFiles(source, crowds * fileCount, 10_000);
  const service = await MovingService.start(source, destination, transferCount);
  const ids = await service.ids('Source', crowds * fileCount);
  const ratios: number[] = [];
  const landed = new Set<string>();
  for (let round = 0; round < crowds; round++) {
    const { transfers, ratio } = await new Crowd(service).run(ids.slice(round * fileCount, (round + 1) * fileCount));
    ratios.push(ratio);
    for (const id of transfers) landed.add(id);
  }
  await service.stop();
  assert.equal(landed.size, crowds * transferCount);
  for (const id of landed) assert.equal(landedCount(join(destination, `dts-${id}`)), filesEach);
  tell(`${transferCount} transfers, ${clientCount} clients: 99.9th percentile beside the median`, medianOf(ratios), 20);
}

function landedCount(folder: string): number {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.filter(({ name }) => name.endsWith('.bin')).length;
}

await beside('one file of 2 GB', 0.9, 1, 2_000_000_000);
await beside('20,000 files of 10 kB', 1.5, 20_000, 10_000);
await crowd();
