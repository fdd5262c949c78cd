import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createJobSignal, getByteCounts, getDoneCount, requestStop } from '../../src/service/transfers/fileJobs.ts';
import { TransferFailure } from '../../src/service/transfers/transferErrors.ts';
import { isDeep } from './testSize.ts';
import type { PlaceKind } from './placeKinds.ts';
import { sha256, type RouteRig, type RoutedTransfer } from './routeRig.ts';

/** More than a route moves together with other small files. */
export const large = 'x'.repeat(1024 * 1024 + 1);
export const contents = {
  'a.txt': 'alpha',
  'sub/b.txt': 'beta',
  'sub/deep/ç d.txt': 'gamma',
  empty: '',
  'large.bin': large,
};

/** The promises of every route, whatever it connects and however it moves the files (`TransferRoute`). */
const promises: readonly [promise: string, check: (create: () => Promise<RoutedTransfer>) => Promise<void>][] = [
  [
    'moves every file with its content, and writes a manifest with their hashes',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage(contents);
      const { done, failure } = await transfer.move(files);
      assert.deepEqual([failure, done.map(({ position }) => position).toSorted()], [undefined, [0, 1, 2, 3, 4]]);
      for (const { position, sha256: hash } of done)
        assert.equal(hash, sha256(Object.values(contents)[position] ?? ''));
      const hashed = files.map((file) => ({ ...file, sha256: sha256(contents[file.path as keyof typeof contents]) }));
      assert.equal(await transfer.finish(hashed), true);
      assert.deepEqual(await transfer.readMoved(), contents);
      const { resources } = JSON.parse((await transfer.readManifest()) ?? '') as { resources: { hash: string }[] };
      assert.deepEqual(
        resources.map(({ hash }) => hash),
        hashed.map((file) => `sha256:${file.sha256}`),
      );
    },
  ],
  [
    'counts each file once, and all of its bytes if it can count them',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage(contents);
      const signal = createJobSignal();
      await transfer.move(files, signal);
      assert.equal(getDoneCount(signal), files.length);
      const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
      if (transfer.route.capabilities.canCountBytes)
        assert.deepEqual(getByteCounts(signal), { copied: total, read: total });
    },
  ],
  [
    'moves files again that it has moved before, with the same result',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage(contents);
      await transfer.move(files);
      const { done, failure } = await transfer.move(files);
      assert.deepEqual([failure, done.length], [undefined, files.length]);
      assert.deepEqual(await transfer.readMoved(), contents);
    },
  ],
  [
    'moves nothing if it is stopped before it starts',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage(contents);
      const signal = createJobSignal();
      requestStop(signal);
      assert.deepEqual(await transfer.move(files, signal), { done: [], isStopped: true });
      assert.deepEqual(await transfer.readMoved(), {});
    },
  ],
  [
    'reports the first file that it could not read, and what was moved before it stays',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha', 'b.txt': 'beta' });
      await transfer.move(files.slice(0, 1));
      await transfer.source.remove('b.txt');
      const { done, failure } = await transfer.move(files.slice(1));
      assert.deepEqual([done, failure?.position, failure?.operation], [[], 1, 'read']);
      assert.ok(failure && files[1]);
      const error = await transfer.route.toTransferError(failure, files[1]);
      assert.ok(error instanceof TransferFailure, String(error));
      assert.equal(error.message, 'could not read b.txt: it no longer exists');
      assert.deepEqual(await transfer.readMoved(), { 'a.txt': 'alpha' });
    },
  ],
  [
    'gives no file its final name that changed after it was found',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha' });
      await transfer.source.write({ 'a.txt': 'alpha and more' });
      const { done, failure } = await transfer.move(files);
      assert.deepEqual([done, failure?.position], [[], 0]);
      assert.match(failure?.text ?? '', /^it changed /);
      await transfer.route.discard('manifest.json');
      assert.deepEqual(await transfer.readMoved(), {});
    },
  ],
  [
    'finds moved files that are missing, or have another size',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha', 'b.txt': 'beta', 'c.txt': 'gamma' });
      await transfer.move(files);
      await transfer.destination.remove(`${transfer.folderName}/a.txt`);
      await transfer.destination.write({ [`${transfer.folderName}/b.txt`]: 'longer than before' });
      await transfer.route.prepare();
      assert.deepEqual(await transfer.findLost(files), [0, 1]);
    },
  ],
  [
    'writes no manifest while a file is missing',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha', 'b.txt': 'beta' });
      await transfer.move(files);
      await transfer.destination.remove(`${transfer.folderName}/a.txt`);
      await transfer.route.prepare();
      await assert.rejects(transfer.finish(files));
      assert.equal(await transfer.readManifest(), undefined);
    },
  ],
  [
    'finishes a second time after it was interrupted',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha' });
      await transfer.move(files);
      await transfer.finish(files);
      assert.equal(await transfer.finish(files), true);
      assert.match((await transfer.readManifest()) ?? '', new RegExp(`"id": "${transfer.id}"`));
      assert.deepEqual(await transfer.readMoved(), { 'a.txt': 'alpha' });
    },
  ],
  [
    'removes what a killed run left unfinished before it finishes',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha' });
      await transfer.move(files);
      await transfer.destination.write({ [`${transfer.folderName}/b.txt.0123abcd.part-${transfer.id}`]: 'half' });
      await transfer.route.prepare();
      assert.equal(await transfer.finish(files), true);
      assert.deepEqual(await transfer.readMoved(), { 'a.txt': 'alpha' });
    },
  ],
  [
    'discards what is unfinished and the manifest, keeps what is complete, and can do so again',
    async (create) => {
      const transfer = await create();
      const files = await transfer.stage({ 'a.txt': 'alpha' });
      await transfer.move(files);
      await transfer.finish(files);
      await transfer.destination.write({ [`${transfer.folderName}/b.txt.0123abcd.part-${transfer.id}`]: 'half' });
      await transfer.route.discard('manifest.json');
      assert.deepEqual([await transfer.readMoved(), await transfer.readManifest()], [{ 'a.txt': 'alpha' }, undefined]);
      await transfer.route.discard('manifest.json');
      assert.deepEqual(await transfer.readMoved(), { 'a.txt': 'alpha' });
    },
  ],
  [
    'discards nothing, without an error, if it never ran',
    async (create) => {
      const transfer = await create();
      assert.equal(typeof (await transfer.route.discard('manifest.json')), 'boolean');
      assert.deepEqual(await transfer.readMoved(), {});
    },
  ],
];

