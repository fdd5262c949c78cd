import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import builtIn from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { createJobSignal } from '../../../src/service/transfers/fileJobs.ts';
import { claimFolder, openTransferFolder } from '../../../src/service/transfers/folderClaim.ts';
import { discardTransfer, removeParts } from '../../../src/service/transfers/manifest.ts';
import { refuseUsedFolder } from '../../../src/service/transfers/prepareSubmission.ts';
import { moveFiles } from '../../../src/service/transfers/moveFiles.ts';

const [one, two] = ['2c1d5e0a-0000-4000-8000-000000000001', '2c1d5e0a-0000-4000-8000-000000000002'] as const;
const taken = 'it already exists at the destination';

describe('The claim of a folder with a chosen name (D24)', () => {
  let target: string;
  let folder: string;

  beforeEach(() => {
    target = fs.realpathSync(fs.mkdtempSync(nodePath.join(os.tmpdir(), 'dts-claim-')));
    folder = `${target}/run`;
  });
  afterEach(() => fs.rmSync(target, { recursive: true, force: true }));

  async function claim(transferId: string = one, folderName = 'run'): Promise<string | undefined> {
    const job = {
      transferId,
      folderName,
      destinationFolder: target,
      destinationPlace: target,
      sourceFolder: undefined,
    };
    const { failure } = await claimFolder(job);
    return failure && (failure.text ?? failure.code);
  }

  const list = (): readonly string[] => fs.readdirSync(target, { recursive: true }).map(String).sort();

  it('creates the folder with the mark of the transfer', async () => {
    assert.equal(await claim(), undefined);
    assert.deepEqual(list(), ['run', `run/.part-${one}`]);
  });

  it('is renewed by the same transfer, and refused for every other one', async () => {
    assert.equal(await claim(), undefined);
    assert.equal(await claim(), undefined);
    assert.equal(await claim(two), taken);
    await discardTransfer(target, two, 'manifest.json', 'run');
    assert.deepEqual(list(), ['run', `run/.part-${one}`]);
  });

  it('succeeds for one of many transfers at a time', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `2c1d5e0a-0000-4000-8000-0000000000${10 + index}`);
    const failures = await Promise.all(ids.map(async (id) => await claim(id)));
    assert.deepEqual(
      failures.filter((text) => text !== taken),
      [undefined],
    );
  });

  it('is complete if the renaming succeeded, but reported an error', async () => {
    const rename = builtIn.renameSync;
    builtIn.renameSync = (from, to) => {
      rename(from, to);
      throw Object.assign(new Error('rename'), { code: 'EIO' });
    };
    syncBuiltinESMExports();
    try {
      assert.equal(await claim(), undefined);
    } finally {
      builtIn.renameSync = rename;
      syncBuiltinESMExports();
    }
    assert.deepEqual(list(), ['run', `run/.part-${one}`]);
  });

  it('is refused at submission with the state of the transfer that has the name', () => {
    const record = { destinationId: 'archive', folderName: 'Run' };
    const refuse = (used: object) => (): void => refuseUsedFolder(record, [{ ...record, folderName: 'run', ...used }]);
    assert.throws(refuse({}), /belongs to a transfer that is not finished\./);
    assert.throws(refuse({ manifestName: '' }), /a transfer whose unfinished files are still being removed\./);
    assert.doesNotThrow(refuse({ destinationId: 'other' }));
  });

  const steps: Readonly<Record<string, () => void>> = {
    'the folder had its mark': () => fs.mkdirSync(`${target}/dts-${one}.part-${one}`),
    'the folder had its name': () => {
      fs.mkdirSync(`${target}/dts-${one}.part-${one}`);
      fs.writeFileSync(`${target}/dts-${one}.part-${one}/.part-${one}`, '');
    },
    'the first file was complete': () => {
      fs.mkdirSync(folder);
      fs.writeFileSync(`${folder}/.part-${one}`, one);
      fs.writeFileSync(`${folder}/a.0123abcd.part-${one}`, 'unfinished');
    },
    'the mark was removed': () => {
      fs.mkdirSync(folder);
      fs.writeFileSync(`${folder}/manifest.json`, `{\n  "id": "${one}"\n}`);
    },
  };
  for (const [step, prepare] of Object.entries(steps)) {
    it(`continues after a crash before ${step}`, async () => {
      prepare();
      assert.equal(await claim(), undefined);
      await removeParts({ transferId: one, folderName: 'run', destinationFolder: target });
      const rest = list().filter((path) => path !== 'run/manifest.json');
      assert.deepEqual(rest, ['run', `run/.part-${one}`]);
    });

    it(`leaves nothing if the transfer is canceled after a crash before ${step}`, async () => {
      prepare();
      assert.equal(await discardTransfer(target, one, 'manifest.json', 'run'), true);
      assert.deepEqual(list(), []);
    });
  }

  it('never follows a link to a folder with the mark', async () => {
    fs.mkdirSync(`${target}/elsewhere`);
    fs.writeFileSync(`${target}/elsewhere/.part-${one}`, one);
    fs.symlinkSync('elsewhere', folder);
    assert.equal(await claim(), taken);
    assert.equal(await discardTransfer(target, one, 'manifest.json', 'run'), true);
    assert.deepEqual(fs.readdirSync(target).sort(), ['elsewhere', 'run']);
    assert.deepEqual(fs.readdirSync(`${target}/elsewhere`), [`.part-${one}`]);
  });

  it('ends a run whose folder was replaced or removed, without creating it again', async () => {
    const source = `${target}/source`;
    fs.mkdirSync(source);
    const destination = { location: { folder: target } };
    const files = [{ position: 0, path: 'a', bytes: 0, sha256: '' }];
    const sides = { source: { location: { folder: source } }, destination, files, isFlushed: false };
    const move = async () =>
      (await moveFiles({ transferId: one, folderName: 'run', ...sides, signal: createJobSignal() })).failure;
    assert.equal((await move())?.code, 'ENOENT');
    fs.mkdirSync(folder);
    assert.equal((await move())?.text, 'another program replaced its folder in the destination');
    assert.deepEqual(list(), ['run', 'source']);
    assert.throws(() => openTransferFolder(target, { transferId: one, folderName: 'run' }), /replaced/);
  });
});
