import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../../src/core/util/clock.ts';
import type { LeftOutName, ScannedFile } from '../../../src/service/catalog/catalogFile.ts';
import { CatalogStore } from '../../../src/service/catalog/catalogStore.ts';
import { StoreCatalog } from '../../../src/service/stores/storeCatalog.ts';
import { readStoreFeatures } from '../../../src/service/stores/storeFeatures.ts';
import { listStore } from '../../../src/service/stores/storeListing.ts';
import type { StoreListingState } from '../../../src/service/wire/apiSchemas.ts';
import { debianServerKinds } from '../../support/debianServers.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { OddBucket } from '../../support/oddBucket.ts';
import { describeWithEachRclone } from '../../support/rclones.ts';
import { mustFindRclone, StoreServers } from '../../support/storeServers.ts';

interface Listed {
  readonly files: readonly ScannedFile[];
  readonly leftOut: readonly LeftOutName[];
}

async function withConfig<T>(file: string, work: () => Promise<T>): Promise<T> {
  const config = process.env['RCLONE_CONFIG'];
  process.env['RCLONE_CONFIG'] = file;
  try {
    return await work();
  } finally {
    if (config === undefined) delete process.env['RCLONE_CONFIG'];
    else process.env['RCLONE_CONFIG'] = config;
  }
}

async function list(remote: string, configFile: string): Promise<Listed> {
  const catalog = new CatalogStore(':memory:');
  return await withConfig(configFile, async () => {
    const program = mustFindRclone();
    const { signal } = new AbortController();
    const features = await readStoreFeatures(program, remote, signal);
    const listed: { files: ScannedFile[]; leftOut: LeftOutName[] } = { files: [], leftOut: [] };
    const store = {
      program,
      remote,
      features,
      staged: catalog.startListing(),
      onNote: (note: string) => assert.fail(note),
    };
    for await (const { files, leftOut } of listStore(store, '', signal)) {
      listed.files.push(...files);
      listed.leftOut.push(...leftOut);
    }
    return listed;
  }).finally(() => catalog.close());
}

/** Scans a store and returns the state of its listing. */
async function scan({ configFile, root }: StoreServers, remote: string): Promise<StoreListingState> {
  const settings = { name: 'Lab', remote, rclone: undefined, rescanMs: 60_000, hasRestore: false };
  const file = nodePath.join(root, `${randomUUID()}.db`);
  const catalog = new StoreCatalog({ ...settings, file }, { clock: systemClock, logger: new MemoryLog() });
  return await withConfig(configFile, async () => {
    await catalog.rescan();
    const listing = catalog.getListing();
    await catalog.close();
    return listing;
  });
}