/** Times of small files that some stores send together, of a larger one, and of one that is uploaded in parts. */
export const times = {
  'a.txt': '2001-02-03T04:05:06.789Z',
  'b.txt': '2015-12-31T23:59:59.000Z',
  'sub/c.txt': '2026-01-01T00:00:00.123Z',
  'large.bin': '1999-03-04T05:06:07.890Z',
  'parts.bin': '1998-03-04T05:06:07.890Z',
};
/** Times that SFTP can't express in its 32 bits of seconds. */
export const farTimes = { 'past.txt': '1960-07-08T09:10:11.123Z', 'future.txt': '2200-07-08T09:10:11.456Z' };
export const timed = { ...contents, 'b.txt': 'beta', 'sub/c.txt': 'gamma', 'parts.bin': 'x'.repeat(9 * 1024 * 1024) };

function isNear(one: string, other: string, precisionMs: number): boolean {
  return Math.abs(Date.parse(one) - Date.parse(other)) <= precisionMs;
}

const makefile = `count.txt: reads.bam.bai count
\t./count
reads.bam.bai: reads.bam
\tsamtools index reads.bam
reads.bam: reads.sam
\tsamtools view -b -o reads.bam reads.sam
`;
const countScript = '#!/bin/sh\nsamtools view -c reads.bam one:1-10 > count.txt\n';

