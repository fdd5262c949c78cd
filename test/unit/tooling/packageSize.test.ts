import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listFiles, PackageManager } from '@vscode/vsce';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');

/** Copies the packaged files except `dist` into an empty folder, and writes the production build to `dist` there. */
async function stage(folder: string): Promise<void> {
  const files = (await listFiles({ cwd: root, packageManager: PackageManager.None })).filter(
    (file) => !/^dist[\\/]/.test(file),
  );
  for (const file of [...files, '.vscodeignore']) await cp(join(root, file), join(folder, file));
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  // Otherwise the `vscode:prepublish` script would build the extension again.
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts: {} }, undefined, 2));
  const build = ['esbuild.mjs', '--production', '--outdir', join(folder, 'dist')];
  await run(process.execPath, build, { cwd: root });
}

describe('The size of the VSIX', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'package-size-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('is at most 700 kB', async () => {
    await stage(folder);
    const packagePath = join(folder, 'extension.vsix');
    const vsce = join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
    await run(process.execPath, [vsce, 'package', '--no-dependencies', '--out', packagePath], { cwd: folder });
    const { size } = await stat(packagePath);
    assert.ok(size > 300_000 && size <= 700_000, `it has ${String(size)} bytes`);
  });
});
