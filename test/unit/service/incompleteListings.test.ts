import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock } from '../../../src/core/util/clock.ts';
import { CatalogStore } from '../../../src/service/catalog/catalogStore.ts';
import { StoreCatalog } from '../../../src/service/stores/storeCatalog.ts';
import { parseStoreFeatures } from '../../../src/service/stores/storeFeatures.ts';
import { listStore } from '../../../src/service/stores/storeListing.ts';
import { eventually } from '../../support/eventually.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

/** One run of rclone's listing: the paths that it prints, its log, and its exit code. */
interface Listing {
  readonly paths: readonly string[];
  readonly log?: readonly string[];
  readonly code?: number;
}

function logFolder(object: string, cause: string): string {
  return JSON.stringify({ level: 'error', msg: `error listing: ${cause}`, object, objectType: 'string' });
}

const missing = 'directory not found';
const forbidden = "couldn't list files: 403 Forbidden";
const cutOff = "couldn't list files: unexpected EOF";
const lost = 'the connection was lost';

/** Returns a listing that fails for some folders. rclone 1.60.1 logs the end as text even if it is to log JSON. */
function fail(paths: readonly string[], folders: readonly (readonly [string, string])[], isText = false): Listing {
  const last = folders.at(-1)?.[1] ?? '';
  const msg = `Failed to lsjson with ${folders.length + 1} errors: last error was: error in ListJSON: ${last}`;
  const log = [
    '2026/11/30 00:21:37 DEBUG : Setting --config "/quota/rclone.conf" from environment variable RCLONE_CONFIG',
    ...folders.map(([path, cause]) => logFolder(path, cause)),
    isText ? `2026/11/30 00:21:37 ${msg}` : JSON.stringify({ level: 'notice', msg }),
  ];
  return { paths, log, code: last === missing ? 3 : 1 };
}

