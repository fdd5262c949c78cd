/**
 * Prepares a fresh clone: installs packages, rclone, servers for the tests of stores, a browser and the editor's
 * server. Requires only Node.js 20 or later, installs only what is missing, and records the locations in
 * `node_modules/.setup.json` for the tests.
 */
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBrowser, ensureHeadlessShell } from './setup/browser.mjs';
import { ensureDependencies } from './setup/dependencies.mjs';
import { ensureEditor } from './setup/editor.mjs';
import { ensureRclone } from './setup/rclone.mjs';
import { ensureStoreServers } from './setup/storeServers.mjs';
import { StepError, root, say, seconds } from './setup/steps.mjs';

const oldestNode = 20;
const placesFile = join(root, 'node_modules', '.setup.json');

/** Installs the browsers and the editor. Resolves to their locations, which it records. */
async function ensurePlaces() {
  const recorded = existsSync(placesFile) ? JSON.parse(readFileSync(placesFile, 'utf8')) : {};
  const browser = await ensureBrowser();
  const headlessShell = await ensureHeadlessShell(browser, recorded.headlessShell);
  const places = { browser, headlessShell, server: await ensureEditor() };
  writeFileSync(placesFile, JSON.stringify(places));
  return places;
}

/**
 * Installs the packages, rclone and the servers of the tests. With `editor`, also installs the browser and the editor,
 * and resolves to their locations.
 */
export async function setup({ editor = true } = {}) {
  const started = performance.now();
  if (Number.parseInt(process.versions.node, 10) < oldestNode) {
    throw new StepError(`Node ${process.versions.node} is too old: install Node ${oldestNode} or later.`);
  }
  await ensureDependencies();
  await ensureRclone();
  await ensureStoreServers();
  if (!editor) return {};
  const places = await ensurePlaces();
  say(`ready in ${seconds(started)}: packages, browser ${places.browser}, editor ${places.server}`);
  return places;
}

/** Runs a script. Prints only the message of a StepError, and the stack of any other error. */
export async function runScript(work) {
  try {
    await work();
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${error instanceof StepError ? error.message : error.stack}\n`);
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await runScript(() => setup());
