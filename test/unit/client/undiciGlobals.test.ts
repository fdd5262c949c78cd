import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const client = new URL('../../../src/core/client/dataTransferClient.ts', import.meta.url).href;

/** Imports a module in a fresh process and tells which of the two slots for everybody's dispatcher it filled. */
async function slotsFilledBy(specifier: string): Promise<unknown> {
  const script = `
    const slots = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'];
    const filled = () => slots.filter((slot) => globalThis[Symbol.for(slot)] !== undefined);
    const before = filled();
    await import(${JSON.stringify(specifier)});
    console.log(JSON.stringify({ before, after: filled() }));
  `;
  const folder = new URL('.', import.meta.url);
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder });
  return JSON.parse(stdout);
}

describe('the dispatcher of everybody else in the process', () => {
  it('is left alone by the client', async () => {
    assert.deepEqual(await slotsFilledBy(client), { before: [], after: [] });
  }).timeout(20_000);

  it('would not be by the main file of undici, which shows that the check above can fail', async () => {
    const { before, after } = (await slotsFilledBy('undici')) as { before: string[]; after: string[] };
    assert.deepEqual(before, []);
    assert.ok(after.includes('undici.globalDispatcher.1'));
  }).timeout(20_000);
});
