/**
 * Installs the VS Code server that the tests control in a browser. The server is pinned by a lock file and kept in a
 * cache outside the clone.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, explain, npm, root, step } from './steps.mjs';

const manifestFolder = join(root, 'test', 'support', 'editor', 'code-server');
const standIns = ['spdlog', 'native-watchdog'];
const staleMs = 24 * 60 * 60 * 1000;

function editorName() {
  const files = ['package-lock.json', ...standIns.map((name) => join('stand-ins', `${name}.cjs`))];
  const [lock, ...others] = files.map((file) => readFileSync(join(manifestFolder, file), 'utf8'));
  const { version } = JSON.parse(lock).packages['node_modules/code-server'];
  const hash = createHash('sha256')
    .update([lock, ...others].join('\0'))
    .digest('hex')
    .slice(0, 8);
  return `code-server-${version}-${process.platform}-${process.arch}-node24-${hash}`;
}

/**
 * Installs code-server and the dependencies of its VS Code, and replaces two native modules with stand-ins. The lock
 * file of that VS Code lacks a peer dependency, so `npm ci` needs `--legacy-peer-deps`.
 */
async function installInto(folder) {
  for (const file of ['package.json', 'package-lock.json'])
    await copyFile(join(manifestFolder, file), join(folder, file));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
  await npm(['ci', ...quiet], { cwd: folder, label: 'npm ci code-server' });
  const inner = join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
  await npm(['ci', '--legacy-peer-deps', '--omit=dev', ...quiet], { cwd: inner, label: 'npm ci of the editor' });
  for (const name of standIns) {
    await copyFile(
      join(manifestFolder, 'stand-ins', `${name}.cjs`),
      join(inner, 'node_modules', '@vscode', name, 'index.js'),
    );
  }
}

async function removeLeftovers(folder, name) {
  const leftovers = readdirSync(folder)
    .filter((entry) => entry.startsWith(`${name}.`))
    .map((entry) => join(folder, entry))
    .filter((path) => Date.now() - statSync(path).mtimeMs > staleMs);
  for (const path of leftovers) await rm(path, { recursive: true, force: true });
}

/**
 * Installs the editor into a temporary folder and renames it. If two installations run concurrently, keeps the one that
 * finishes first.
 */
async function installEditor(folder, name) {
  mkdirSync(folder, { recursive: true });
  await removeLeftovers(folder, name);
  const own = await mkdtemp(join(folder, `${name}.`));
  try {
    await installInto(own);
    await rename(own, join(folder, name)).catch((error) => {
      if (!existsSync(join(folder, name))) throw error;
    });
  } catch (error) {
    throw explain(error, 'The editor');
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/**
 * Resolves to the folder of the editor's server (which contains `out/server-main.js`); installs the server if
 * necessary.
 */
export async function ensureEditor() {
  const folder = cacheFolder();
  const name = editorName();
  const server = join(folder, name, 'node_modules', 'code-server', 'lib', 'vscode');
  if (!existsSync(join(folder, name))) {
    await step(`Editor (${name}, about 500 MB in ${folder})`, () => installEditor(folder, name));
  }
  return server;
}