describeWithEachRclone('The listing of a store (D62)', () => {
  let root: string;

  beforeEach(async () => (root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-entries-'))));
  afterEach(async () => await fs.rm(root, { recursive: true }));

  it('leaves out the objects that rclone lists under a name by which it cannot read them', async () => {
    const keys = ['run/./a.txt', 'run/../b.txt', '..', 'c/.', 'd//e', '/f', 'quote\u201Bd'];
    const readable = ['end.', 'end ', ' lead', 'wide\uFF0Edot', '\uFF0E\uFF0E\uFF0E', 'tab\tname'];
    const bucket = await OddBucket.start(Object.fromEntries([...keys, ...readable].map((key) => [key, key])));
    try {
      const config = nodePath.join(root, 'rclone.conf');
      await fs.writeFile(config, bucket.section);
      const { files, leftOut } = await list(bucket.remote, config);
      const expected = readable.map((key) => key.replace('\t', '\u2409'));
      assert.deepEqual(files.map(({ path }) => path).toSorted(), expected.toSorted());
      assert.deepEqual(
        leftOut.map(({ kind }) => kind),
        keys.map(() => 'invalidNames'),
      );
    } finally {
      bucket.stop();
    }
  });

  for (const kind of debianServerKinds.filter((one) => one === 'openssh'))
    describe('on an SFTP server', () => {
      let servers: StoreServers;
      const write = async (path: string, content: string): Promise<string> => {
        await servers.write(kind, { [path]: content });
        return nodePath.join(servers.folder(kind), path);
      };

      beforeEach(async () => (servers = await StoreServers.start([kind])));
      afterEach(async () => await servers.stop());

      it('has no times that the server reports for others, also behind a remote that wraps it', async () => {
        for (const [name, time] of Object.entries(farTimes))
          await fs.utimes(await write(`${name}.txt`, 'x'), '0', String(time));
        await fs.appendFile(servers.configFile, `[wrapper]\ntype = chunker\nremote = ${servers.remote(kind)}\n`);
        for (const remote of [servers.remote(kind), 'wrapper:']) {
          const { files } = await list(remote, servers.configFile);
          const times = Object.fromEntries(files.map(({ path, modifiedMs }) => [path, modifiedMs]));
          const unknown = Number.NEGATIVE_INFINITY;
          const expected = { '1960.txt': unknown, '2021.txt': farTimes['2021'] * 1_000, '2200.txt': unknown };
          assert.deepEqual(times, expected, remote);
        }
      });

      it('has no hashes if the server would have to compute them, also behind remotes that wrap it', async () => {
        await write('a.txt', 'content');
        const [program, log] = [nodePath.join(root, 'md5'), nodePath.join(root, 'log')];
        await fs.writeFile(program, `#!/bin/sh\necho >> '${log}'\nexec md5sum "$@"\n`, { mode: 0o755 });
        const place = `${kind},md5sum_command=${program},sha1sum_command=none:${servers.folder(kind)}`;
        const sections = Object.entries({
          chunker: `remote = ${place}`,
          hasher: `remote = ${place}`,
          compress: `remote = ${place}`,
          combine: `upstreams = a=${place}`,
          alias: 'remote = combine:a',
          union: `upstreams = chunker: ${place}`,
        });
        const text = sections.map(([type, setting]) => `[${type}]\ntype = ${type}\n${setting}\n`).join('\n');
        await fs.appendFile(servers.configFile, text);
        for (const [type] of sections) {
          const { files } = await list(`${type}:`, servers.configFile);
          if (type !== 'compress') assert.equal(files.length, 1, type);
          assert.ok(
            files.every(({ metadata }) => metadata === undefined),
            type,
          );
        }
        await assert.rejects(fs.access(log));
      });

      it('ends in spite of links to folders that contain them, and leaves out these links', async () => {
        const share = nodePath.dirname(await write('[1] {a}/real.txt', 'x'));
        await fs.symlink('real.txt', nodePath.join(share, 'link.txt'));
        await fs.symlink('.', nodePath.join(share, 'current*'));
        const one = await scan(servers, servers.remote(kind));
        assert.deepEqual([one.files, one.leftOut], [2, { folderLinks: 1 }], one.problem);
        for (const name of ['x', 'y', 'z']) await fs.symlink('..', nodePath.join(share, name));
        const many = await scan(servers, servers.remote(kind));
        assert.deepEqual([many.files, many.state], [1, 'listed'], many.problem);
        assert.ok((many.leftOut?.folderLinks ?? 0) > 1);
      });

      it('ends in spite of such links in a folder without files', async () => {
        for (const name of ['a', 'b']) await fs.symlink('.', nodePath.join(servers.folder(kind), name));
        const { state, files, leftOut } = await scan(servers, servers.remote(kind));
        assert.deepEqual([state, files], ['listed', 0]);
        // The order of the listing decides whether a link through the other one is found first.
        assert.ok((leftOut?.folderLinks ?? 0) > 1);
      });
    });
});

/** Times in seconds since 1970, of which SFTP can express the second one. */
const farTimes = { '1960': -299_000_000, '2021': 1_625_735_411, '2200': 7_275_000_000 };
