/** Ensures that only one script at a time writes or uses the build in `dist`. */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, StepError } from '../setup/steps.mjs';

const ownFile = join(root, 'node_modules', '.build-lock.json');

/**
 * Runs work that needs exclusive access to the build. Throws a StepError if another script is using the build. Takes
 * over the lock of a process that has ended.
 */
export async function runWithBuild(script, work, file = ownFile) {
  createLock(script, file);
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function createLock(script, file) {
  while (!tryCreate(script, file)) {
    const user = readUser(file);
    if (user === undefined) continue;
    if (isRunning(user.pid)) throw createError(user, file);
    rmSync(file, { force: true });
  }
}

/** Creates the lock file with its content atomically; returns false if the file already exists. */
function tryCreate(script, file) {
  const complete = `${file}.${process.pid}`;
  writeFileSync(complete, JSON.stringify({ script, pid: process.pid }));
  try {
    linkSync(complete, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(complete, { force: true });
  }
}

/** Returns the content of the lock file: undefined if the file is missing, an empty object if it is invalid. */
function readUser(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return error.code === 'ENOENT' ? undefined : {};
  }
}

/** Returns true if the process is running, even if it belongs to another user and can't be signaled. */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function createError({ script, pid }, file) {
  return new StepError(
    `"npm run ${script}" (process ${pid}) is using the build of this clone: stop it first. If that process is another program, delete ${file}.`,
  );
}
