import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../support/eventually.ts';
import { ServiceRig } from '../../support/serviceRig.ts';
import { bySize } from '../../support/testSize.ts';

interface ProgramFolder {
  readonly folder: string;
  /** The Debian packages that the case needs, or the npm packages that it installs. */
  readonly packages: string;
  readonly leftOut: object;
  /** Writes the folder into the folder `written`. */
  readonly write: () => Promise<unknown>;
  /** Opens the copy; the working folder is that of the transfer. */
  readonly open: () => Promise<unknown>;
}

/** The folder that contains the one that a program writes: a temporary one, then the served one. */
let written = '';
let received = '';
/** The working folder of programs in JavaScript, with their packages. */
let tools = '';

/** Runs a program without blocking the service, which is in this process. */
async function run(cwd: string, program: string, ...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, args, { cwd })).stdout.trim();
}

const python = (cwd: string, ...lines: readonly string[]): Promise<string> =>
  run(cwd, '/usr/bin/python3', '-c', lines.join('\n'));

const javaScript = (code: string, folder: string): Promise<string> =>
  run(tools, process.execPath, '--input-type=module', '-e', code, folder);

const install = (packages: string): Promise<string> =>
  run(tools, 'npm', 'install', '--silent', '--prefix', tools, ...packages.split(' '));

