import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { ServiceRig } from '../../support/serviceRig.ts';
import { bySize } from '../../support/testSize.ts';

interface ProgramFolder {
  readonly folder: string;
  /** The Debian packages, or the npm package that is installed for the test. */
  readonly packages: string;
  readonly leftOut: object;
  /** Writes the folder; the working folder is the served one. */
  readonly write: () => void;
  /** Opens the copy; the working folder is that of the transfer. */
  readonly open: () => void;
}

let served = '';
let received = '';
/** The working folder of programs in JavaScript, with their packages. */
let tools = '';

function run(cwd: string, program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

const python = (cwd: string, ...lines: readonly string[]): string =>
  run(cwd, '/usr/bin/python3', '-c', lines.join('\n'));

const javaScript = (code: string, cacheFolder: string): string =>
  run(tools, process.execPath, '--input-type=module', '-e', code, cacheFolder);

const git = (...args: readonly string[]): string =>
  run(`${served}/study`, 'git', '-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args);

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
        served,
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
  'HDF5 files that link to each other': {
    folder: 'run.d',
    packages: 'python3-h5py',
    leftOut: {},
    write: () =>
      python(
        served,
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
    write: () => {
      run(served, 'sh', '-c', 'mkdir -p study/sub-01 && echo one > study/sub-01/a.nii && echo two > study/b.nii');
      git('init', '-q');
      git('annex', 'init', '-q');
      git('annex', 'add', '-q', '.');
      git('commit', '-q', '-m', 'data');
      git('annex', 'drop', '-q', '--force', 'b.nii');
    },
    open: () => {
      const key = git('annex', 'lookupkey', 'sub-01/a.nii');
      assert.equal(git('annex', 'calckey', `${received}/study/sub-01/a.nii`), key);
    },
  },
  'a Hugging Face cache, whose snapshots are links to blobs': {
    folder: 'hub',
    packages: huggingFace,
    leftOut: {},
    write: () => {
      run(tools, 'npm', 'install', '--silent', '--prefix', tools, huggingFace);
      javaScript(fillCache, `${served}/hub`);
    },
    open: () => javaScript(readCache, `${received}/hub`),
  },
  'a .d folder of an instrument, with a database whose last changes are in its log': {
    folder: 'run.d',
    packages: 'sqlite3',
    leftOut: {},
    write: () =>
      python(
        served,
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
    open: () => {
      const query = "SELECT CAST(substr(readfile('analysis.tdf_bin'), TimsId + 1, 4) AS TEXT) FROM Frames ORDER BY Id";
      assert.equal(run(`${received}/run.d`, 'sqlite3', 'analysis.tdf', query), 'AAAA\nBBBB');
    },
  },
};

describe('Folders that other programs write and open', () => {
  let rig: ServiceRig;

  beforeEach(async () => {
    rig = await ServiceRig.start({});
    served = rig.source;
    tools = rig.root;
  });
  afterEach(() => rig.stop());

  const search = async (folder: string): Promise<{ resources: { id: string }[]; leftOut: object }> => {
    const request = { database: 'Source Data', orcid: 'me', query: '', specific: { folder } };
    return (await rig.call('POST', '/api/v1/files', request)).body as Awaited<ReturnType<typeof search>>;
  };

  for (const [what, { folder, packages, leftOut, write, open }] of bySize([], Object.entries(cases))) {
    it(`are moved as a whole: ${what} (needs ${packages})`, async () => {
      write();
      await rig.call('POST', '/databases/source-data/scans');
      await eventually(async () => ((await search(folder)).resources.length > 0 ? true : undefined));
      const found = await search(folder);
      assert.deepEqual(found.leftOut, leftOut);
      const id = await rig.mustSubmit(found.resources.map((file) => file.id));
      assert.equal((await rig.waitForStatus(id, 'succeeded', 'failed')).status, 'succeeded');
      received = nodePath.join(rig.target, `dts-${id}`);
      open();
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
