/**
 * Preloaded with `--require` into a program and each of its threads: opening a file named `stuck.bin` waits in the system,
 * as on a network disk that doesn't answer. HANGING_PIPE names the pipe without a writer that it waits for; a file beside
 * the pipe, with the suffix `.waiting`, shows that it does.
 */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const path = require('node:path');

const { openSync } = fs;

fs.openSync = (file, ...rest) => {
  if (path.basename(String(file)) !== 'stuck.bin') return openSync(file, ...rest);
  fs.writeFileSync(`${process.env.HANGING_PIPE}.waiting`, '');
  return openSync(process.env.HANGING_PIPE, 'r');
};

syncBuiltinESMExports();
