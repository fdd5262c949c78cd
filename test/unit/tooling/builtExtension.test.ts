import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
const extension = join(root, 'dist', 'extension.cjs');

/**
 * Loads a module in a fresh process, where the editor's API is a stand-in that answers everything, and tells what it
 * exports and which of the slots for everybody's dispatcher it filled.
 */
async function loaded(module: string): Promise<{ readonly names: string[]; readonly slots: string[] }> {
  const script = `
    const Module = require('node:module');
    const anything = new Proxy(function () {}, { get: (_, name) => (name === 'then' ? undefined : anything), apply: () => anything, construct: () => anything });
    const load = Module._load;
    Module._load = (name, ...rest) => (name === 'vscode' ? anything : load(name, ...rest));
    const slots = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'];
    if (slots.some((slot) => globalThis[Symbol.for(slot)] !== undefined)) throw new Error('the process is not fresh');
    const names = Object.keys(require(${JSON.stringify(module)}));
    console.log(JSON.stringify({ names, slots: slots.filter((slot) => globalThis[Symbol.for(slot)] !== undefined) }));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=commonjs', '--eval', script], { cwd: root });
  return JSON.parse(stdout) as { names: string[]; slots: string[] };
}

describe('The built extension', () => {
  before(() => assert.ok(existsSync(extension), 'It is not built: run "npm run build".'));

  it('leaves the dispatcher of everybody else in the editor alone', async () => {
    const { names, slots } = await loaded(extension);
    assert.ok(names.includes('activate'));
    assert.deepEqual(slots, []);
  }).timeout(20_000);

  it('would not, were it to load the main file of undici: the check above can fail', async () => {
    const { slots } = await loaded('undici');
    assert.deepEqual(slots, ['undici.globalDispatcher.1', 'undici.globalDispatcher.2']);
  }).timeout(20_000);
});
