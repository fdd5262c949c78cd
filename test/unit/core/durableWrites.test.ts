import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileExclusively, writeFileAtomically } from '../../../src/core/util/durableFiles.ts';

const { open, rename, link, readFile } = fs;

describe('A file that is to survive a system crash', function () {
  let folder: string;
  let file: string;
  /** Operations on the folder and its files, in order. */
  let steps: string[];
  let syncFolder: () => Promise<void>;

  before(function () {
    // Windows can't flush a folder.
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'durable-'));
    file = join(folder, 'file.json');
    steps = [];
    syncFolder = async () => void steps.push('flush');
    install({
      open: async (path, ...rest) => {
        const opened = await open(path, ...rest);
        return path === folder ? Object.assign(opened, { sync: () => syncFolder() }) : opened;
      },
      rename: async (...paths) => {
        await rename(...paths);
        steps.push('name');
      },
      link: async (...paths) => {
        await link(...paths);
        steps.push('name');
      },
    });
  });
  afterEach(() => {
    install({ open, rename, link });
    rmSync(folder, { recursive: true });
  });

  for (const write of [writeFileAtomically, createFileExclusively]) {
    it(`is written by ${write.name} before its folder is flushed`, async () => {
      await write(file, 'text', true);
      assert.deepEqual([steps, await readFile(file, 'utf8')], [['name', 'flush'], 'text']);
    });

    it(`is the only one for which ${write.name} flushes the folder`, async () => {
      await write(file, 'text');
      assert.deepEqual(steps, ['name']);
    });

    it(`is written by ${write.name} even if its folder can't be flushed, unless the disk fails`, async () => {
      const failWith = (code: string): void => {
        syncFolder = () => Promise.reject(Object.assign(new Error(code), { code }));
      };
      failWith('EINVAL');
      await write(file, 'text', true);
      assert.equal(await readFile(file, 'utf8'), 'text');
      failWith('EIO');
      await assert.rejects(write(join(folder, 'other.json'), 'text', true), { code: 'EIO' });
    });
  }

  it('is followed by a flush of its folder on a file system without hard links, too', async () => {
    install({ link: () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' })) });
    assert.equal(await createFileExclusively(file, 'text', true), true);
    assert.deepEqual([steps, await readFile(file, 'utf8')], [['flush'], 'text']);
  });
});

function install(functions: Partial<typeof fs>): void {
  Object.assign(fs, functions);
  syncBuiltinESMExports();
}
