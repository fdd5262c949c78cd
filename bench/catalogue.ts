/** Compares the local service with find and grep: scanning, searching and watching a million files. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { getMedian, measureRatio, report, measureTime } from './support/rounds.ts';
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

function say(text: string): void {
  console.error(`· ${text}`);
}

function reportRatio(name: string, ratio: number, limit: number): void {
  if (!report({ name, ratio, limit }, values.json)) process.exitCode = 1;
}

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
  reportRatio(`first scan of ${count} files: time relative to find`, ratio, 3);
  reportRatio(`first scan of ${count} files: peak memory in MB`, getMedian(peaks), 300);
}

interface Asked {
  readonly name: string;
  readonly limit: number;
  readonly query: string;
  readonly found: number;
  readonly more?: object;
  readonly grep: string;
}

const searches: readonly Asked[] = [
  { name: 'a common word', limit: 3, query: 'sample', found: 100, grep: `grep -ic sample '${list}'` },
  {
    name: 'two words',
    limit: 1,
    query: 'amazon reads',
    found: 100,
    grep: `grep -i amazon '${list}' | grep -ic reads`,
  },
  { name: 'a rare word', limit: 0.3, query: 'sample_0123456', found: 1, grep: `grep -ic sample_0123456 '${list}'` },
  {
    name: 'everything at offset 500,000',
    limit: 1,
    query: '',
    found: 100,
    more: { offset: 500_000 },
    grep: `grep -ic '' '${list}'`,
  },
];

async function searching(service: SearchedService): Promise<void> {
  say('searching 1,000,000 files, alternating with grep');
  for (const { name, limit, query, found, more, grep } of searches) {
    const ratio = await measureRatio({
      ours: async () => await measureTime(async () => assert.equal(await service.search(query, more), found)),
      reference: async () => await measureTime(async () => await run(grep, output)),
      turns: 10,
    });
    reportRatio(`search of 1,000,000 files for ${name}: time relative to grep`, ratio, limit);
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
  reportRatio('a change among 1,000,000 watched files: seconds until it is found', getMedian(seconds), 2);
  const probe = fork(join(import.meta.dirname, 'programs', 'watchProbe.ts'), [tree], { execArgv: ['--expose-gc'] });
  const [[isComplete, bytes]] = (await once(probe, 'message')) as [[boolean, number]];
  assert.ok(isComplete, 'not every folder could be watched');
  reportRatio('watching 1,000,000 files: memory in MB', bytes / 1_048_576, 150);
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
