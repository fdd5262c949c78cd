/**
 * Prepares a fresh clone: installs packages, rclone, servers for the store tests, a browser and the editor's server.
 * Requires only Node.js 20 or later with npm, installs only what is missing, and records the locations of the browser,
 * the editor, the newest rclone and the newest Slurm in `node_modules/.setup.json` for the tests.
 */
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBrowser, ensureHeadlessShell } from './setup/browser.mjs';
import { ensureDependencies } from './setup/dependencies.mjs';
import { ensureEditor } from './setup/editor.mjs';
import { ensureNewestRclone, ensureRclone } from './setup/rclone.mjs';
import { ensureNewestSlurm } from './setup/slurm.mjs';
import { ensureSnakemake } from './setup/snakemake.mjs';
import { ensureStoreServers } from './setup/storeServers.mjs';
import { StepError, root, say, seconds } from './setup/steps.mjs';

const oldestNode = 20;
const placesFile = join(root, 'node_modules', '.setup.json');

function readRecorded() {
  return existsSync(placesFile) ? JSON.parse(readFileSync(placesFile, 'utf8')) : {};
}

function record(places) {
  writeFileSync(placesFile, JSON.stringify({ ...readRecorded(), ...places }));
}

/** Installs the browsers and the editor if they are missing. Records their locations and resolves to them. */
async function ensurePlaces() {
  const browser = await ensureBrowser();
  const headlessShell = await ensureHeadlessShell(browser, readRecorded().headlessShell);
  const places = { browser, headlessShell, server: await ensureEditor() };
  record(places);
  return places;
}

/**
 * Installs the packages, rclone and the servers for the tests. With `editor`, also installs the browser and the editor,
 * and resolves to their locations; otherwise resolves to an empty object. Rejects with a StepError if Node.js is too
 * old or an installation fails.
 */
export async function setup({ editor = true } = {}) {
  const started = performance.now();
  if (Number.parseInt(process.versions.node, 10) < oldestNode) {
    throw new StepError(`Node.js ${process.versions.node} is too old: install Node.js ${oldestNode} or later.`);
  }
  await ensureDependencies();
  await ensureRclone();
  record({ newestRclone: await ensureNewestRclone() });
  await ensureStoreServers();
  record({ newestSlurm: await ensureNewestSlurm() });
  await ensureSnakemake();
  if (!editor) return {};
  const places = await ensurePlaces();
  say(`ready in ${seconds(started)}: packages, browser ${places.browser}, editor ${places.server}`);
  return places;
}

/**
 * Runs a script. On failure, sets exit code 1 and prints the message of a StepError or the stack of any other error.
 */
export async function runScript(work) {
  try {
    await work();
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${error instanceof StepError ? error.message : error.stack}\n`);
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await runScript(() => setup());
