import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  verifyTransfer,
  type VerificationProgress,
  type VerificationReport,
} from '../../../src/core/verification/verification.ts';
import { readManifest } from '../../../src/core/verification/transferManifest.ts';
import { systemClock, type Clock } from '../../../src/core/util/clock.ts';
import { ReceivedFolder, formatHash } from '../../support/receivedFolder.ts';

describe('Verifying transferred files', () => {
  let transferred: ReceivedFolder;
  let reports: VerificationProgress[];
  beforeEach(async () => {
    transferred = await ReceivedFolder.create();
    reports = [];
  });
  afterEach(() => transferred.remove());

  async function check(clock: Clock = systemClock, signal = new AbortController().signal): Promise<VerificationReport> {
    const manifest = await readManifest(transferred.manifest);
    return await verifyTransfer(manifest, { clock, signal, onProgress: (progress) => reports.push(progress) });
  }

  /** Returns the path and the outcome of each file that isn't intact. */
  async function findings(): Promise<unknown[]> {
    return (await check()).findings.map(({ file, outcome }) => [file.path, outcome.kind]);
  }

  it('finds one flipped byte, one missing and one extra file among 1,000', async () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < 1_000; i += 1) files[`part ${i % 7}/file ${i}.csv`] = `content of file ${i}`;
    await transferred.addTransferred(files);
    const clean = await check();
    assert.deepEqual([clean.intactCount, clean.findings, clean.extra.paths], [1_000, [], []]);
    const flipped = join(transferred.folder, 'part 1/file 400.csv');
    const bytes = await readFile(flipped);
    bytes.writeUInt8(bytes.readUInt8(3) ^ 1, 3);
    await writeFile(flipped, bytes);
    await rm(join(transferred.folder, 'part 5/file 61.csv'));
    await transferred.write({ 'part 2/extra.csv': 'not sent' });
    const report = await check();
    assert.equal(report.intactCount, 998);
    assert.deepEqual(report.findings, [
      { file: report.manifest.files[61], outcome: { kind: 'missing' } },
      {
        file: report.manifest.files[400],
        outcome: {
          kind: 'hash',
          algorithm: 'sha256',
          stated: formatHash('content of file 400', 'sha256').slice(7),
          found: formatHash(bytes.toString('latin1'), 'sha256').slice(7),
        },
      },
    ]);
    assert.deepEqual(report.extra, { paths: ['part 2/extra.csv'], isTruncated: false, unreadableFolders: [] });
  });

  for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512']) {
    it(`compares ${algorithm}, with and without its name, for small and large files`, async () => {
      const files = { 'small.txt': 'small', 'large.bin': 'x'.repeat(700_000), 'empty.bin': '' };
      await transferred.write(files);
      const resources = Object.entries(files).flatMap(([path, content]) => {
        const hash = formatHash(content, algorithm);
        return [{ path, hash: path === 'small.txt' ? hash.slice(hash.indexOf(':') + 1) : hash }];
      });
      await transferred.describe({ resources });
      assert.equal((await check()).intactCount, 3);
      await transferred.write({ 'large.bin': `${'x'.repeat(699_999)}y` });
      assert.deepEqual(await findings(), [['large.bin', 'hash']]);
    });
  }

  it('reports how a file has changed, without reading it if the size differs', async () => {
    await transferred.addTransferred({ 'a.txt': 'twelve bytes' });
    await transferred.write({ 'a.txt': 'ten bytes.' });
    const [finding] = (await check()).findings;
    assert.deepEqual(finding?.outcome, { kind: 'size', stated: 12, found: 10 });
  });

  it('distinguishes a file without a hash from an intact one', async () => {
    await transferred.write({ a: 'aa', b: 'bb', c: 'cc', d: 'dd' });
    const etag = `${formatHash('c', 'md5').slice(4)}-3`;
    const resources = [{ path: 'a', bytes: 2 }, { path: 'b', bytes: 3 }, { path: 'c', hash: etag }, { path: 'e' }];
    await transferred.describe({ resources });
    const report = await check();
    assert.deepEqual(
      report.findings.map(({ file, outcome }) => [file.path, outcome.kind]),
      [
        ['a', 'notCompared'],
        ['b', 'size'],
        ['c', 'notCompared'],
        ['e', 'missing'],
      ],
    );
    assert.deepEqual([report.intactCount, report.extra.paths], [0, ['d']]);
  });

  it('never opens the target of a link out of the folder, and reports it', async () => {
    await writeFile(join(transferred.root, 'secret.txt'), 'secret');
    await transferred.addTransferred({
      'a.txt': 'secret',
      'sub/secret.txt': 'secret',
      'inside.txt': 'same',
      'b.txt': 'same',
    });
    await rm(join(transferred.folder, 'a.txt'));
    await rm(join(transferred.folder, 'sub'), { recursive: true });
    await rm(join(transferred.folder, 'b.txt'));
    await symlink('../secret.txt', join(transferred.folder, 'a.txt'));
    await symlink(transferred.root, join(transferred.folder, 'sub'));
    await symlink('inside.txt', join(transferred.folder, 'b.txt'));
    assert.deepEqual(await findings(), [
      ['a.txt', 'outsideFolder'],
      ['sub/secret.txt', 'outsideFolder'],
    ]);
  });

  it("reports links that are dangling, circular or lead out, and doesn't search them for extra files", async () => {
    await transferred.addTransferred({ 'a.txt': 'a', 'b.txt': 'b' });
    await rm(join(transferred.folder, 'a.txt'));
    await rm(join(transferred.folder, 'b.txt'));
    await symlink('nowhere', join(transferred.folder, 'a.txt'));
    await symlink('b.txt', join(transferred.folder, 'b.txt'));
    await symlink(transferred.root, join(transferred.folder, 'up'));
    const report = await check();
    assert.deepEqual(
      report.findings.map(({ outcome }) => outcome),
      [{ kind: 'missing' }, { kind: 'unreadable', code: 'ELOOP' }],
    );
    assert.deepEqual(report.extra.paths, ['up']);
  });

  it('verifies a folder that is reached through a link', async () => {
    await transferred.addTransferred({ 'a.txt': 'a' });
    await symlink(transferred.folder, join(transferred.root, 'link'));
    const manifest = await readManifest(join(transferred.root, 'link', 'manifest.json'));
    const { signal } = new AbortController();
    const report = await verifyTransfer(manifest, { clock: systemClock, signal, onProgress: () => undefined });
    assert.deepEqual([report.intactCount, report.extra.paths], [1, []]);
  });

  it("reports folders and pipes in place of files, and doesn't wait for a pipe", async function () {
    if (process.platform === 'win32') this.skip();
    await transferred.addTransferred({ 'folder.txt': '', 'pipe.txt': '' });
    await rm(join(transferred.folder, 'folder.txt'));
    await rm(join(transferred.folder, 'pipe.txt'));
    await mkdir(join(transferred.folder, 'folder.txt'));
    execFileSync('mkfifo', [join(transferred.folder, 'pipe.txt')]);
    const outcomes = (await check()).findings.map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, [
      { kind: 'unreadable', code: 'EISDIR' },
      { kind: 'unreadable', code: 'EINVAL' },
    ]);
  });

  it('reports unreadable files and folders with the reason', async function () {
    if (process.getuid?.() === 0 || process.platform === 'win32') {
      // Root can read everything except a name that is too long for the file system.
      const path = `${'long'.repeat(100)}.txt`;
      await transferred.describe({ resources: [{ path, hash: formatHash('', 'md5') }] });
      assert.deepEqual((await check()).findings[0]?.outcome, { kind: 'unreadable', code: 'ENAMETOOLONG' });
      return;
    }
    await transferred.addTransferred({ 'a.txt': 'a', 'b/b.txt': 'b' });
    await chmod(join(transferred.folder, 'a.txt'), 0);
    await chmod(join(transferred.folder, 'b'), 0);
    const report = await check();
    await chmod(join(transferred.folder, 'b'), 0o700);
    assert.deepEqual(
      report.findings.map(({ outcome }) => outcome),
      [
        { kind: 'unreadable', code: 'EACCES' },
        { kind: 'unreadable', code: 'EACCES' },
      ],
    );
    assert.deepEqual(report.extra.unreadableFolders, [{ path: 'b', code: 'EACCES' }]);
  });

  it("finds a file under either form of an escaped colon, and doesn't report it as extra", async function () {
    if (process.platform === 'win32') this.skip();
    await transferred.write({ 'nmdc:1/a.txt': 'a', 'nmdc\\:1/b.txt': 'b' });
    const resources = ['a', 'b'].map((name) => ({ path: `nmdc\\:1/${name}.txt`, hash: formatHash(name, 'md5') }));
    await transferred.describe({ resources });
    const report = await check();
    assert.deepEqual([report.intactCount, report.extra.paths], [2, []]);
  });

  /**
   * Returns a clock that calls `act` after each piece of a file is read. The clock advances far enough for each piece
   * to be reported.
   */
  function createClock(act: () => void): Clock {
    let now = 0;
    return { now: () => (act(), (now += 1_000)), after: systemClock.after };
  }

  for (const [what, change] of [
    ['written to', (path: string) => writeFileSync(path, 'y'.repeat(2_000_000))],
    ['removed', (path: string) => rmSync(path)],
    ['replaced', (path: string) => renameSync(`${path}.new`, path)],
  ] as const) {
    it(`reports a file that was ${what} while it was read`, async () => {
      await transferred.addTransferred({ 'a.bin': 'x'.repeat(2_000_000), 'b.txt': 'b' });
      await writeFile(join(transferred.folder, 'a.bin.new'), 'x'.repeat(2_000_000));
      let hasChanged = false;
      const clock = createClock(() => {
        if (hasChanged || (reports.at(-1)?.readBytes ?? 0) <= 300_000) return;
        hasChanged = true;
        change(join(transferred.folder, 'a.bin'));
      });
      const report = await check(clock);
      assert.deepEqual(
        report.findings.map(({ outcome }) => outcome.kind),
        ['changing'],
      );
    });
  }

  it('reports its progress in files and bytes, at most five times a second, and at the end', async () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < 400; i += 1) files[`${i}.bin`] = 'x'.repeat(1_000);
    await transferred.addTransferred(files);
    let now = 1_000;
    await check({ now: () => (now += 1), after: systemClock.after });
    assert.ok(reports.length >= 2 && reports.length <= 8, `reported ${reports.length} times`);
    assert.deepEqual(reports.at(-1), {
      fileCount: 400,
      checkedFileCount: 400,
      sizeBytes: 400_000,
      readBytes: 400_000,
    });
    assert.ok(reports.every(({ readBytes }, index) => readBytes >= (reports[index - 1]?.readBytes ?? 0)));
  });

  it("counts at most the declared size of a file, and all of it if it wasn't read", async () => {
    await transferred.addTransferred({ 'a.bin': 'x'.repeat(1_000), 'b.bin': 'y'.repeat(1_000) });
    await rm(join(transferred.folder, 'a.bin'));
    await check();
    assert.deepEqual([reports.at(-1)?.sizeBytes, reports.at(-1)?.readBytes], [2_000, 2_000]);
  });

  it('ends immediately when it is canceled, before and during the verification', async () => {
    await transferred.addTransferred({ 'a.bin': 'x'.repeat(30_000_000) });
    const reason = new Error('left');
    await assert.rejects(check(systemClock, AbortSignal.abort(reason)), reason);
    const aborting = new AbortController();
    const clock = createClock(() => aborting.abort(reason));
    await assert.rejects(check(clock, aborting.signal), reason);
    assert.ok((reports.at(-1)?.readBytes ?? 0) < 3_000_000, 'it has read only a few pieces');
  });

  it('reports a limited number of extra files', async () => {
    await transferred.describe({ resources: [] });
    const files: Record<string, string> = {};
    for (let i = 0; i < 10_001; i += 1) files[`${i}.txt`] = '';
    await transferred.write(files);
    const { extra } = await check();
    assert.deepEqual([extra.paths.length, extra.isTruncated], [10_000, true]);
  });
});
