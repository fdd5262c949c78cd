/**
 * Simulates a network disk whose server is gone. Load it with `--require`, which also applies to the program's threads.
 * Calls for a folder named `stuck`, or for a path in it, hang until a writer opens the pipe HANGING_PIPE, and return at
 * once while it is open. Each hanging asynchronous call occupies one of the few threads for such calls.
 */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const path = require('node:path');

const { open } = fs.promises;
const { openSync, closeSync } = fs;
const resolveSync = fs.realpathSync.native;

const isStuck = (file) => String(file).split(path.sep).includes('stuck');

for (const name of ['realpath', 'opendir', 'stat', 'statfs']) {
  const original = fs.promises[name];
  fs.promises[name] = async (file, ...rest) => {
    if (isStuck(file)) await (await open(process.env.HANGING_PIPE, 'r')).close();
    return await original(file, ...rest);
  };
}

// The service's threads call this first when they read a folder or copy files.
fs.realpathSync.native = (file, ...rest) => {
  if (isStuck(file)) closeSync(openSync(process.env.HANGING_PIPE, 'r'));
  return resolveSync(file, ...rest);
};

syncBuiltinESMExports();