async function checkTimes(transfer: RoutedTransfer, precisionMs: number, expected: Readonly<Record<string, string>>) {
  const files = await transfer.stage({ ...timed, 'past.txt': 'old', 'future.txt': 'new' }, { ...times, ...expected });
  const { done, failure } = await transfer.move(files);
  assert.equal(failure, undefined);
  const moved = files.map((file) => ({ ...file, ...done.find(({ position }) => position === file.position) }));
  await transfer.finish(moved);
  const { resources } = JSON.parse((await transfer.readManifest()) ?? '') as {
    resources: { path: string; modified: string }[];
  };
  const stated = new Map(resources.map(({ path, modified }) => [path, modified]));
  for (const [path, time] of Object.entries({ ...times, ...expected })) {
    const actual = await transfer.destination.getModified(`${transfer.folderName}/${path}`);
    assert.ok(isNear(actual, time, precisionMs), `${path}: ${actual} instead of ${time}`);
    assert.ok(isNear(stated.get(path) ?? '', time, precisionMs), `the manifest: ${path}: ${stated.get(path)}`);
  }
}

/** Defines the tests of the promises of every route. */
export function describePromises(getRig: () => RouteRig, from: PlaceKind, to: PlaceKind): void {
  describe(`from ${from} to ${to}`, () => {
    for (const [promise, check] of promises)
      it(promise, async () => {
        await check(async () => await getRig().createTransfer(from, to));
      });
  });
}

/** A route that keeps modification times, their precision in milliseconds, and whether it keeps {@link farTimes}. */
export type TimeRoute = readonly [from: PlaceKind, to: PlaceKind, precisionMs: number, hasFarTimes: boolean];

/** Defines the test of a route that keeps modification times. */
export function itKeepsTimes(getRig: () => RouteRig, [from, to, precisionMs, hasFarTimes]: TimeRoute): void {
  it(`keeps the modification times of files, and states them in the manifest, from ${from} to ${to}`, async () => {
    await checkTimes(await getRig().createTransfer(from, to), precisionMs, hasFarTimes ? farTimes : {});
  });
}

/** Defines the deep test of a route that programs rely on which compare modification times. */
export function itSatisfiesPrograms(getRig: () => RouteRig, from: PlaceKind): void {
  if (!isDeep) return;
  it(`leaves make and samtools nothing to do and nothing to warn about, from ${from} to folder`, async () => {
    const transfer = await getRig().createTransfer(from, 'folder');
    const cwd = transfer.source.getFile('');
    const reads = Array.from(
      { length: 200_000 },
      (_, index) => `r${index}\t0\tone\t${index + 1}\t60\t4M\t*\t0\t0\tACGT\tFFFF`,
    );
    await writeFile(
      join(cwd, 'reads.sam'),
      `@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:one\tLN:1000000\n${reads.join('\n')}\n`,
    );
    await writeFile(join(cwd, 'Makefile'), makefile);
    await writeFile(join(cwd, 'count'), countScript, { mode: 0o755 });
    execFileSync('make', { cwd });
    const paths = ['count.txt', 'reads.bam.bai', 'reads.bam', 'reads.sam', 'Makefile', 'count'];
    const files = await transfer.stageFromDisk(paths);
    assert.equal((await transfer.move(files)).failure, undefined);
    const copy = { cwd: transfer.destination.getFile(transfer.folderName), encoding: 'utf8' } as const;
    assert.equal(spawnSync('make', ['--question'], copy).status, 0);
    const { stdout, stderr } = spawnSync('samtools', ['view', '-c', 'reads.bam', 'one:1-10'], copy);
    assert.deepEqual([stdout, stderr], ['10\n', '']);
    // Stores have no execute bits.
    if (from === 'folder') execFileSync('make', ['--what-if=count'], copy);
  });
}
