import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { heapReportEnvironment, readHeaps } from '../../support/heapReport.ts';
import { listDescendants } from '../../support/processTree.ts';
import { StoreRig } from '../../support/storeRig.ts';
import { bySize } from '../../support/testSize.ts';

/** Number of transfers. A round takes about 12 s, because the missing object is requested several times. */
const transfers = bySize(20, 60);
/** Number of rounds after which all threads have started and loaded their code. */
const warmUpRounds = 4;
/**
 * Maximum growth of a thread's heap, in megabytes, to allow for code that is compiled later. If the threads that move
 * files retained the contents of 60 transfers, their heaps would grow by 12 MB in total.
 */
const heapMegabytes = 4;
const content = 'x'.repeat(500_000);
/**
 * The transfers of a round: source, destination, files and outcome. A transfer with `gone.txt` runs for several
 * seconds, long enough to be canceled.
 */
const kinds = [
  ['sftp', 'folder', ['a.txt'], 'completed successfully'],
  ['folder', 'sftp', ['b.txt'], 'completed successfully'],
  ['s3', 'copies', ['a.txt'], 'completed successfully'],
  ['sftp', 'folder', ['gone.txt'], 'failed'],
  ['sftp', 'folder', ['a.txt', 'gone.txt'], 'canceled'],
] as const;

interface Usage {
  readonly openFiles: number;
  readonly processes: number;
  /** Resident memory of the service outside the heaps, in megabytes: SQLite, buffers, and code. */
  readonly outside: number;
  /** Heap size after garbage collection, in megabytes, by the role and number of the thread. */
  readonly heaps: Readonly<Record<string, number>>;
}

describe('The resources of a service with stores (D62)', function () {
  this.timeout(bySize(300_000, 800_000));
  let rig: StoreRig;

  before(async () => {
    const files = { 'a.txt': content, 'gone.txt': content };
    rig = await StoreRig.start(['sftp', 's3'], { sftp: files, s3: files });
    await fs.writeFile(nodePath.join(rig.folder, 'b.txt'), content);
    await rig.stopService();
    const remotes = [{ name: 'copies', remote: 's3:lab/copies' }];
    await rig.startService({ remotes, gone: false, environment: heapReportEnvironment });
    for (const database of ['sftp', 's3', 'copies']) await rig.waitForListing(database);
    await eventually(async () => ((await rig.findPaths('folder')).length === 1 ? true : undefined));
    await fs.rm(nodePath.join(rig.servers.folder('sftp'), 'gone.txt'));
  });
  after(async () => await rig.stop());

  async function runRound(): Promise<void> {
    const ends = kinds.map(async ([source, destination, files, outcome]) => {
      const id = await rig.submit(source, destination, files);
      if (outcome === 'canceled') {
        await rig.waitForStatus(id, 'active');
        assert.equal((await rig.cancel(id)).status, 202);
      }
      const { message } = await rig.waitForStatus(id, 'succeeded', 'failed');
      assert.ok(message.startsWith(`Transfer ${id}: ${outcome}`), message);
    });
    await Promise.all(ends);
  }

  async function measure(): Promise<Usage> {
    const { pid } = rig.service;
    const heaps = await readHeaps(rig);
    const processes = listDescendants(pid);
    return {
      openFiles: (await fs.readdir(`/proc/${pid}/fd`)).length,
      processes: processes.length,
      outside: (await readMegabytes(pid)) - [...heaps.values()].reduce((sum, { reserved }) => sum + reserved / 1e6, 0),
      heaps: Object.fromEntries([...heaps].map(([thread, { used }]) => [thread, used / 1e6])),
    };
  }

  /** Waits until the scans that follow transfers have ended, and then measures the usage. */
  async function measureAtRest(): Promise<Usage> {
    await eventually(async () => {
      const listings = await Promise.all(['sftp', 's3', 'copies'].map(async (name) => await rig.describe(name)));
      return listings.every(({ listing }) => listing?.state === 'listed') ? true : undefined;
    }, 600_000);
    return await measure();
  }

  it(`are the same after ${transfers} transfers as before: heaps, open files and processes`, async () => {
    for (let round = 0; round < warmUpRounds; round += 1) await runRound();
    const before = await measureAtRest();
    for (let round = 0; round < transfers / kinds.length; round += 1) await runRound();
    const after = await measureAtRest();
    const text = `${JSON.stringify(before)}, then ${JSON.stringify(after)}`;
    // rclone and the program that supervises it; none if rclone has ended because it was idle.
    assert.ok([0, 2].includes(after.processes), text);
    // A restarted thread and the connections of the last requests may use a few more file descriptors.
    assert.ok(after.openFiles <= before.openFiles + 4, text);
    const largest = Math.max(...Object.values(before.heaps));
    for (const [thread, heap] of Object.entries(after.heaps))
      assert.ok(heap < (before.heaps[thread] ?? largest) + heapMegabytes, text);
    // The allocator may retain freed memory. rclone isn't measured, because it ends, with its caches, when idle.
    assert.ok(after.outside < before.outside + 64, text);
  });
});

/** Returns the resident memory of a process in megabytes. */
async function readMegabytes(pid: number): Promise<number> {
  const status = await fs.readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1] ?? 0) / 1_000;
}
