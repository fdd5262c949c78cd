import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { createJobSignal, type JobResult, type MoveJob } from '../../src/service/transfers/fileJobs.ts';
import { moveFiles } from '../../src/service/transfers/moveFiles.ts';
import { discardTransfer, removeParts } from '../../src/service/transfers/manifest.ts';
import { rivalProgram } from '../support/rivalProcess.ts';
import { bySize } from '../support/testSize.ts';

const transferId = '01234567-89ab-4cde-8f01-23456789abcd';
const largeBytes = 3 * 1024 * 1024;

/** `TMPDIR=/mnt/disk` runs these tests on another file system. */
describe('A destination that other programs change during a transfer (D24)', () => {
  let root: string;
  let target: string;
  let folder: string;

  beforeEach(() => {
    root = fs.realpathSync(fs.mkdtempSync(nodePath.join(os.tmpdir(), 'dts-rivals-')));
    target = `${root}/target`;
    folder = `${target}/dts-${transferId}`;
    for (const path of [`${root}/source`, target]) fs.mkdirSync(path);
  });
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

  function createJob(contents: Readonly<Record<string, Buffer>>, bytesPerSecond?: number): MoveJob {
    const files = Object.entries(contents).map(([path, content], position) => {
      fs.mkdirSync(nodePath.dirname(`${root}/source/${path}`), { recursive: true });
      fs.writeFileSync(`${root}/source/${path}`, content);
      return { position, path, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
    });
    const sides = { source: { location: { folder: `${root}/source` } }, destination: { location: { folder: target } } };
    return { transferId, ...sides, files, bytesPerSecond, isFlushed: false, signal: createJobSignal() };
  }

  async function startRival(what: 'file' | 'swap' | 'move', input: unknown): Promise<ChildProcess> {
    const rival = fork(rivalProgram, [what, JSON.stringify(input)]);
    if (what !== 'move') await once(rival, 'message');
    return rival;
  }

  function listFiles(path: string): string[] {
    const entries = fs.readdirSync(path, { recursive: true, withFileTypes: true });
    return entries.filter((one) => !one.isDirectory()).map((one) => `${one.parentPath}/${one.name}`);
  }

  for (let round = 1; round <= bySize(2, 6); round++)
    it(`keeps the file that a program writes under the final name while the copy runs, round ${round}`, async () => {
      const rival = await startRival('file', `${folder}/a.bin`);
      const ended = once(rival, 'exit');
      const { done, failure } = await moveFiles(
        createJob({ 'a.bin': Buffer.alloc(largeBytes, round) }, 4 * largeBytes),
      );
      assert.deepEqual(await ended, [0, null]);
      assert.deepEqual([done.length, failure?.text], [0, 'a different file already exists']);
      assert.equal(fs.readFileSync(`${folder}/a.bin`, 'utf8'), 'theirs');
      assert.deepEqual(listFiles(target), [`${folder}/a.bin`]);
    });

  for (let round = 1; round <= bySize(3, 14); round++)
    it(`changes nothing outside while its folder is replaced by a link and put back, round ${round}`, async () => {
      const outside = `${root}/outside`;
      const names = Array.from({ length: 40 }, (_, index) => `sub${index}/deep`);
      for (const name of names) {
        for (const top of [folder, outside]) fs.mkdirSync(`${top}/${name}`, { recursive: true });
        for (const top of [`${folder}/${name}`, outside])
          fs.writeFileSync(`${top}/${name.split('/')[0]}.0123abcd.part-${transferId}`, '');
      }
      const before = fs.readdirSync(outside, { recursive: true }).sort();
      const rival = await startRival('swap', { folder, outside });
      const ended = once(rival, 'exit');
      const contents = Object.fromEntries(names.map((name) => [`${name}/x`, Buffer.from(name)]));
      for (let attempt = 0; attempt < 10; attempt++) {
        await moveFiles(createJob(contents));
        await discardTransfer(target, transferId, 'manifest.json');
      }
      rival.send('end');
      assert.deepEqual(await ended, [0, null]);
      assert.deepEqual(fs.readdirSync(outside, { recursive: true }).sort(), before);
      assert.equal(await discardTransfer(target, transferId, 'manifest.json'), true);
      const remaining = fs.existsSync(folder) ? listFiles(folder) : [];
      assert.deepEqual(
        remaining.filter((path) => path.includes('.part-')),
        [],
      );
    });

  for (let round = 1; round <= bySize(2, 6); round++)
    it(`publishes whole files only if two processes move one transfer, round ${round}`, async () => {
      const content = Buffer.alloc(2 * largeBytes, round);
      // The second one is slow, so that the first one ends while the second one is writing.
      const jobs = [4, 1].map((speed) => createJob({ 'a.bin': content }, speed * largeBytes));
      const movers = await Promise.all(jobs.map(async (job) => await startRival('move', job)));
      const results: JobResult[] = [];
      for (const ended of movers.map((mover) => once(mover, 'message') as Promise<[JobResult]>)) {
        results.push((await ended)[0]);
        assert.ok(fs.readFileSync(`${folder}/a.bin`).equals(content));
      }
      assert.deepEqual(
        results.map(({ done, failure }) => [done.length, failure]),
        [
          [1, undefined],
          [1, undefined],
        ],
      );
      await removeParts({ transferId, destinationFolder: target });
      assert.deepEqual(listFiles(target), [`${folder}/a.bin`]);
    });
});
