/**
 * Makes a fresh clone ready: packages, a browser, the editor's server. Runs with nothing installed (Node 20, built-in
 * modules only), does only what is missing, and notes where things are in `node_modules/.setup.json` for the tests.
 */
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBrowser } from './setup/browser.mjs';
import { ensureDependencies } from './setup/dependencies.mjs';
import { ensureEditor } from './setup/editor.mjs';
import { StepError, root, say, seconds } from './setup/steps.mjs';

const oldestNode = 20;

/** Prepares the packages only, or also the browser and the editor; resolves to where they are. */
export async function setup({ editor = true } = {}) {
  const started = performance.now();
  if (Number.parseInt(process.versions.node, 10) < oldestNode) {
    throw new StepError(`Node ${process.versions.node} is too old: install Node ${oldestNode} or later.`);
  }
  await ensureDependencies();
  if (!editor) return {};
  const places = { browser: await ensureBrowser(), server: await ensureEditor() };
  writeFileSync(join(root, 'node_modules', '.setup.json'), JSON.stringify(places));
  say(`ready in ${seconds(started)}: packages, browser ${places.browser}, editor ${places.server}`);
  return places;
}

/** Runs a script's work: a StepError ends it with its one sentence, a defect with its stack. */
export async function runScript(work) {
  try {
    await work();
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${error instanceof StepError ? error.message : error.stack}\n`);
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await runScript(() => setup());