describe("A listing of a store that isn't complete (D62)", () => {
  let folder: string;
  let catalog: StoreCatalog;
  let logger: MemoryLog;
  const known = ['a.txt', 'kept/b.txt', 'runs/tmp/c.txt'];

  /** Sets what rclone lists, and what it lists each time it is to list some folders again. */
  async function list(first: Listing, ...again: readonly Listing[]): Promise<void> {
    await writeAnswer('first', first);
    for (const [index, listing] of again.entries()) await writeAnswer(`again${index + 1}`, listing);
    await fs.writeFile(nodePath.join(folder, 'calls'), '');
  }

  async function writeAnswer(name: string, { paths, log = [], code = 0 }: Listing): Promise<void> {
    const objects = paths.map((path) => JSON.stringify({ Path: path, Size: 1 }));
    await fs.writeFile(nodePath.join(folder, name), `[\n${objects.join(',\n')}\n]\n`);
    await fs.writeFile(nodePath.join(folder, `${name}.log`), log.map((line) => `${line}\n`).join(''));
    await fs.writeFile(nodePath.join(folder, `${name}.code`), String(code));
  }

  async function openCatalog(): Promise<void> {
    await (catalog as StoreCatalog | undefined)?.close();
    const config = {
      name: 'Lab',
      remote: 'lab:',
      rclone: nodePath.join(folder, 'rclone'),
      file: nodePath.join(folder, 'a.db'),
    };
    catalog = new StoreCatalog({ ...config, rescanMs: 60_000, hasRestore: false }, { clock: systemClock, logger });
  }

  /** Scans the store and returns the paths of the files in the catalog, its state and what it left out. */
  async function scan(first: Listing, ...again: readonly Listing[]): Promise<unknown> {
    await list(first, ...again);
    await catalog.rescan();
    return await describeCatalog();
  }

  async function scanFolder(under: string, listing: Listing): Promise<unknown> {
    await list(listing);
    catalog.resumeTracking(under);
    await eventually(() => Promise.resolve(catalog.getListing().state !== 'scanning' || undefined));
    return await describeCatalog();
  }

  async function describeCatalog(): Promise<unknown> {
    const { state, problem, leftOut = {} } = catalog.getListing();
    const files = await catalog.filesByIds([...known, 'runs/tmp [2]/{d}.txt']);
    return [files.flatMap((file) => file?.path ?? []), problem ?? state, leftOut];
  }

  /** Sets the description of the store. */
  async function describe(features: object): Promise<void> {
    await writeAnswer('features', { paths: [] });
    await fs.writeFile(nodePath.join(folder, 'features'), JSON.stringify({ Features: {}, ...features }));
  }

  async function getCalls(): Promise<readonly string[]> {
    return (await fs.readFile(nodePath.join(folder, 'calls'), 'utf8')).split('\n').slice(0, -1);
  }

  async function getLastCall(): Promise<string> {
    return (await getCalls()).at(-1) ?? '';
  }

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-incomplete-'));
    logger = new MemoryLog();
    const rclone = nodePath.join(folder, 'rclone');
    const program = `#!/bin/sh
case "$1" in
  version) echo 'rclone v1.75.2' ;;
  backend) cat '${folder}/features'; cat '${folder}/features.log' >&2; exit $(cat '${folder}/features.code') ;;
  lsjson)
    echo "$*" >> '${folder}/calls'
    name=again$(($(wc -l < '${folder}/calls') - 1))
    [ $name = again0 ] && name=first
    case "$*" in *lab:dts-*) name=absent ;; esac
    cat '${folder}/'$name; cat '${folder}/'$name.log >&2; exit $(cat '${folder}/'$name.code) ;;
esac
`;
    await fs.writeFile(rclone, program, { mode: 0o755 });
    await describe({});
    await openCatalog();
    await list({ paths: known });
    await catalog.rescan();
  });

  afterEach(async () => {
    await catalog.close();
    await fs.rm(folder, { recursive: true });
  });

  for (const isText of [true, false])
    it(`lacks only subfolders that vanished, with a log that ends with ${isText ? 'text' : 'JSON'}`, async () => {
      const found = await scan(fail(['a.txt', 'kept/b.txt'], [['runs/tmp', missing]], isText), { paths: [] });
      assert.deepEqual(found, [['a.txt', 'kept/b.txt'], 'listed', {}]);
    });

  it("lacks only subfolders that can't be read, which are counted and named, whatever their names", async () => {
    const denied = 'error listing "runs/certificate": permission denied';
    const folders = [['kept', forbidden] as const, ['runs/certificate', denied] as const];
    assert.deepEqual(await scan(fail(['a.txt'], folders)), [['a.txt'], 'listed', { unreadable: 2 }]);
    assert.ok(logger.lines.includes('warn Lab: unreadable folders (2): kept, runs/certificate'), logger.lines.join());
  });

  it('lacks only a subfolder of an SFTP server that vanished after it was found', async () => {
    const vanished = fail(['a.txt'], [['runs/tmp', 'error listing "runs/tmp": file does not exist']]);
    const found = await scan(vanished, { paths: [] });
    assert.deepEqual(found, [['a.txt'], 'listed', {}]);
  });

  it('is continued with the files of a missing folder that is back', async () => {
    const first = fail(['a.txt', 'kept/b.txt'], [['runs/tmp [2]', missing]]);
    const found = await scan(first, { paths: ['runs/tmp [2]/{d}.txt'] });
    assert.deepEqual(found, [['a.txt', 'kept/b.txt', 'runs/tmp [2]/{d}.txt'], 'listed', {}]);
    assert.match(await getLastCall(), / --filter=\+ \/runs\/tmp \\\[2\\\]\/\*\* --filter=- \* .*-- lab:$/);
  });

  it('ends, and fails, if its server sends nothing more', async () => {
    const program = nodePath.join(folder, 'silent');
    await fs.writeFile(program, "#!/bin/sh\necho '['\nexec tail -f /dev/null\n", { mode: 0o755 });
    const features = parseStoreFeatures({ Features: {} });
    assert.ok(features !== undefined);
    const store = new CatalogStore(':memory:');
    const listed = { program, remote: 'lab:', features, onNote: () => undefined, staged: store.startListing() };
    const batches = listStore({ ...listed, silenceMs: 200 }, '', new AbortController().signal);
    const read = async (): Promise<void> => {
      for await (const { files } of batches) assert.deepEqual(files, []);
    };
    await assert.rejects(read, { message: "its server doesn't respond" });
    store.close();
  });

  for (const isText of [true, false])
    it(`is repeated for a folder that was cut off, with a log that ends with ${isText ? 'text' : 'JSON'}`, async () => {
      const first = fail(['a.txt', 'kept/b.txt'], [['runs', cutOff]], isText);
      assert.deepEqual(await scan(first, { paths: ['runs/tmp/c.txt'] }), [known, 'listed', {}]);
      assert.match(await getLastCall(), / --filter=- \.\*\/\*\* --filter=\+ \/runs\/\*\* --filter=- \* .*-- lab:$/);
    });

  it('is repeated as a whole if its first folder was cut off', async () => {
    assert.deepEqual(await scan(fail([], [['', cutOff]]), { paths: known }), [known, 'listed', {}]);
    const [first, again] = await getCalls();
    assert.equal(again, first);
  });

  it('is repeated for what a folder that was cut off lacked, and for nothing twice', async () => {
    const found = await scan(
      fail(['a.txt'], [['runs', cutOff]]),
      fail(
        ['runs/d.txt'],
        [
          ['runs/tmp', missing],
          ['runs/x', cutOff],
        ],
      ),
      fail([], [['runs', missing]]),
      fail(['runs/tmp/c.txt'], [['runs/x', missing]]),
      fail([], [['runs/x', missing]]),
    );
    assert.deepEqual(found, [['a.txt', 'runs/tmp/c.txt'], 'listed', { unreadable: 1 }]);
    const rules = (await getCalls()).map((call) => call.match(/(?<=--filter=\+ \/)\S*(?=\/\*\*)/g));
    assert.deepEqual(rules, [null, ['runs'], ['runs/tmp', 'runs/x'], ['runs/tmp', 'runs/x'], ['runs/x']]);
  });

  it('is a failed one if a folder is cut off again, and the catalog keeps its files', async () => {
    for (const path of ['runs', '']) {
      const first = fail(path === '' ? [] : ['a.txt'], [[path, cutOff]]);
      assert.deepEqual(await scan(first, fail([], [[path, cutOff]])), [known, lost, {}]);
    }
    const closed = fail([], [['', 'dial tcp 127.0.0.1:80: connect: connection refused']]);
    const refused = [known, 'its server refuses connections', {}];
    assert.deepEqual(await scan(fail(['a.txt'], [['runs', cutOff]]), closed), refused);
  });

  it('is repeated for at most 100 folders, and a failed one if another one was cut off', async () => {
    const list = (count: number, cause: string) =>
      Array.from({ length: count }, (_, index) => [`${cause === missing ? 'm' : 'c'}${index}`, cause] as const);
    const again = { paths: ['kept/b.txt', 'runs/tmp/c.txt'] };
    const most = fail(['a.txt'], [...list(60, missing), ...list(40, cutOff)]);
    assert.deepEqual(await scan(most, again), [known, 'listed', {}]);
    assert.equal((await getLastCall()).match(/--filter=\+ /g)?.length, 100);
    assert.deepEqual(await scan(fail(['a.txt'], list(101, cutOff)), again), [known, lost, {}]);
    assert.deepEqual(await scan(fail(['a.txt'], [...list(60, missing), ...list(41, cutOff)]), again), [
      known,
      lost,
      {},
    ]);
    assert.equal((await getCalls()).length, 1);
  });

  it('is a failed one if more than 100 folders are missing, and the catalog keeps its files', async () => {
    const folders = Array.from({ length: 101 }, (_, index) => [`m${index}`, missing] as const);
    const problem = 'over 100 of its folders vanished or were cut off; serve a folder that changes less';
    assert.deepEqual(await scan(fail(['a.txt'], folders)), [known, problem, {}]);
  });

  it("lacks a folder that the server lists but can't find, which is unreadable", async () => {
    const found = await scan(fail(['a.txt'], [['kept', missing]]), fail([], [['kept', missing]]));
    assert.deepEqual(found, [['a.txt'], 'listed', { unreadable: 1 }]);
  });

  it('is a failed one if anything else is missing, and the catalog keeps its files', async () => {
    const folderProblem = "its folder or bucket doesn't exist";
    const refused = [['runs', 'connection refused'] as const, ['kept', missing] as const];
    const killed = { paths: ['a.txt'], log: [logFolder('kept', missing)], code: 1 };
    const unknown = 'rclone failed; "rclone lsd lab:" in a terminal, with the path after the colon, shows why';
    const results = [
      await scan(fail([], [['', missing]])),
      await scan(fail(['a.txt'], [['kept', missing]]), fail([], [['', missing]])),
      await scan(fail([], [['', forbidden]])),
      await scan(fail(['a.txt'], refused)),
      await scan(killed),
    ];
    const denied = 'its server denies access';
    const problems = [folderProblem, folderProblem, denied, 'its server refuses connections', unknown];
    assert.deepEqual(
      results,
      problems.map((problem) => [known, problem, {}]),
    );
  });

  it('is a failed one if a proxy refuses a folder, whose files it keeps', async () => {
    const refused = 'couldn\'t list files: Propfind "https://lab.test/kept/": Forbidden';
    const proxy = 'the proxy refuses the connection; check the variables HTTPS_PROXY and HTTP_PROXY';
    assert.deepEqual(await scan(fail(['a.txt'], [['kept', refused]])), [known, proxy, {}]);
  });

  it('is a failed one if nothing is listed and the server cannot be asked whether it is a store', async () => {
    await describe({ Name: 'lab', String: "webdav root ''" });
    await list({ paths: [] });
    const log = ['2026/11/30 00:21:37 ERROR : error listing: dial tcp 127.0.0.1:80: connect: connection refused'];
    await writeAnswer('absent', { paths: [], log, code: 1 });
    await catalog.rescan();
    assert.deepEqual(await describeCatalog(), [known, 'its server refuses connections', {}]);
    await list({ paths: [] });
    await writeAnswer('absent', {
      paths: [],
      log: ['2026/11/30 00:21:37 ERROR : error listing: directory not found'],
      code: 3,
    });
    await catalog.rescan();
    assert.deepEqual(await describeCatalog(), [[], 'listed', {}]);
  });

  it('is a failed one if rclone takes the store for a file, because it cannot reach the server', async () => {
    await writeAnswer('features', { paths: [], log: ['Failed to backend: is a file not a directory'], code: 1 });
    const log = ['NOTICE: Failed to lsjson: error in ListJSON: dial tcp 127.0.0.1:9: connect: connection refused'];
    assert.deepEqual(await scan({ paths: [], log, code: 1 }), [known, 'its server refuses connections', {}]);
  });

  it('may have nothing but objects of unknown size', async () => {
    await describe({ Name: 'lab', String: "webdav root ''" });
    await writeAnswer('absent', { paths: [] });
    await fs.rm(nodePath.join(folder, 'a.db'), { force: true });
    await list({ paths: [] });
    await fs.writeFile(nodePath.join(folder, 'first'), '[\n{"Path":"a.gdoc","Size":-1}\n]\n');
    await openCatalog();
    await catalog.rescan();
    assert.deepEqual(await describeCatalog(), [[], 'listed', { unknownSizes: 1 }]);
  });

  it("of one folder leaves the folder out if it can't be read, and empties it if it is missing", async () => {
    const denied = fail([], [['', 'error listing "": permission denied']]);
    assert.deepEqual(await scanFolder('kept', denied), [['a.txt', 'runs/tmp/c.txt'], 'listed', { unreadable: 1 }]);
    const empty = await scanFolder('runs', fail([], [['', missing]]));
    assert.deepEqual(empty, [['a.txt'], 'listed', { unreadable: 1 }]);
  });

  it('lacks hidden names, which rclone counts without reading hidden folders', async () => {
    const excluded = ['.cache', 'kept/.x', '.DS_Store', 'kept/.zarray', 'kept/loop'];
    const log = excluded.map((object) => JSON.stringify({ level: 'debug', msg: 'Excluded', object }));
    const found = await scan({ paths: ['a.txt', 'kept/.zgroup'], log });
    assert.deepEqual([found, catalog.getListing().files], [[['a.txt'], 'listed', { hidden: 3 }], 2]);
    assert.match(await getLastCall(), / --filter=- \.\*\/\*\* --filter=\+ \.zarray .*--filter=- \.\* /);
  });

  it('counts hidden names that are listed again, and no others that rclone then excludes', async () => {
    const first = fail(['a.txt', '.zattrs', 'kept/.zattrs'], [['runs', cutOff]]);
    const excluded = ['.zattrs', 'kept/.zattrs', 'runs/.cache'];
    const log = excluded.map((object) => JSON.stringify({ level: 'debug', msg: 'Excluded', object }));
    const found = await scan(first, { paths: ['runs/tmp/c.txt', 'runs/.zattrs'], log });
    assert.deepEqual([found, catalog.getListing().files], [[['a.txt', 'runs/tmp/c.txt'], 'listed', { hidden: 1 }], 5]);
  });
});
