/**
 * Loaded with `--require` in a program and each of its threads. Calls about a folder named `stuck`, or a path in it, hang
 * as on a network disk whose server is gone: each asynchronous call occupies one of the few threads for such calls. They
 * return while a writer has the pipe HANGING_PIPE open.
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

// Threads of the service that read folders and copy files begin with this call.
fs.realpathSync.native = (file, ...rest) => {
  if (isStuck(file)) closeSync(openSync(process.env.HANGING_PIPE, 'r'));
  return resolveSync(file, ...rest);
};

syncBuiltinESMExports();
