import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import syncFs from 'node:fs';
import * as fs from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import { moveFiles } from '../../../src/service/transfers/moveFiles.ts';
import { createJobSignal, type JobResult } from '../../../src/service/transfers/fileJobs.ts';
import { eventually } from '../../support/eventually.ts';
import { isFileName } from '../../../src/service/transfers/destinationFiles.ts';

const content = 'content';
const transferId = '2c1d5e0a-0000-4000-8000-000000000001';
const longName = `${'x'.repeat(200)}.bin`;

describe('Objects with hostile names (D62)', () => {
  let root: string;
  let target: string;
  let staging: string;
  let server: Server;
  let requested: string[] = [];
  let respond: (response: ServerResponse, rest: string) => void;

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-carry-'));
    target = nodePath.join(root, 'target');
    await fs.mkdir(target);
    staging = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-staging-'));
    requested = [];
    respond = (response, rest) => response.end(rest);
    server = createServer((request, response) => {
      if (request.url === '/operations/stat') {
        response.end('{}');
        return;
      }
      requested.push(request.url ?? '');
      const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      respond(response.writeHead(from > 0 ? 206 : 200), content.slice(from));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await fs.rm(root, { recursive: true });
    await fs.rm(staging, { recursive: true });
  });

  async function carry(paths: readonly string[]): Promise<JobResult> {
    const sha1 = createHash('sha1').update(content).digest('hex');
    const declared = { algorithm: 'sha1', hex: sha1 };
    const file = { bytes: content.length, sha256: '', declared, isPresent: false };
    return await moveFiles({
      transferId,
      attempt: 'a1b2c3d4',
      source: { location: { remote: 'lab:' }, hash: undefined },
      destination: { location: { folder: target }, hash: undefined },
      rclone: {
        port: (server.address() as AddressInfo).port,
        authorization: 'Basic eDp5',
        stagingFolder: staging,
        program: '',
      },
      files: paths.map((path, position) => ({ ...file, path, position })),
      isFlushed: false,
      signal: createJobSignal(),
    });
  }

  async function listAll(): Promise<string[]> {
    const entries = await fs.readdir(root, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map((file) => nodePath.relative(target, nodePath.join(file.parentPath, file.name))).sort();
  }

  for (const path of ['../x', 'a/../../x', '/x', 'a//x', './x', 'a/./x', '..']) {
    it(`are never written outside the folder of the transfer: ${path}`, async () => {
      const { done, failure } = await carry([path]);
      assert.deepEqual([done.length, typeof failure?.text], [0, 'string'], JSON.stringify(failure));
      assert.deepEqual(await listAll(), []);
    });
  }

  for (const path of ['x\\..\\..\\evil.bat', 'a\\..\\../x', 'report.pdf:x.exe', 'nul/x']) {
    it(`are never written on Windows: ${path}`, async () => {
      const { platform } = process;
      Object.defineProperty(process, 'platform', { value: 'win32' });
      try {
        const { done, failure } = await carry([path]);
        assert.deepEqual([done.length, failure?.text], [0, 'Windows does not allow its name']);
      } finally {
        Object.defineProperty(process, 'platform', { value: platform });
      }
      assert.deepEqual(await listAll(), []);
    });
  }

  it('become files of that name if the system permits it', async () => {
    const names = [
      'con',
      'aux.txt',
      'A.txt',
      'a.txt',
      'new\nline',
      'back\\slash',
      '~',
      '$(touch x)',
      '%2e%2e',
      longName,
      '-rf',
    ];
    const paths = names.filter((name) => isFileName(name));
    const { done, failure } = await carry(paths);
    assert.deepEqual([done.length, failure], [paths.length, undefined]);
    assert.deepEqual(await listAll(), paths.map((path) => `dts-${transferId}/${path}`).sort());
  });

  it('fail with the reason that a part of their name is empty', async () => {
    assert.equal((await carry(['a//x'])).failure?.text, 'its path has an empty or "." segment');
  });

  it('leave no connection to rclone behind', async () => {
    const closed: Promise<unknown>[] = [];
    server.keepAliveTimeout = 600_000;
    server.on('connection', (socket) => closed.push(once(socket, 'close')));
    await carry(['a', 'b']);
    assert.ok((await Promise.all(closed)).length > 0);
  });

  it('fail if they are longer than the file system permits', async () => {
    const { failure } = await carry([Array.from({ length: 5 }, () => 'y'.repeat(300)).join('/')]);
    assert.equal(failure?.code, 'ENAMETOOLONG');
  });

  it('are not written through a link in place of a folder or a partial file', async () => {
    const outside = nodePath.join(root, 'outside');
    await fs.mkdir(outside);
    await fs.mkdir(nodePath.join(target, `dts-${transferId}`));
    await fs.symlink(outside, nodePath.join(target, `dts-${transferId}`, 'link'));
    assert.match(
      (await carry(['link/x'])).failure?.text ?? '',
      /its path in the destination leads to a different folder/,
    );
    await fs.symlink(nodePath.join(outside, 'x'), nodePath.join(target, `dts-${transferId}`, `p.part-${transferId}`));
    assert.equal((await carry(['p'])).failure?.code, 'ELOOP');
    assert.deepEqual(await fs.readdir(outside), []);
  });

  for (const isCounted of [true, false])
    it(`keep a published file whole if a process was killed before it removed the unfinished copy${isCounted ? '' : ', also where links are not counted, as by sshfs'} (D24)`, async () => {
      const folder = nodePath.join(target, `dts-${transferId}`);
      const older = 'an older content, longer than that of the object';
      await fs.mkdir(folder);
      const part = nodePath.join(folder, `a.0a0b0c0d.part-${transferId}`);
      await fs.writeFile(part, older);
      await fs.link(part, nodePath.join(folder, 'a'));
      if (!isCounted) hideLinkCounts();
      const { done, failure } = await carry(['a']);
      mock.restoreAll();
      syncBuiltinESMExports();
      assert.deepEqual([done.length, failure?.text], [0, 'a different file already exists']);
      assert.equal(await fs.readFile(nodePath.join(folder, 'a'), 'utf8'), older);
      assert.deepEqual(await listAll(), [`dts-${transferId}/a`]);
    });

  /** Reports one link for each file, as sshfs does because its protocol has no number of links. */
  function hideLinkCounts(): void {
    for (const name of ['lstatSync', 'fstatSync'] as const) {
      const inspect = syncFs[name] as (...call: never[]) => syncFs.Stats | syncFs.BigIntStats | undefined;
      mock.method(syncFs, name, (...call: never[]) => {
        const stats = inspect(...call);
        return stats && Object.assign(stats, { nlink: typeof stats.nlink === 'bigint' ? 1n : 1 });
      });
    }
    syncBuiltinESMExports();
  }

  it('are transferred by one of two processes whose unfinished copy the other takes over (D24)', async () => {
    const folder = nodePath.join(target, `dts-${transferId}`);
    const releases: (() => void)[] = [];
    respond = (response, rest) => {
      const isFirst = releases.length === 0;
      if (isFirst) response.write(rest.slice(0, 3));
      releases.push(() => response.end(isFirst ? rest.slice(3) : rest));
    };
    const first = carry(['a']);
    await eventually(async () => {
      const [part] = await fs.readdir(folder).catch(() => []);
      return part !== undefined && (await fs.stat(nodePath.join(folder, part))).size === 3 ? true : undefined;
    });
    const second = carry(['a']);
    await eventually(async () => await Promise.resolve(releases.length === 2 ? true : undefined));
    releases[0]?.();
    assert.equal((await first).failure?.text, 'another program replaced its unfinished copy');
    releases[1]?.();
    assert.deepEqual([(await second).done.length, (await second).failure], [1, undefined]);
    assert.equal(await fs.readFile(nodePath.join(folder, 'a'), 'utf8'), content);
    assert.deepEqual(await listAll(), [`dts-${transferId}/a`]);
  });

  it('continue the partial file of an earlier attempt, and are verified as a whole', async () => {
    const folder = nodePath.join(target, `dts-${transferId}`);
    await fs.mkdir(folder);
    await fs.writeFile(nodePath.join(folder, `a.part-${transferId}`), content.slice(0, 3));
    const { done } = await carry(['a']);
    assert.deepEqual([done[0]?.verifiedBy, requested], ['sha1', ['/%5Blab%3A%5D/a']]);
    await fs.writeFile(nodePath.join(folder, `b.part-${transferId}`), 'xxx');
    assert.equal((await carry(['b'])).failure, undefined);
    assert.deepEqual(await listAll(), [`dts-${transferId}/a`, `dts-${transferId}/b`]);
    assert.equal(await fs.readFile(nodePath.join(folder, 'b'), 'utf8'), content);
  });

  it('do not replace a different file, and are skipped if an equal one exists', async () => {
    const folder = nodePath.join(target, `dts-${transferId}`);
    await fs.mkdir(folder);
    await fs.writeFile(nodePath.join(folder, 'same'), content);
    await fs.writeFile(nodePath.join(folder, 'other'), 'foreign');
    assert.equal((await carry(['same'])).done.length, 1);
    assert.equal((await carry(['other'])).failure?.text, 'a different file already exists');
    assert.equal(await fs.readFile(nodePath.join(folder, 'other'), 'utf8'), 'foreign');
    assert.deepEqual(await listAll(), [`dts-${transferId}/other`, `dts-${transferId}/same`]);
  });

  it('leave no timer behind if a job fails unexpectedly', async () => {
    const countTimers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    await carry([]);
    const before = countTimers();
    const { failure } = await carry([undefined as unknown as string]);
    assert.match(failure?.text ?? '', /of undefined/);
    assert.equal(countTimers(), before);
  });
});
