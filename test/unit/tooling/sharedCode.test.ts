import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { readTogether } from '../../support/builtFiles.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'dist', 'lib');

/** Returns the paths of the modules whose code is in a built file. */
function listModules(file: string): readonly string[] {
  const comments = readFileSync(file, 'utf8').matchAll(/^\/\/ ((?:src|node_modules)\/.*)$/gm);
  return [...new Set([...comments].map(([, path = '']) => path))];
}

/** Returns the packages whose code is in built files. */
function listPackages(files: readonly string[]): readonly string[] {
  const names = files.flatMap(listModules).map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}

describe('The code that the programs share', () => {
  it('does not load packages that only some commands need when the command line starts', () => {
    const loaded = readTogether(join(folder, 'program.js'));
    assert.deepEqual(listPackages(loaded), ['commander', 'spdx-license-ids']);
    const others = readdirSync(folder).map((file) => join(folder, file));
    const packages = listPackages(others.filter((file) => file.endsWith('.js')));
    assert.ok(['undici', 'zod', '@modelcontextprotocol/server'].every((name) => packages.includes(name)));
  });

  for (const program of ['service.js', 'thread.js'])
    it(`loads no HTTP client of Node.js in ${program}, because it would take most of the start`, async () => {
      const script = `
        process.on('exit', () => {
          console.log(process.moduleLoadList.filter((name) => /undici| net$/.test(name)).join());
          process.exitCode = 0;
        });
        await import(${JSON.stringify(pathToFileURL(join(folder, program)).href)});
      `;
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
      assert.equal(stdout.trim(), 'NativeModule net');
    });

  it('is in one file for each module', () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.js'));
    const modules = files.flatMap((file) => listModules(join(folder, file)));
    const repeated = modules.filter((module, index) => modules.indexOf(module) !== index);
    assert.ok(modules.length > 400, String(modules.length));
    assert.deepEqual(repeated, []);
  });
});
