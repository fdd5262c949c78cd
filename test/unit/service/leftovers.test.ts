import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { mock } from 'node:test';
import { discardTransfer } from '../../../src/service/transfers/manifest.ts';

const transferId = '01234567-89ab-4cde-8f01-23456789abcd';
const folderName = `dts-${transferId}`;
const [firstPart, lastPart] = ['a', 'z'].map((name) => `${folderName}/sub/${name}.part-${transferId}`) as [
  string,
  string,
];
const manifest = `${folderName}/manifest.json`;

describe('The leftovers of an ended transfer in a folder (D25)', () => {
  let target: string;

  beforeEach(() => {
    target = fs.mkdtempSync(nodePath.join(os.tmpdir(), 'dts-leftovers-'));
    for (const path of [firstPart, lastPart, manifest]) write(path);
  });
  afterEach(() => {
    mock.restoreAll();
    fs.rmSync(target, { recursive: true });
  });

  function write(path: string): void {
    fs.mkdirSync(nodePath.dirname(nodePath.join(target, path)), { recursive: true });
    fs.writeFileSync(nodePath.join(target, path), path === manifest ? `{ "id": "${transferId}" }` : '');
  }

  async function discard(): Promise<boolean> {
    return await discardTransfer(target, transferId, 'manifest.json');
  }

  /** Makes a file system method fail with `code` for the path `refused` in the destination. */
  function refuse(method: 'lstat' | 'readdir' | 'rm', refused: string, code: string): void {
    const original = fs.promises[method] as (path: string, ...more: readonly unknown[]) => Promise<unknown>;
    mock.method(fs.promises, method, async (path: string, ...more: readonly unknown[]) => {
      if (toRealPath(path) === fs.realpathSync(target) + nodePath.sep + refused)
        throw Object.assign(new Error(code), { code });
      return await original.call(fs.promises, path, ...more);
    });
  }

  /** Resolves a path that may lead through an open folder. */
  function toRealPath(path: string): string {
    const folder = /^\/proc\/self\/fd\/\d+$/.test(path) ? path : nodePath.dirname(path);
    const resolved = fs.realpathSync(folder);
    return folder === path ? resolved : nodePath.join(resolved, nodePath.basename(path));
  }

  function listFiles(): readonly string[] {
    const paths = fs.readdirSync(target, { recursive: true, encoding: 'utf8' });
    return paths.filter((path) => fs.statSync(nodePath.join(target, path)).isFile());
  }

  it('are removed together with the empty folders, but complete files remain', async () => {
    assert.equal(await discard(), true);
    assert.deepEqual(fs.readdirSync(target), []);
    assert.equal(await discard(), true);
    for (const path of [lastPart, `${folderName}/b.txt`]) write(path);
    assert.equal(await discard(), true);
    assert.deepEqual(listFiles(), [`${folderName}/b.txt`]);
  });

  const failures: [method: Parameters<typeof refuse>[0], path: string, code: string, remaining: readonly string[]][] = [
    ['rm', firstPart, 'EACCES', [firstPart]],
    ['rm', lastPart, 'EBUSY', [lastPart]],
    ['rm', manifest, 'EPERM', [manifest]],
    ['readdir', `${folderName}/sub`, 'EACCES', [firstPart, lastPart]],
    ['lstat', folderName, 'EIO', [manifest, firstPart, lastPart]],
  ];
  for (const [method, path, code, remaining] of failures) {
    it(`are removed later if ${method} of ${nodePath.basename(path)} fails with ${code}; the others are removed now`, async () => {
      refuse(method, path, code);
      assert.equal(await discard(), false);
      assert.deepEqual(listFiles().toSorted(), remaining.toSorted());
      mock.restoreAll();
      assert.equal(await discard(), true);
      assert.deepEqual(fs.readdirSync(target), []);
    });
  }

  for (const method of ['lstat', 'readdir', 'rm'] as const) {
    it(`are removed later if the destination disappears before ${method}`, async () => {
      const original = fs.promises[method] as (...values: unknown[]) => Promise<unknown>;
      mock.method(fs.promises, method, async (...values: unknown[]) => {
        if (fs.existsSync(target)) fs.renameSync(target, `${target}-away`);
        return await original.apply(fs.promises, values);
      });
      assert.equal(await discard(), false);
      mock.restoreAll();
      fs.renameSync(`${target}-away`, target);
      assert.equal(await discard(), true);
      assert.deepEqual(fs.readdirSync(target), []);
    });
  }

  it('include the unfinished files of all attempts, but not the manifest of another program', async () => {
    write(`${folderName}/b.txt.0123abcd.part-${transferId}`);
    fs.writeFileSync(nodePath.join(target, manifest), '{ "id": "theirs" }');
    assert.equal(await discard(), true);
    assert.deepEqual(listFiles(), [manifest]);
  });

  it('do not include a folder that is in the place of the manifest, and a file that is removed in the meantime', async () => {
    fs.rmSync(nodePath.join(target, manifest));
    write(`${manifest}/mine.txt`);
    refuse('rm', firstPart, 'ENOENT');
    assert.equal(await discard(), true);
    assert.deepEqual(listFiles().toSorted(), [`${manifest}/mine.txt`, firstPart].toSorted());
  });
});
