import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listFiles, PackageManager } from '@vscode/vsce';
import { cliVersion } from '../../../src/cli/version.ts';
import { serviceVersion } from '../../../src/service/version.ts';

const root = join(import.meta.dirname, '..', '..', '..');

describe('The package', () => {
  let files: readonly string[];
  before(async () => {
    files = (await listFiles({ cwd: root, packageManager: PackageManager.None })).map((file) =>
      file.replaceAll('\\', '/'),
    );
  });

  it('contains the files that the extension reads at run time', async () => {
    const needed = [
      'package.json',
      'package.nls.json',
      'package.nls.fr.json',
      'l10n/bundle.l10n.fr.json',
      'media/icon.svg',
      'media/page-dark.svg',
      'media/page-light.svg',
    ];
    const built = [
      'dist/extension.cjs',
      'dist/cli/main.cjs',
      'dist/lib/startup.js',
      'dist/lib/program.js',
      'dist/lib/service.js',
      'dist/lib/thread.js',
      'dist/webviews/metadata.js',
      'dist/webviews/table.js',
      'dist/webviews/transfer.js',
    ];
    const samples: string[] = [];
    for await (const file of glob(['samples/*', 'media/walkthrough/*'], { cwd: root }))
      samples.push(file.replaceAll('\\', '/'));
    assert.ok(samples.length > 0);
    const missing = [...needed, ...built, ...samples].filter((file) => !files.includes(file));
    assert.deepEqual(missing, []);
  });

  it('has the version that its service reports, by which windows find the newest one (D29)', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    assert.equal(serviceVersion, version);
  });

  it('has the version that its command line prints', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    assert.equal(cliVersion, version);
  });

  it('contains all built files that others load', async () => {
    const loaded: string[] = [];
    for await (const file of glob(['dist/lib/*.js', 'dist/webviews/*.js'], { cwd: root }))
      loaded.push(file.replaceAll('\\', '/'));
    assert.ok(loaded.length > 20);
    assert.deepEqual(
      loaded.filter((file) => !files.includes(file)),
      [],
    );
  });

  it('contains no other files', () => {
    const allowed =
      /^(package(\.nls(\.\w+)?)?\.json|README\.md|CHANGELOG\.md|LICENSE|dist\/|l10n\/|media\/|samples\/|schemas\/)/;
    const others = files.filter((file) => !allowed.test(file) || file.endsWith('.map') || file.includes('/test/'));
    assert.deepEqual(others, []);
  });
});
