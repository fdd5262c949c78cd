/** Compares stores of the local service with bare rclone: listing and moving objects of an SFTP server. */
import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtProgram } from '../test/support/localService.ts';
import { eventually } from '../test/support/eventually.ts';
import { useChosenRclone } from '../test/support/rclones.ts';
import { StoreRig } from '../test/support/storeRig.ts';
import { createReport, getMedian, measureTime, say, type MeasurementName } from './support/rounds.ts';
import { makeTree, run, scratchFolder } from './support/tree.ts';

useChosenRclone();
const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
});
// The limits apply to the full size. A quick run is only comparable with other quick runs, because the startup times of
// the service and rclone affect it more.
const size = values.quick
  ? { listed: 50_000, hidden: 4_000, small: 5_000, largeBytes: 500_000_000, rounds: 3 }
  : { listed: 200_000, hidden: 16_000, small: 20_000, largeBytes: 2_000_000_000, rounds: 3 };
const scratch = scratchFolder();
const output = join(scratch, 'output.txt');
const report = createReport('stores', values);

/** Runs rclone with the same remotes in a shell. */
async function runRclone(rig: StoreRig, command: string): Promise<void> {
  await run(`unset AWS_CA_BUNDLE; RCLONE_CONFIG='${rig.servers.configFile}' ${command}`, output);
}

function getPeakMegabytes(pid: number): number {
  const [, kilobytes = '0'] = /VmHWM:\s*(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_000;
}

async function compareRounds(
  name: MeasurementName<'stores'>,
  contest: { readonly ours: () => Promise<number>; readonly reference: () => Promise<number> },
): Promise<void> {
  say(name);
  const ratios: number[] = [];
  for (let round = 0; round < size.rounds; round += 1)
    ratios.push((await contest.ours()) / (await contest.reference()));
  report(name, getMedian(ratios));
}

/** Compares scans of a store that has a hidden folder with scans of the same one without it. */
async function compareHidden(rig: StoreRig): Promise<void> {
  const folder = (name: string): string => join(rig.servers.folder('sftp'), name);
  makeTree(folder('tree'), size.hidden);
  makeTree(folder('../cache'), size.hidden);
  const scan = async (name: string): Promise<number> => {
    fs.renameSync(folder(name === '.cache' ? '../cache' : '.cache'), folder(name));
    // Restarts the server, because it caches its folders.
    await rig.servers.kill('sftp');
    await rig.servers.startServer('sftp');
    return await measureTime(async () => await rig.rescan('sftp'));
  };
  await rig.rescan('sftp');
  await compareRounds('scan with a hidden folder of 16,000 files by SFTP / without it', {
    ours: async () => await scan('.cache'),
    reference: async () => await scan('../cache'),
  });
  emptyFolder(rig.servers.folder('sftp'));
}

/** Compares the first scan of a store, timed from when the service listens, with `rclone lsjson`. */
async function compareListing(rig: StoreRig): Promise<void> {
  makeTree(join(rig.servers.folder('sftp'), 'tree'), size.listed);
  const peaks: number[] = [];
  await compareRounds('first scan of 200,000 files by SFTP / rclone lsjson', {
    ours: async () => {
      await rig.stopService();
      fs.rmSync(rig.data, { recursive: true, force: true });
      await rig.startService({ program: builtProgram, gone: false });
      const took = await measureTime(async () => await rig.waitForListing('sftp'));
      peaks.push(getPeakMegabytes(rig.service.pid));
      return took;
    },
    reference: async () => await measureTime(async () => await runRclone(rig, 'rclone lsjson -R --files-only sftp:')),
  });
  report('first scan of 200,000 files by SFTP, peak memory in MB', getMedian(peaks));
  fs.rmSync(join(rig.servers.folder('sftp'), 'tree'), { recursive: true });
}

function makeFiles(folder: string, count: number, bytes: number): void {
  const content = Buffer.alloc(Math.min(bytes, 64 * 1024 * 1024));
  fs.mkdirSync(folder, { recursive: true });
  for (let made = 0; made < count; made += 1) {
    const file = fs.openSync(join(folder, `part-${made}.bin`), 'w');
    for (let written = 0; written < bytes; written += content.length) {
      fs.writeSync(file, randomFillSync(content), 0, Math.min(content.length, bytes - written));
    }
    fs.closeSync(file);
  }
}

interface Moved {
  readonly name: MeasurementName<'stores'>;
  readonly count: number;
  readonly bytes: number;
  readonly isToStore: boolean;
}

async function compareMoving(rig: StoreRig, { name, count, bytes, isToStore }: Moved): Promise<void> {
  const [source, destination] = isToStore ? (['folder', 'sftp'] as const) : (['sftp', 'folder'] as const);
  const [from, to] = isToStore ? [rig.folder, rig.servers.folder('sftp')] : [rig.servers.folder('sftp'), rig.folder];
  const folder = `files-${isToStore ? 'to' : 'from'}-${count}`;
  makeFiles(join(from, folder), count, bytes);
  // Restarts the server, because it caches its folders.
  await rig.servers.kill('sftp');
  await rig.servers.startServer('sftp');
  await rig.rescan('sftp');
  // The service watches the folder, so it needs no scan.
  const paths = await eventually(async () => {
    const found = await rig.findPaths(source, `path:${folder}/*`);
    return found.length === count ? found : undefined;
  });
  let rounds = 0;
  await compareRounds(name, {
    ours: async () => {
      const took = await measureTime(async () => {
        const { status, message } = await rig.transfer(source, destination, paths);
        assert.equal(status, 'succeeded', message);
      });
      emptyFolder(to);
      return took;
    },
    reference: async () => {
      // Uses a new folder in each round. The server also caches the copies of earlier rounds, and rclone would skip
      // those.
      const copy = `copy-${(rounds += 1)}`;
      const [first, second] = isToStore
        ? [`'${from}/${folder}'`, `sftp:${copy}`]
        : [`sftp:${folder}`, `'${to}/${copy}'`];
      const verify = isToStore ? '' : ` && find '${to}/${copy}' -type f -print0 | xargs -0 sha256sum`;
      const command = `rclone copy --transfers 8 ${first} ${second}${verify}`;
      const took = await measureTime(async () => await runRclone(rig, `sh -c "${command}"`));
      emptyFolder(to);
      return took;
    },
  });
  fs.rmSync(join(from, folder), { recursive: true });
}

function emptyFolder(folder: string): void {
  for (const name of fs.readdirSync(folder)) fs.rmSync(join(folder, name), { recursive: true });
}

const rig = await StoreRig.start(['sftp'], {}, { parent: scratch, intervalMs: 50 });
try {
  await compareHidden(rig);
  await compareListing(rig);
  const small = { count: size.small, bytes: 10_000 };
  const large = { count: 1, bytes: size.largeBytes };
  const moved: readonly Moved[] = [
    { name: '20,000 files of 10 kB from SFTP / rclone copy and sha256sum', isToStore: false, ...small },
    { name: '20,000 files of 10 kB to SFTP / rclone copy', isToStore: true, ...small },
    { name: 'one file of 2 GB from SFTP / rclone copy and sha256sum', isToStore: false, ...large },
    { name: 'one file of 2 GB to SFTP / rclone copy', isToStore: true, ...large },
  ];
  for (const one of moved) await compareMoving(rig, one);
} finally {
  await rig.stop();
}
