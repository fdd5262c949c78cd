/** Compares the local service with find and grep: scanning, searching and watching a million files. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createReport, getMedian, measureRatio, measureTime, say, type MeasurementName } from './support/rounds.ts';
import { SearchedService } from './support/searchedService.ts';
import { makeTree, run, scratchFolder } from './support/tree.ts';

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
});
const million = 1_000_000;
const scratch = scratchFolder();
const tree = join(scratch, 'tree');
const list = join(scratch, 'paths.txt');
const output = join(scratch, 'output.txt');
const report = createReport('catalogue', values);

/**
 * Returns the time in milliseconds from the start of the service to its first results, after the scan. Adds
 * the peak memory of the service in megabytes to `peaks`.
 */
async function scanTime(folder: string, peaks: number[]): Promise<number> {
  const service = await SearchedService.start(folder);
  try {
    const took = await measureTime(async () => await service.scanned());
    assert.equal(await service.search('', { limit: 1 }), 1);
    peaks.push(service.peakMegabytes());
    return took;
  } finally {
    await service.stop();
  }
}

async function scanning(folder: string, count: string): Promise<void> {
  say(`scanning ${count} files six times, alternating with find`);
  const peaks: number[] = [];
  const ratio = await measureRatio({
    ours: async () => await scanTime(folder, peaks),
    reference: async () => await measureTime(async () => await run(`find '${folder}' -printf '%s %T@ %p\\n'`, output)),
    turns: 1,
  });
  report('first scan of 1,000,000 files / find', ratio);
  report('first scan of 1,000,000 files, peak memory in MB', getMedian(peaks));
}

interface Asked {
  readonly name: MeasurementName<'catalogue'>;
  readonly query: string;
  readonly found: number;
  readonly more?: object;
  readonly grep: string;
}

const searches: readonly Asked[] = [
  {
    name: 'search of 1,000,000 files for a common word / grep',
    query: 'sample',
    found: 100,
    grep: `grep -ic sample '${list}'`,
  },
  {
    name: 'search of 1,000,000 files for two words / grep',
    query: 'amazon reads',
    found: 100,
    grep: `grep -i amazon '${list}' | grep -ic reads`,
  },
  {
    name: 'search of 1,000,000 files for a rare word / grep',
    query: 'sample_0123456',
    found: 1,
    grep: `grep -ic sample_0123456 '${list}'`,
  },
  {
    name: 'search of 1,000,000 files, everything at offset 500,000 / grep',
    query: '',
    found: 100,
    more: { offset: 500_000 },
    grep: `grep -ic '' '${list}'`,
  },
];

async function searching(service: SearchedService): Promise<void> {
  say('searching 1,000,000 files, alternating with grep');
  for (const { name, query, found, more, grep } of searches) {
    const ratio = await measureRatio({
      ours: async () => await measureTime(async () => assert.equal(await service.search(query, more), found)),
      reference: async () => await measureTime(async () => await run(grep, output)),
      turns: 10,
    });
    report(name, ratio);
  }
}

async function watching(service: SearchedService): Promise<void> {
  say('changing the watched tree');
  const seconds: number[] = [];
  for (let round = 0; round < 5; round++) {
    const word = `newcomer${round}`;
    fs.writeFileSync(join(tree, 'congo-002', 'run-0007', `${word}.csv`), 'x');
    const wait = async (): Promise<void> => {
      while ((await service.search(word)) === 0);
    };
    seconds.push((await measureTime(wait)) / 1_000);
  }
  report('finding a change among 1,000,000 watched files, in seconds', getMedian(seconds));
  const probe = fork(join(import.meta.dirname, 'programs', 'watchProbe.ts'), [tree], { execArgv: ['--expose-gc'] });
  const [[isComplete, bytes]] = (await once(probe, 'message')) as [[boolean, number]];
  assert.ok(isComplete, 'not every folder could be watched');
  report('watching 1,000,000 files, memory in MB', bytes / 1_048_576);
}

say('creating a tree of 1,000,000 files');
makeTree(tree, million);
const some = join(scratch, 'some');
if (values.quick) makeTree(some, million / 10);
await (values.quick ? scanning(some, '100,000') : scanning(tree, '1,000,000'));
await run(`find '${tree}' -type f -printf '%P\\n'`, list);
const service = await SearchedService.start(tree);
try {
  await service.scanned();
  await service.rests();
  await searching(service);
  await watching(service);
} finally {
  await service.stop();
}