const git = (...args: readonly string[]): Promise<string> =>
  run(`${written}/study`, 'git', '-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args);

const zarrita = 'zarrita@0.7.5 @zarrita/storage@0.2.0';

/** Writes a group with an array of four chunks. */
const writeZarr3 = `
  import { FileSystemStore } from '@zarrita/storage';
  import * as zarr from 'zarrita';
  const root = zarr.root(new FileSystemStore(process.argv[1]));
  await zarr.create(root, { attributes: { unit: 'K' } });
  const codecs = [{ name: 'bytes', configuration: { endian: 'little' } }];
  const options = { shape: [4, 4], chunkShape: [2, 2], dtype: 'int32', codecs, fillValue: 0 };
  const array = await zarr.create(root.resolve('temp'), options);
  const data = Int32Array.from({ length: 16 }, (_, index) => index + 1);
  await zarr.set(array, null, { data, shape: [4, 4], stride: [4, 1] });
`;

const readZarr3 = `
  import assert from 'node:assert/strict';
  import { FileSystemStore } from '@zarrita/storage';
  import * as zarr from 'zarrita';
  const group = await zarr.open(zarr.root(new FileSystemStore(process.argv[1])), { kind: 'group' });
  const { data } = await zarr.get(await zarr.open(group.resolve('temp'), { kind: 'array' }));
  assert.deepEqual([group.attrs.unit, ...data], ['K', ...Array.from({ length: 16 }, (_, index) => index + 1)]);
`;

const huggingFace = '@huggingface/hub@2.17.5';

/** Downloads a repository of two files into a cache, from a server that is a function. */
const fillCache = `
  import { snapshotDownload } from '@huggingface/hub';
  const files = ['config.json', 'weights/part.bin'].map((path, index) => {
    return { type: 'file', path, size: 4, oid: String(index).repeat(40) };
  });
  const responses = {
    revision: () => Response.json({ sha: 'c'.repeat(40) }),
    tree: () => Response.json([{ type: 'directory', path: 'weights' }, ...files]),
    'paths-info': (_, { body }) => Response.json(files.filter(({ path }) => body.includes(path))),
    resolve: (path) => new Response(path.slice(-4), { headers: { etag: 'e', 'content-range': 'bytes 0-3/4' } }),
  };
  const fetch = async (url, options) => {
    const { pathname } = new URL(url);
    return responses[Object.keys(responses).find((part) => pathname.includes('/' + part + '/'))](pathname, options);
  };
  await snapshotDownload({ repo: 'lab/tiny', cacheDir: process.argv[1], fetch });
`;

/** Reads the same repository from a cache, without a server. */
const readCache = `
  import assert from 'node:assert/strict';
  import { readFileSync } from 'node:fs';
  import { downloadFileToCacheDir, scanCacheDir } from '@huggingface/hub';
  const cache = { repo: 'lab/tiny', revision: 'c'.repeat(40), cacheDir: process.argv[1], fetch: assert.fail };
  const { repos, warnings } = await scanCacheDir(cache.cacheDir);
  assert.deepEqual([repos[0].id.name, repos[0].revisions[0].refs, warnings], [cache.repo, ['main'], []]);
  for (const path of ['config.json', 'weights/part.bin'])
    assert.equal(readFileSync(await downloadFileToCacheDir({ ...cache, path }), 'utf8'), path.slice(-4));
`;

const cases: Readonly<Record<string, ProgramFolder>> = {
  'a Zarr 2 store': {
    folder: 'exp.zarr',
    packages: 'python3-zarr',
    leftOut: {},
    write: () =>
      python(
        written,
        'import zarr, numpy',
        'group = zarr.open_group("exp.zarr", "w", zarr_format=2) if zarr.__version__ > "3" else zarr.open_group("exp.zarr", "w")',
        'array = group.create_dataset("temp", shape=(100, 100), chunks=(10, 10), dtype="i8")',
        'array[:] = numpy.arange(10000).reshape(100, 100)',
        'group.attrs["unit"] = "K"',
        'zarr.consolidate_metadata("exp.zarr")',
      ),
    open: () =>
      python(
        received,
        'import zarr, numpy',
        'group = zarr.open_consolidated("exp.zarr")',
        'assert group.attrs["unit"] == "K"',
        'assert (group["temp"][:] == numpy.arange(10000).reshape(100, 100)).all()',
        'assert (zarr.open_group("exp.zarr", "r")["temp"][:] == group["temp"][:]).all()',
      ),
  },
  'a Zarr 3 store': {
    folder: 'exp.zarr',
    packages: zarrita,
    leftOut: {},
    write: async () => {
      await install(zarrita);
      await javaScript(writeZarr3, `${written}/exp.zarr`);
    },
    open: () => javaScript(readZarr3, `${received}/exp.zarr`),
  },
  'HDF5 files that link to each other': {
    folder: 'run.d',
    packages: 'python3-h5py',
    leftOut: {},
    write: () =>
      python(
        written,
        'import h5py, os',
        'os.makedirs("run.d/parts")',
        'with h5py.File("run.d/parts/a.h5", "w") as part: part["values"] = [1, 2, 3]',
        'with h5py.File("run.d/run.h5", "w") as whole: whole["a"] = h5py.ExternalLink("parts/a.h5", "/values")',
      ),
    open: () => python(received, 'import h5py', 'assert list(h5py.File("run.d/run.h5")["a"][:]) == [1, 2, 3]'),
  },
  'a git-annex repository with a file whose content is elsewhere': {
    folder: 'study',
    packages: 'git-annex',
    leftOut: { hidden: 1, missingContent: 1 },
    write: async () => {
      await run(
        written,
        'sh',
        '-c',
        'mkdir -p study/sub-01 && echo one > study/sub-01/a.nii && echo two > study/b.nii',
      );
      await git('init', '-q');
      await git('annex', 'init', '-q');
      await git('annex', 'add', '-q', '.');
      await git('commit', '-q', '-m', 'data');
      await git('annex', 'drop', '-q', '--force', 'b.nii');
    },
    open: async () => {
      const key = await git('annex', 'lookupkey', 'sub-01/a.nii');
      assert.equal(await git('annex', 'calckey', `${received}/study/sub-01/a.nii`), key);
    },
  },
  'a Hugging Face cache, whose snapshots are links to blobs': {
    folder: 'hub',
    packages: huggingFace,
    leftOut: {},
    write: async () => {
      await install(huggingFace);
      await javaScript(fillCache, `${written}/hub`);
    },
    open: () => javaScript(readCache, `${received}/hub`),
  },
  'a .d folder of an instrument, with a database whose last changes are in its log': {
    folder: 'run.d',
    packages: 'sqlite3',
    leftOut: {},
    write: () =>
      python(
        written,
        'import os, sqlite3',
        'os.mkdir("run.d")',
        'open("run.d/analysis.tdf_bin", "wb").write(b"....AAAABBBB")',
        'database = sqlite3.connect("run.d/analysis.tdf", isolation_level=None)',
        'database.execute("PRAGMA journal_mode = WAL")',
        'database.execute("CREATE TABLE Frames (Id INTEGER PRIMARY KEY, TimsId INTEGER)")',
        'database.execute("INSERT INTO Frames VALUES (1, 4), (2, 8)")',
        // Leaves the log as an instrument's program does that is still open.
        'os._exit(0)',
      ),
    open: async () => {
      const query = "SELECT CAST(substr(readfile('analysis.tdf_bin'), TimsId + 1, 4) AS TEXT) FROM Frames ORDER BY Id";
      assert.equal(await run(`${received}/run.d`, 'sqlite3', 'analysis.tdf', query), 'AAAA\nBBBB');
    },
  },
};

describe('Folders that other programs write and open', () => {
  let rig: ServiceRig;

  beforeEach(async () => {
    rig = await ServiceRig.start({});
    tools = rig.root;
  });
  afterEach(() => rig.stop());

  const search = async (folder: string): Promise<{ resources: { id: string }[]; leftOut: object }> => {
    const request = { database: 'Source Data', orcid: 'me', query: '', specific: { folder } };
    return (await rig.call('POST', '/api/v1/files', request)).body as Awaited<ReturnType<typeof search>>;
  };

  for (const [what, { folder, packages, leftOut, write, open }] of bySize([], Object.entries(cases))) {
    it(`are moved as a whole: ${what} (needs ${packages})`, async () => {
      written = await fs.mkdtemp(nodePath.join(rig.root, 'written-'));
      await write();
      // A search never finds a part of the folder.
      await fs.rename(nodePath.join(written, folder), nodePath.join(rig.source, folder));
      written = rig.source;
      await rig.call('POST', '/databases/source-data/scans');
      await eventually(async () => ((await search(folder)).resources.length > 0 ? true : undefined));
      const found = await search(folder);
      assert.deepEqual(found.leftOut, leftOut);
      const id = await rig.mustSubmit(found.resources.map((file) => file.id));
      assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
      received = nodePath.join(rig.target, `dts-${id}`);
      await open();
    });
  }

  it('keep the names of their files', async () => {
    await rig.write({ 'a.d/analysis.tdf': 'x', 'a.d/.zgroup': '{}', 'a.d/.bidsignore': '' });
    await eventually(async () => ((await search('a.d')).resources.length === 3 ? true : undefined));
    const id = await rig.mustSubmit((await search('a.d')).resources.map((file) => file.id));
    assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
    const names = await fs.readdir(nodePath.join(rig.target, `dts-${id}`, 'a.d'));
    assert.deepEqual(names.sort(), ['.bidsignore', '.zgroup', 'analysis.tdf']);
  });
});
