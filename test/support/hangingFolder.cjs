/**
 * Simulates a network disk whose server is unreachable; loaded with `--require` in a program and each of its threads.
 * Calls for a folder named `stuck`, or for a path in it, hang until a writer opens the pipe whose path is in
 * HANGING_PIPE, and return immediately while the pipe is open. Each hanging asynchronous call occupies a thread of the
 * small libuv thread pool. For a folder named `stalled`, only synchronous calls hang, as if its disk began to hang
 * after the folder was checked.
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

// This is the first call of the service's threads when they read a folder or copy files.
fs.realpathSync.native = (file, ...rest) => {
  if (isIn(file, 'stuck', 'stalled')) closeSync(openSync(process.env.HANGING_PIPE, 'r'));
  return resolveSync(file, ...rest);
};

syncBuiltinESMExports();
