import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkLanded, type CheckProgress, type LandedReport } from '../../../src/core/landed/landedCheck.ts';
import { readManifest } from '../../../src/core/landed/landedManifest.ts';
import { systemClock, type Clock } from '../../../src/core/util/clock.ts';
import { LandedFolder, statedHash } from '../../support/landedFolder.ts';

describe('A check of what landed', function () {
  this.timeout(20_000);
  let landed: LandedFolder;
  let told: CheckProgress[];
  beforeEach(async () => {
    landed = await LandedFolder.make();
    told = [];
  });
  afterEach(() => landed.remove());

  async function check(clock: Clock = systemClock, signal = new AbortController().signal): Promise<LandedReport> {
    const manifest = await readManifest(landed.manifest);
    return await checkLanded(manifest, { clock, signal, onProgress: (progress) => told.push(progress) });
  }

  /** Path and outcome of everything that is not as it was sent. */
  async function findings(): Promise<unknown[]> {
    return (await check()).findings.map(({ file, outcome }) => [file.path, outcome.kind]);
  }

  it('finds one flipped byte, one missing and one extra file among 1,000', async () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < 1_000; i += 1) files[`part ${i % 7}/file ${i}.csv`] = `content of file ${i}`;
    await landed.land(files);
    const clean = await check();
    assert.deepEqual([clean.asSentCount, clean.findings, clean.extra.paths], [1_000, [], []]);
    const flipped = join(landed.folder, 'part 1/file 400.csv');
    const bytes = await readFile(flipped);
    bytes.writeUInt8(bytes.readUInt8(3) ^ 1, 3);
    await writeFile(flipped, bytes);
    await rm(join(landed.folder, 'part 5/file 61.csv'));
    await landed.write({ 'part 2/extra.csv': 'not sent' });
    const report = await check();
    assert.equal(report.asSentCount, 998);
    assert.deepEqual(report.findings, [
      { file: report.manifest.files[61], outcome: { kind: 'missing' } },
      {
        file: report.manifest.files[400],
        outcome: {
          kind: 'hash',
          algorithm: 'sha256',
          stated: statedHash('content of file 400', 'sha256').slice(7),
          found: statedHash(bytes.toString('latin1'), 'sha256').slice(7),
        },
      },
    ]);
    assert.deepEqual(report.extra, { paths: ['part 2/extra.csv'], isCut: false, closed: [] });
  });

  for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512']) {
    it(`compares ${algorithm}, with its name and bare, in files of one piece and of several`, async () => {
      const files = { 'small.txt': 'small', 'large.bin': 'x'.repeat(700_000), 'empty.bin': '' };
      await landed.write(files);
      const resources = Object.entries(files).flatMap(([path, content]) => {
        const hash = statedHash(content, algorithm);
        return [{ path, hash: path === 'small.txt' ? hash.slice(hash.indexOf(':') + 1) : hash }];
      });
      await landed.describe({ resources });
      assert.equal((await check()).asSentCount, 3);
      await landed.write({ 'large.bin': `${'x'.repeat(699_999)}y` });
      assert.deepEqual(await findings(), [['large.bin', 'hash']]);
    });
  }

  it('says by what a file has changed: a size needs no reading', async () => {
    await landed.land({ 'a.txt': 'twelve bytes' });
    await landed.write({ 'a.txt': 'ten bytes.' });
    const [finding] = (await check()).findings;
    assert.deepEqual(finding?.outcome, { kind: 'size', stated: 12, found: 10 });
  });

  it('tells a file without a hash apart from one that is as sent', async () => {
    await landed.write({ a: 'aa', b: 'bb', c: 'cc', d: 'dd' });
    const etag = `${statedHash('c', 'md5').slice(4)}-3`;
    const resources = [{ path: 'a', bytes: 2 }, { path: 'b', bytes: 3 }, { path: 'c', hash: etag }, { path: 'e' }];
    await landed.describe({ resources });
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
    assert.deepEqual([report.asSentCount, report.extra.paths], [0, ['d']]);
  });

  it('never opens what a link outside of the folder leads to, and says so', async () => {
    await writeFile(join(landed.root, 'secret.txt'), 'secret');
    await landed.land({ 'a.txt': 'secret', 'sub/secret.txt': 'secret', 'inside.txt': 'same', 'b.txt': 'same' });
    await rm(join(landed.folder, 'a.txt'));
    await rm(join(landed.folder, 'sub'), { recursive: true });
    await rm(join(landed.folder, 'b.txt'));
    await symlink('../secret.txt', join(landed.folder, 'a.txt'));
    await symlink(landed.root, join(landed.folder, 'sub'));
    await symlink('inside.txt', join(landed.folder, 'b.txt'));
    assert.deepEqual(await findings(), [
      ['a.txt', 'leadsOut'],
      ['sub/secret.txt', 'leadsOut'],
    ]);
  });

  it('names links that lead nowhere, in circles, or out, and does not look behind them for extra files', async () => {
    await landed.land({ 'a.txt': 'a', 'b.txt': 'b' });
    await rm(join(landed.folder, 'a.txt'));
    await rm(join(landed.folder, 'b.txt'));
    await symlink('nowhere', join(landed.folder, 'a.txt'));
    await symlink('b.txt', join(landed.folder, 'b.txt'));
    await symlink(landed.root, join(landed.folder, 'up'));
    const report = await check();
    assert.deepEqual(
      report.findings.map(({ outcome }) => outcome),
      [{ kind: 'missing' }, { kind: 'unreadable', code: 'ELOOP' }],
    );
    assert.deepEqual(report.extra.paths, ['up']);
  });

  it('checks a folder that is itself reached through a link', async () => {
    await landed.land({ 'a.txt': 'a' });
    await symlink(landed.folder, join(landed.root, 'link'));
    const manifest = await readManifest(join(landed.root, 'link', 'manifest.json'));
    const { signal } = new AbortController();
    const report = await checkLanded(manifest, { clock: systemClock, signal, onProgress: () => undefined });
    assert.deepEqual([report.asSentCount, report.extra.paths], [1, []]);
  });

  it('names folders and pipes in the place of files, and does not wait for a pipe', async function () {
    if (process.platform === 'win32') this.skip();
    await landed.land({ 'folder.txt': '', 'pipe.txt': '' });
    await rm(join(landed.folder, 'folder.txt'));
    await rm(join(landed.folder, 'pipe.txt'));
    await mkdir(join(landed.folder, 'folder.txt'));
    execFileSync('mkfifo', [join(landed.folder, 'pipe.txt')]);
    const outcomes = (await check()).findings.map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, [
      { kind: 'unreadable', code: 'EISDIR' },
      { kind: 'unreadable', code: 'EINVAL' },
    ]);
  });

  it('names what may not be read, with the reason', async function () {
    if (process.getuid?.() === 0 || process.platform === 'win32') {
      // Root may read everything but a name that is too long for the file system.
      const path = `${'long'.repeat(100)}.txt`;
      await landed.describe({ resources: [{ path, hash: statedHash('', 'md5') }] });
      assert.deepEqual((await check()).findings[0]?.outcome, { kind: 'unreadable', code: 'ENAMETOOLONG' });
      return;
    }
    await landed.land({ 'a.txt': 'a', 'b/b.txt': 'b' });
    await chmod(join(landed.folder, 'a.txt'), 0);
    await chmod(join(landed.folder, 'b'), 0);
    const report = await check();
    await chmod(join(landed.folder, 'b'), 0o700);
    assert.deepEqual(
      report.findings.map(({ outcome }) => outcome),
      [
        { kind: 'unreadable', code: 'EACCES' },
        { kind: 'unreadable', code: 'EACCES' },
      ],
    );
    assert.deepEqual(report.extra.closed, [{ path: 'b', code: 'EACCES' }]);
  });

  it('finds a file under either form of an escaped colon, and does not call it extra', async function () {
    if (process.platform === 'win32') this.skip();
    await landed.write({ 'nmdc:1/a.txt': 'a', 'nmdc\\:1/b.txt': 'b' });
    const resources = ['a', 'b'].map((name) => ({ path: `nmdc\\:1/${name}.txt`, hash: statedHash(name, 'md5') }));
    await landed.describe({ resources });
    const report = await check();
    assert.deepEqual([report.asSentCount, report.extra.paths], [2, []]);
  });

  /** A clock that acts whenever it is asked, which is after every piece; so much time passes that each is told. */
  function clockThat(act: () => void): Clock {
    let now = 0;
    return { now: () => (act(), (now += 1_000)), after: systemClock.after };
  }

  for (const [what, change] of [
    ['written to', async (path: string) => await writeFile(path, 'y'.repeat(2_000_000))],
    ['removed', async (path: string) => await rm(path)],
    ['replaced', async (path: string) => await rename(`${path}.new`, path)],
  ] as const) {
    it(`names a file that was ${what} while it was being read`, async () => {
      await landed.land({ 'a.bin': 'x'.repeat(2_000_000), 'b.txt': 'b' });
      await writeFile(join(landed.folder, 'a.bin.new'), 'x'.repeat(2_000_000));
      let changed: Promise<void> | undefined;
      const clock = clockThat(() => {
        if ((told.at(-1)?.readBytes ?? 0) > 300_000) changed ??= change(join(landed.folder, 'a.bin'));
      });
      const report = await check(clock);
      await changed;
      assert.deepEqual(
        report.findings.map(({ outcome }) => outcome.kind),
        ['changing'],
      );
    });
  }

  it('tells how far it has come in files and bytes, at most five times a second, and at the end', async () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < 400; i += 1) files[`${i}.bin`] = 'x'.repeat(1_000);
    await landed.land(files);
    let now = 1_000;
    await check({ now: () => (now += 1), after: systemClock.after });
    assert.ok(told.length >= 2 && told.length <= 8, `told ${told.length} times`);
    assert.deepEqual(told.at(-1), {
      fileCount: 400,
      checkedFileCount: 400,
      sizeBytes: 400_000,
      readBytes: 400_000,
    });
    assert.ok(told.every(({ readBytes }, index) => readBytes >= (told[index - 1]?.readBytes ?? 0)));
  });

  it('counts a file for no more than its stated size, and for all of it when it was not read', async () => {
    await landed.land({ 'a.bin': 'x'.repeat(1_000), 'b.bin': 'y'.repeat(1_000) });
    await rm(join(landed.folder, 'a.bin'));
    await check();
    assert.deepEqual([told.at(-1)?.sizeBytes, told.at(-1)?.readBytes], [2_000, 2_000]);
  });

  it('ends at once when it is cancelled, before and in the middle', async () => {
    await landed.land({ 'a.bin': 'x'.repeat(30_000_000) });
    const reason = new Error('left');
    await assert.rejects(check(systemClock, AbortSignal.abort(reason)), reason);
    const leaving = new AbortController();
    const clock = clockThat(() => leaving.abort(reason));
    await assert.rejects(check(clock, leaving.signal), reason);
    assert.ok((told.at(-1)?.readBytes ?? 0) < 3_000_000, 'it has read no more than a few pieces');
  });

  it('tells a bounded number of extra files', async () => {
    await landed.describe({ resources: [] });
    const files: Record<string, string> = {};
    for (let i = 0; i < 10_001; i += 1) files[`${i}.txt`] = '';
    await landed.write(files);
    const { extra } = await check();
    assert.deepEqual([extra.paths.length, extra.isCut], [10_000, true]);
  });
});
