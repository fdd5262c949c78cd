import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { systemClock, type Clock } from '../../../src/core/util/clock.ts';
import { parseJsonObject } from '../../../src/core/util/json.ts';
import { parseSearch, parseSpecific } from '../../../src/service/catalog/searchLanguage.ts';
import { StoreCatalog, type StoreCatalogConfig } from '../../../src/service/stores/storeCatalog.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

/** Returns a script that acts as the rclone of a store with the given objects and never reports free space. */
const createProgram = (...objects: readonly string[]): string => `#!/bin/sh
case "$1" in
  version) echo 'rclone v1.75.0' ;;
  backend) echo '{"Features": {}}' ;;
  lsjson) printf '[\\n${objects.join(',\\n')}\\n]\\n' ;;
  about) exec sleep 60 ;;
esac
`;

const rescanMs = 60_000;
const plainObject = '{"Path":"a.txt","Size":1,"ModTime":"2026-01-02T03:04:05Z"}';

describe('The catalog of a store', () => {
  let folder: string;
  let catalog: StoreCatalog;
  let logger: MemoryLog;

  async function open(objects: readonly string[], hasRestore = false, clock: Clock = systemClock): Promise<void> {
    const rclone = nodePath.join(folder, 'rclone');
    await fs.writeFile(rclone, createProgram(...objects), { mode: 0o755 });
    const config = { name: 'store', remote: 'lab:', rclone, file: nodePath.join(folder, 'a.db'), rescanMs };
    catalog = new StoreCatalog({ ...config, hasRestore }, { clock, logger });
  }

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-about-'));
    logger = new MemoryLog();
  });
  afterEach(async () => {
    await catalog.close();
    await fs.rm(folder, { recursive: true });
  });

  it('can be searched as soon as the listing is complete if the store does not report its free space (D62)', async () => {
    await open([plainObject]);
    await catalog.rescan();
    assert.deepEqual(
      (await catalog.filesByIds(['a.txt'])).map((file) => file?.path),
      ['a.txt'],
    );
    const { state, files, freeBytes } = catalog.getListing();
    assert.deepEqual([state, files, freeBytes], ['listed', 1, undefined]);
  });

  it('rejects queries with a code of its own if the first scan takes longer than they wait', async () => {
    const clock = new ManualClock();
    await open([plainObject], false, clock);
    const message = 'The store of the database store is being scanned. Files found so far: 0.';
    const rejected = assert.rejects(catalog.filesByIds([]), { message, code: 'DATABASE_SCANNING' });
    await clock.pass(5_000);
    await rejected;
  });

  it('claims completeness only of a listing that did not break off', async () => {
    await open([plainObject]);
    const program = nodePath.join(folder, 'rclone');
    const complete = await fs.readFile(program, 'utf8');
    await fs.writeFile(program, complete.replace("\\n]\\n' ;;", ",\\n'; exit 3 ;;"));
    await catalog.rescan();
    assert.deepEqual([catalog.getListing().files, catalog.getLeftOut('')], [1, undefined]);
    await fs.writeFile(program, complete);
    await catalog.rescan();
    assert.deepEqual([catalog.getListing().files, catalog.getLeftOut('')], [1, {}]);
  });

  it('says with each page how old the listing is, and why the last scan failed', async () => {
    await open([plainObject, plainObject.replace('a.txt', 'b.txt')]);
    const page = { search: parseSearch(''), filter: parseSpecific({}), offset: 0, limit: 1 };
    await catalog.rescan();
    const { asOf } = catalog.getListing();
    const { listing, next } = await catalog.search(page);
    assert.deepEqual(listing, { state: 'listed', files: 2, asOf });
    await fs.writeFile(nodePath.join(folder, 'rclone'), createProgram().replace(/lsjson.*/, 'lsjson) exit 3 ;;'));
    await catalog.rescan();
    const { problem } = catalog.getListing();
    assert.match(problem ?? '', /^rclone failed; /);
    for (const after of [undefined, next])
      assert.deepEqual((await catalog.search({ ...page, after })).listing, {
        state: 'failed',
        files: 2,
        asOf,
        problem,
      });
  });

  it('claims no completeness after an update from version 0.2 until its next scan of everything', async () => {
    await open([plainObject, '{"Path":"b.docx","Size":-1}']);
    await catalog.rescan();
    assert.deepEqual(catalog.getLeftOut(''), { unknownSizes: 1 });
    await catalog.close();
    const file = new DatabaseSync(nodePath.join(folder, 'a.db'));
    file.exec('DROP TABLE left_out');
    file.close();
    await open([plainObject, '{"Path":"b.docx","Size":-1}']);
    assert.deepEqual([catalog.getListing().state, catalog.getLeftOut('')], ['listed', undefined]);
    catalog.resumeTracking('runs');
    await eventually(() => Promise.resolve(catalog.getListing().state === 'listed' || undefined));
    assert.deepEqual(catalog.getLeftOut('runs'), undefined);
    await catalog.rescan();
    assert.deepEqual(catalog.getLeftOut(''), { unknownSizes: 1 });
  });

  it('counts a hidden folder once, and each object of unknown size, in a listing of any order', async () => {
    const hidden = ['.a/1', 'b/.c/1', '.a/2', '.a/d/3', 'b/.c/2'].map((path) => `{"Path":"${path}","Size":1}`);
    const unsized = ['b.docx', 'b.docx'].map((path) => `{"Path":"${path}","Size":-1}`);
    await open([...hidden, ...unsized, ...hidden]);
    await catalog.rescan();
    assert.deepEqual(catalog.getLeftOut(''), { hidden: 2, unknownSizes: 2 });
    await catalog.rescan();
    assert.deepEqual(
      [catalog.getLeftOut(''), catalog.getLeftOut('b')],
      [{ hidden: 2, unknownSizes: 2 }, { hidden: 1 }],
    );
  });

  it('leaves out objects of unknown size and with invalid names, and logs how many for each reason', async () => {
    const unsized = ['b.docx', 'c.docx'].map((name) => `{"Path":"${name}","Size":-1}`);
    await open([plainObject, ...unsized, '{"Path":"d/../e","Size":1}']);
    await catalog.rescan();
    assert.equal(catalog.getListing().files, 1);
    assert.deepEqual(
      logger.lines.filter((line) => line.includes('skipped')),
      [
        "warn store: objects skipped because their names aren't valid for files: 1",
        'warn store: objects skipped because their size is unknown: 2',
      ],
    );
  });

  describe('that cannot restore its objects (D67)', () => {
    const listNotes = (): readonly string[] => logger.lines.filter((line) => line.includes('restore'));
    const notes = ['warn store: "restore" has no effect: rclone can\'t restore objects in this kind of store.'];

    it('logs once that the permission has no effect, also if it is given after a scan', async () => {
      await open([plainObject]);
      await catalog.rescan();
      assert.deepEqual(listNotes(), []);
      catalog.configure({ rescanMs, hasRestore: true });
      assert.deepEqual(listNotes(), notes);
      catalog.configure({ rescanMs: 1, hasRestore: true });
      await catalog.rescan();
      assert.deepEqual(listNotes(), notes);
    });

    it('logs nothing if the permission is withdrawn before the first scan ends', async () => {
      await open([plainObject], true);
      const scan = catalog.rescan();
      catalog.configure({ rescanMs, hasRestore: false });
      await scan;
      assert.equal(catalog.getListing().state, 'listed');
      assert.deepEqual(listNotes(), []);
    });
  });

  describe('whose storage classes another command lists (D67)', () => {
    /** Writes the rclone of an S3 store: it prints what the two shell commands print. */
    async function writeProgram(classes: string, objects: string): Promise<string> {
      const features = '{"String":"S3 bucket lab","Features":{"Command":true,"GetTier":false}}';
      const program = nodePath.join(folder, 'rclone');
      const [version, commands] = ["version*) echo 'rclone v1.75.0' ;;", `*features*) echo '${features}' ;;`];
      const listings = `*restore-status*) ${classes} ;;\nlsjson*) ${objects} ;;`;
      await fs.writeFile(program, `#!/bin/sh\ncase "$*" in\n${version}\n${commands}\n${listings}\nesac\n`, {
        mode: 0o755,
      });
      return program;
    }

    const printClasses = (classes: Readonly<Record<string, string>>): string =>
      `cat << 'END'\n${JSON.stringify(
        Object.entries(classes).map(([Remote, StorageClass]) => ({ Remote, RestoreStatus: {}, StorageClass })),
        undefined,
        '\t',
      )}\nEND\n`;

    const findClasses = async (): Promise<unknown> => {
      const files = await catalog.filesByIds(['a.txt', 'é "1".bam', 'runs/a.txt']);
      return files.map((file) => file && parseJsonObject(file.metadata ?? '{}')?.['storageClass']);
    };

    it('gives each file its own class, those of a folder from the listing of the folder, and none twice', async () => {
      await open([]);
      const names = ['a.txt', 'é "1".bam', 'runs/a.txt'].map((Path) => `${JSON.stringify({ Path, Size: 1 })},`);
      const all = { 'a.txt': 'STANDARD', 'é "1".bam': 'GLACIER', 'runs/a.txt': 'DEEP_ARCHIVE' };
      await writeProgram(printClasses(all), `printf '%s\\n' '${names.join("' '")}'`);
      await catalog.rescan();
      assert.deepEqual(await findClasses(), [undefined, 'GLACIER', 'DEEP_ARCHIVE']);
      await writeProgram(printClasses({ 'a.txt': 'GLACIER' }), `echo '${plainObject}'`);
      catalog.resumeTracking('runs');
      await eventually(() => Promise.resolve(catalog.getListing().state === 'listed' || undefined));
      assert.deepEqual(await findClasses(), [undefined, 'GLACIER', 'GLACIER']);
      await writeProgram(printClasses({}), `printf '%s\\n' '${names.join("' '")}'`);
      await catalog.rescan();
      assert.deepEqual(await findClasses(), [undefined, undefined, undefined]);
    });

    it('is scanned with less memory than the classes take', async () => {
      const names = `awk 'BEGIN { name = sprintf("%2000s", ""); gsub(" ", "x", name)
        for (i = 0; i < 20000; i++) printf "\\t\\t\\"Remote\\": \\"%d%s\\",\\n\\t\\t\\"StorageClass\\": \\"GLACIER\\"\\n", i, name }'`;
      const last = `\t\t"Remote": "a.txt",\n\t\t"StorageClass": "GLACIER"`;
      const rclone = await writeProgram(`${names}; printf '${last}\\n'`, `echo '${plainObject}'`);
      const config = { name: 'store', remote: 'lab:', rclone, file: nodePath.join(folder, 'a.db'), rescanMs };
      await scanInWorker({ ...config, hasRestore: false }, 32);
      await open([]);
      assert.deepEqual(await findClasses(), ['GLACIER', undefined, undefined]);
    });
  });
});

/** Scans a store in a thread with a limited heap. Rejects if the heap is too small. */
async function scanInWorker(config: StoreCatalogConfig, megabytes: number): Promise<void> {
  const [catalogs, clocks] = ['service/stores/storeCatalog.ts', 'core/util/clock.ts'].map((path) =>
    JSON.stringify(nodePath.join(import.meta.dirname, '../../../src', path)),
  );
  const program = `
    const { workerData: config } = require('node:worker_threads');
    Promise.all([import(${catalogs}), import(${clocks})]).then(async ([{ StoreCatalog }, { systemClock: clock }]) => {
      const catalog = new StoreCatalog(config, { clock, logger: { info() {} } });
      await catalog.rescan();
      await catalog.close();
    });`;
  const resourceLimits = { maxOldGenerationSizeMb: megabytes };
  await once(new Worker(program, { eval: true, workerData: config, resourceLimits }), 'exit');
}
