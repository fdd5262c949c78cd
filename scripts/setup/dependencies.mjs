/** Installs the packages of this repository if `node_modules` does not match `package-lock.json`. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explain, npm, root, step, toolNode } from './steps.mjs';

const stampFile = join(root, 'node_modules', '.setup-stamp');

function currentStamp() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  return `${hash.digest('hex')} ${process.platform}-${process.arch}`;
}

function readText(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/**
 * Returns true if npm's list of installed packages matches `package-lock.json`, even after a manual installation. The
 * list is the last file that npm writes, so an incomplete installation doesn't match.
 */
function installedAsLocked() {
  const listFile = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(listFile) || !existsSync(toolNode)) return false;
  const installed = JSON.parse(readFileSync(listFile, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(([path, { version, optional, peer }]) => {
    if (path === '') return true;
    return path in installed ? installed[path].version === version : Boolean(optional || peer);
  });
}

/** Runs `npm ci` if necessary. Resolves to true if it ran. */
export async function ensureDependencies() {
  const stamp = currentStamp();
  if (readText(stampFile) === stamp && existsSync(toolNode)) return false;
  const sameMachine = readText(stampFile) === '' || readText(stampFile).endsWith(stamp.split(' ')[1]);
  const installed = sameMachine && installedAsLocked();
  if (!installed) {
    await step('Packages (npm ci)', () =>
      npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], { label: 'npm ci' }).catch((error) => {
        throw explain(error, 'The packages');
      }),
    );
  }
  writeFileSync(stampFile, stamp);
  return !installed;
}
