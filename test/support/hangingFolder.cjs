/**
 * Simulates a network disk whose server is gone. Load it with `--require`, which also applies to the program's threads.
 * Calls for a folder named `stuck`, or for a path in it, hang until a writer opens the pipe HANGING_PIPE, and return at
 * once while it is open. Each hanging asynchronous call occupies a thread of the small libuv thread pool. For a folder
 * named `stalled`, only synchronous calls hang, as if its disk began to hang after the folder was checked.
 */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const path = require('node:path');

const { open } = fs.promises;
const { openSync, closeSync } = fs;
const resolveSync = fs.realpathSync.native;

const isIn = (file, ...names) => names.some((name) => String(file).split(path.sep).includes(name));

for (const name of ['realpath', 'opendir', 'stat', 'statfs']) {
  const original = fs.promises[name];
  fs.promises[name] = async (file, ...rest) => {
    if (isIn(file, 'stuck')) await (await open(process.env.HANGING_PIPE, 'r')).close();
    return await original(file, ...rest);
  };
}

// The service's threads call this first when they read a folder or copy files.
fs.realpathSync.native = (file, ...rest) => {
  if (isIn(file, 'stuck', 'stalled')) closeSync(openSync(process.env.HANGING_PIPE, 'r'));
  return resolveSync(file, ...rest);
};

syncBuiltinESMExports();
